package olm

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
)

// publishedDirs lists the bundles under CFCTL_BUNDLES, a folder that holds X.Y.Z/
// as a catalog published them.
func publishedDirs(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("CFCTL_BUNDLES")
	if root == "" {
		t.Skip("CFCTL_BUNDLES is not set")
	}
	dirs, err := filepath.Glob(filepath.Join(root, "*", "manifests"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no bundles under %s", root)
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

// mirrors is the folder of bare repositories OWNER+NAME/repo that
// CFCTL_MIRRORS names; git answers https://github.com/ from it.
func mirrors(t *testing.T) string {
	t.Helper()
	root := os.Getenv("CFCTL_MIRRORS")
	if root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	links := t.TempDir()
	dirs, _ := filepath.Glob(filepath.Join(root, "*+*", "repo"))
	for _, dir := range dirs {
		owner, name, _ := strings.Cut(filepath.Base(filepath.Dir(dir)), "+")
		if err := os.MkdirAll(filepath.Join(links, owner), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir, filepath.Join(links, owner, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_COUNT", "2")
	t.Setenv("GIT_CONFIG_KEY_0", "url."+links+"/.insteadOf")
	t.Setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
	t.Setenv("GIT_CONFIG_KEY_1", "safe.directory")
	t.Setenv("GIT_CONFIG_VALUE_1", "*")
	return root
}

// TestPublishedBundles makes every published bundle anew from its tag and
// compares the bytes. The two that were touched by hand after the generator
// are told apart by what is known of them: a file left over from an older run,
// and an emptied alm-examples line.
func TestPublishedBundles(t *testing.T) {
	dirs := publishedDirs(t)
	operator := filepath.Join(mirrors(t), "project-codeflare+codeflare-operator", "repo")
	repo, err := git.Open(t.Context(), operator)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	cache := &git.Cache{Dir: t.TempDir()}
	defer cache.Close()
	for _, dir := range dirs {
		tag := "v" + filepath.Base(dir)
		t.Run(tag, func(t *testing.T) {
			tree, err := repo.Tree(t.Context(), tag)
			if err != nil {
				t.Skip("no tag")
			}
			want := readAll(t, dir)
			o, ok := inputsOf(t, want)
			if !ok {
				t.Skip("not made by the generator")
			}
			o.Remotes = GitRemotes{cache}.Tree
			b, err := Generate(t.Context(), tree, o)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, want, b.Files)
		})
	}
}

func compare(t *testing.T, want, got map[string][]byte) {
	t.Helper()
	left := 0
	for name, data := range want {
		other, ok := got[name]
		switch {
		case !ok:
			left++
			if !strings.HasSuffix(name, "_service.yaml") || left > 1 {
				t.Errorf("%s is missing", name)
			}
		case !bytes.Equal(data, other) && !bytes.Equal(bytes.Replace(data, []byte("alm-examples: ''"), []byte("alm-examples: '[]'"), 1), other):
			t.Errorf("%s differs", name)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("%s is not in the published bundle", name)
		}
	}
}

func readAll(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = fs.ReadFile(tree, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var nameVersion = regexp.MustCompile(`\.v(\d.*)$`)

// inputsOf reads from a published CSV what its maker put in.
func inputsOf(t *testing.T, files map[string][]byte) (o Options, ok bool) {
	t.Helper()
	for name, data := range files {
		if !strings.HasSuffix(name, csvSuffix) {
			continue
		}
		var csv struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Spec struct {
				Version  string `json:"version"`
				Replaces string `json:"replaces"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(data, &csv); err != nil {
			t.Fatal(err)
		}
		notes := csv.Metadata.Annotations
		o = Options{Version: csv.Spec.Version, Image: notes["containerImage"]}
		if m := nameVersion.FindStringSubmatch(csv.Spec.Replaces); m != nil {
			o.Replaces = m[1]
		}
		var err error
		o.CreatedAt, err = time.Parse(time.RFC3339, notes["createdAt"])
		return o, err == nil && notes["operators.operatorframework.io/builder"] == "operator-sdk-"+defaultSDK
	}
	return o, false
}
