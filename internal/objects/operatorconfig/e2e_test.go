//go:build e2e

package operatorconfig

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// decoder is a program of one version of the operator: without arguments it
// decodes a configuration strictly, with one it lists the keys that it knows.
const decoder = `package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/project-codeflare/codeflare-operator/pkg/config"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) > 1 {
		keys("", reflect.TypeOf(config.CodeFlareOperatorConfiguration{}))
		return
	}
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = yaml.UnmarshalStrict(data, &config.CodeFlareOperatorConfiguration{})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func keys(path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || strings.HasSuffix(t.PkgPath(), "meta/v1") {
		fmt.Println(path, t.Kind())
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous:
			keys(path, f.Type)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		keys(strings.TrimPrefix(path+"."+name, "."), f.Type)
	}
}
`

// An upstream is a folder of bare repositories.
type upstream struct {
	t    *testing.T
	root string
	dir  string // of the programs
}

// A part is the configuration types of one module.
type part struct{ owner, repo, module, folder string }

func codeflare(repo string) part {
	return part{"project-codeflare", repo, "github.com/project-codeflare/" + repo, "pkg/config"}
}

// parts are the modules whose types the operator embeds.
var parts = []part{
	codeflare("instascale"), codeflare("multi-cluster-app-dispatcher"), codeflare("appwrapper"),
	{"kubernetes-sigs", "kueue", "sigs.k8s.io/kueue", "apis/config/v1beta1"},
}

func (u upstream) git(p part, args ...string) string {
	u.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", filepath.Join(u.root, p.owner+"+"+p.repo, "repo")}, args...)...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %v: %s", args, out)
	}
	return string(out)
}

// take copies the configuration types of a module at a version; it returns
// their text and the line of go.mod that points at them.
func (u upstream) take(dir string, p part, version string) (text, replace string) {
	if module.IsPseudoVersion(version) {
		version, _ = module.PseudoVersionRev(version)
	}
	if err := os.MkdirAll(filepath.Join(dir, p.repo, p.folder), 0o755); err != nil {
		u.t.Fatal(err)
	}
	for _, path := range strings.Fields(u.git(p, "ls-tree", "--name-only", version, p.folder+"/")) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			source := u.git(p, "show", version+":"+path)
			text += source
			u.write(filepath.Join(dir, p.repo, path), source)
		}
	}
	u.write(filepath.Join(dir, p.repo, "go.mod"), "module "+p.module+"\n\ngo 1.21\n")
	return text, "replace " + p.module + " => ./" + p.repo + "\n"
}

func (u upstream) write(path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// program builds the program of a version, once for each set of types.
func (u upstream) program(version string, built map[[32]byte]string) string {
	dir, operator := filepath.Join(u.dir, version), codeflare("codeflare-operator")
	text, replace := u.take(dir, operator, version)
	mod := "module decoder\n\ngo 1.24\n\nrequire sigs.k8s.io/yaml v1.6.0\n\n" + replace
	needs := u.git(operator, "show", version+":go.mod")
	for _, p := range parts {
		if !strings.Contains(text, `"`+p.module+"/"+p.folder+`"`) {
			continue
		}
		at := regexp.MustCompile(regexp.QuoteMeta(p.module) + ` (v\S+)`).FindStringSubmatch(needs)
		more, replace := u.take(dir, p, at[1])
		text += more
		mod += replace
	}
	sum := sha256.Sum256([]byte(text))
	if built[sum] != "" {
		return built[sum]
	}
	u.write(filepath.Join(dir, "go.mod"), mod)
	u.write(filepath.Join(dir, "main.go"), decoder)
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", "decode", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			u.t.Fatalf("%s: go %v: %s", version, args, out)
		}
	}
	built[sum] = filepath.Join(dir, "decode")
	return built[sum]
}

// TestOperatorTypes holds the keys that lint knows to the configuration types
// of every published version of the operator, and the ConfigMap that is made
// for a version to a strict decoding by them.
func TestOperatorTypes(t *testing.T) {
	u := upstream{t: t, root: os.Getenv("CFCTL_MIRRORS"), dir: t.TempDir()}
	if u.root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	built, made := map[[32]byte]string{}, 0
	for _, version := range strings.Fields(u.git(codeflare("codeflare-operator"), "tag", "--list", "v1.*", "--sort=v:refname")) {
		program := u.program(version, built)
		sameKeys(t, program, version)
		if semver.Compare(version, "v1.3.0") >= 0 {
			continue
		}
		made++
		list := items(t, everyField, func(k *Kind) { k.Version, k.OCMSecret = version, "ocm/secret" })
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader(objects.Text(list[0].Want, "data", "config.yaml"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s does not take its configuration: %s", version, out)
		}
	}
	t.Logf("%d sets of types; the ConfigMap was decoded by %d versions", len(built), made)
}

func sameKeys(t *testing.T, program, version string) {
	t.Helper()
	out, err := exec.Command(program, "keys").Output()
	if err != nil {
		t.Fatal(err)
	}
	is := map[string]string{"bool": "bool", "int": "int", "int32": "int", "float32": "number", "string": "text", "struct": "text", "slice": "list", "map": "map"}
	var theirs, ours []string
	for line := range strings.Lines(string(out)) {
		path, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rest, below := strings.CutPrefix(path, "appwrapper.Config."); below && rest != "" {
			path, kind = "appwrapper.Config.*", "map"
		}
		theirs = append(theirs, fmt.Sprint(path, " ", is[kind]))
	}
	for _, k := range keys {
		if (k.from == "" || semver.Compare(version, k.from) >= 0) && (k.to == "" || semver.Compare(version, k.to) < 0) {
			ours = append(ours, k.path+" "+k.is)
		}
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	theirs = slices.Compact(theirs)
	for _, k := range theirs {
		if !slices.Contains(ours, k) {
			t.Errorf("%s has the key %s, which lint does not know", version, k)
		}
	}
	for _, k := range ours {
		if !slices.Contains(theirs, k) {
			t.Errorf("%s has no key %s", version, k)
		}
	}
}
