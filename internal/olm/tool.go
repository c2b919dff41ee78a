package olm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Tool is an operator-sdk that is installed. Generate lets it assemble the
// bundle from the objects of the build, which are made in process all the same.
type Tool struct {
	path    string // of the binary
	version string // as it says: "v1.42.3"
}

// oldestTool is the first operator-sdk that takes all arguments that it is given.
const oldestTool = "v1.8.0"

var toolVersion = lazyregexp.New(`operator-sdk version: "([^"]*)"`)

// FindTool looks for operator-sdk in PATH and asks for its version.
func FindTool(ctx context.Context) (*Tool, error) {
	const hint = "install operator-sdk, or leave --tool away: cfctl makes the same bundle without it"
	file, err := exec.LookPath("operator-sdk")
	if err != nil {
		return nil, toolError(errors.New("not found in PATH"), hint)
	}
	out, err := exec.CommandContext(ctx, file, "version").Output()
	if err != nil {
		return nil, toolError(fmt.Errorf("%s version: %w", file, err), hint)
	}
	m := toolVersion.FindSubmatch(out)
	if m == nil {
		return nil, toolError(fmt.Errorf("%s says %.60q of its version", file, out), hint)
	}
	t := &Tool{path: file, version: string(m[1])}
	return t, t.atLeast(oldestTool, "cfctl")
}

// atLeast refuses a tool that is older than somebody needs. A version that is
// none ("unknown", of a build by hand) is taken as new.
func (t *Tool) atLeast(want, who string) error {
	if !semver.IsValid(t.version) || semver.Compare(t.version, want) >= 0 {
		return nil
	}
	return toolError(fmt.Errorf("%s is %s, and %s needs %s or newer", t.path, t.version, who, want),
		"install operator-sdk "+want+", or leave --tool away: cfctl makes the same bundle without it")
}

func toolError(err error, hint string) error {
	return &source.Error{Path: "operator-sdk", Err: err, Hint: hint}
}

// generate runs the tool in a folder of its own and returns the files that it
// made. It sets createdAt and the builder annotation itself.
func (t *Tool) generate(ctx context.Context, p *project, objects resmap.ResMap, o Options) (map[string][]byte, error) {
	if sdk := p.sdkVersion(); sdk != "" {
		if err := t.atLeast(sdk, "the Makefile"); err != nil {
			return nil, err
		}
	}
	input, err := t.input(p, objects, o)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cfctl-operator-sdk-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left over does no harm
	root, err := source.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // what it holds is thrown away
	if data, err := fs.ReadFile(p.tree, "PROJECT"); err == nil {
		if err := root.Create("PROJECT", data, 0o644); err != nil {
			return nil, err
		}
	}
	if err := t.run(ctx, dir, t.arguments(o), input); err != nil {
		return nil, err
	}
	made, err := fs.Sub(root.FS(), "bundle")
	if err != nil {
		return nil, err
	}
	return readFiles(made)
}

// arguments are those of `operator-sdk generate bundle`. Each value stands in
// its flag's own argument, so that none is taken for a flag.
func (t *Tool) arguments(o Options) []string {
	args := []string{"generate", "bundle", "--quiet", "--overwrite", "--output-dir=bundle", "--version=" + o.Version, "--package=" + o.Package, "--channels=" + o.Channels}
	if o.DefaultChannel != "" {
		args = append(args, "--default-channel="+o.DefaultChannel)
	}
	for _, account := range o.ServiceAccounts {
		args = append(args, "--extra-service-accounts="+account)
	}
	return args
}

// input is the stream of objects that the tool reads. The base carries what
// the tool has no argument for: replaces and containerImage.
func (t *Tool) input(p *project, objects resmap.ResMap, o Options) ([]byte, error) {
	var docs bytes.Buffer
	found := false
	for _, r := range objects.Resources() {
		doc, err := r.Map()
		if err != nil {
			return nil, err
		}
		if r.GetKind() == "ClusterServiceVersion" && strings.HasPrefix(r.GetName(), o.Package+".") {
			found = true
			setBase(doc, o)
		}
		if err := appendDocument(&docs, doc); err != nil {
			return nil, err
		}
	}
	if found {
		return docs.Bytes(), nil
	}
	file := path.Join(o.Root, "bases", o.Package+csvSuffix)
	data, err := fs.ReadFile(p.tree, file)
	if err != nil {
		return nil, err
	}
	var base map[string]any
	if err := yaml.Unmarshal(data, &base); err != nil {
		return nil, &source.Error{Path: file, Err: plain(err)}
	}
	setBase(base, o)
	err = appendDocument(&docs, base)
	return docs.Bytes(), err
}

func setBase(csv map[string]any, o Options) {
	if o.Replaces != "" {
		child(csv, "spec")["replaces"] = o.Package + ".v" + o.Replaces
	}
	if o.Image != "" {
		child(child(csv, "metadata"), "annotations")["containerImage"] = o.Image
	}
}

func appendDocument(b *bytes.Buffer, doc map[string]any) error {
	data, err := yaml.Marshal(doc)
	b.WriteString("---\n")
	b.Write(data)
	return err
}

var toolMessage = lazyregexp.New(`level=(?:fatal|error) msg="((?:[^"\\]|\\.)*)"`)

// run runs the tool. Its error is what it says of its errors.
func (t *Tool) run(ctx context.Context, dir string, args []string, input []byte) error {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.WaitDelay = dir, bytes.NewReader(input), &stderr, 5*time.Second
	err := cmd.Run()
	if err == nil || ctx.Err() != nil {
		return err
	}
	var said []string
	for _, m := range toolMessage.FindAllStringSubmatch(stderr.String(), -1) {
		said = append(said, strings.ReplaceAll(m[1], `\"`, `"`))
	}
	if len(said) > 0 {
		err = errors.New(strings.Join(said, "; "))
	}
	return toolError(fmt.Errorf("%s: %w", t.version, err), "leave --tool away: cfctl makes the bundle without it")
}

// readFiles reads every file of a tree.
func readFiles(tree fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(tree, name)
		return err
	})
	return files, err
}
