// Package config is the configuration of cfctl: what .cfctl.yaml may say, where it is
// found, and what of it a tree may say for its users.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Name is that of the configuration file, which is looked for upward to the git root.
const Name = ".cfctl.yaml"

// A Config is the shape of .cfctl.yaml: one section per command family. It is
// decoded strictly; lists of named items rather than maps keyed by names,
// because viper folds the case of keys.
type Config struct {
	Migrate struct {
		Rulesets []string `yaml:"rulesets"`           // names of built-in rulesets, files relative to the configuration, or addresses (docs/rulesets.md)
		Exclude  []string `yaml:"exclude"`            // globs, as --exclude
		Only     []string `yaml:"only"`               // formats, as --only
		Mode     string   `yaml:"mode"`               // replace, or dual: permissions, webhooks and CRDs serve both groups
		GoStep   string   `yaml:"go-version-package"` // move, copy or leave, as --go-version-package
		Target   string   `yaml:"target-version"`     // version of Kubernetes that the files are for, such as "1.34", as --target-version
		Keep     []Keep   `yaml:"keep"`               // references that were reviewed and are not changed; cfctl migrate --keep-rest adds them
	} `yaml:"migrate"` // defaults of cfctl migrate
	Stack   *stack.Stack `yaml:"stack"`   // components that are released together; in the repository of codeflare-operator, the default is the built-in stack
	Matrix  *Matrix      `yaml:"matrix"`  // which versions make a release; for the built-in stack, the default is the built-in rules
	Release *Release     `yaml:"release"` // how the stack is released; for the built-in stack, the default is the built-in recipe
	Import  struct {
		To         string `yaml:"to"`               // where new objects are: "cluster", or a folder of manifests
		Kubeconfig string `yaml:"kubeconfig"`       // as --kubeconfig
		Context    string `yaml:"context"`          // as --context
		Ledger     string `yaml:"ledger"`           // as --ledger
		Shared     string `yaml:"shared-namespace"` // as --shared-namespace
	} `yaml:"import"` // defaults of cfctl import
}

// A Keep names references that are not changed in some files, and why.
type Keep struct {
	Path  string `yaml:"path"`  // a glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that is not changed; empty = all of these files
	Why   string `yaml:"why"`   // the reason
}

// A Release is the declared recipe, and the defaults of its commands.
type Release struct {
	recipe.Recipe `yaml:",inline"`
	State         string `yaml:"state"`    // where the journal is: file (.cfctl/releases), git (a ref of the root's repository), or auto (git in a CI job, else file)
	Distance      string `yaml:"distance"` // between two mutating requests to one server: "1s"
	Poll          string `yaml:"poll"`     // between two looks at the same thing while waiting: "1m"
}

// A Matrix is the declared matrix, and the defaults of its commands.
type Matrix struct {
	matrix.Config `yaml:",inline"`
	Check         struct {
		Offline bool `yaml:"offline"` // send no request to a remote
		Strict  bool `yaml:"strict"`  // warnings fail the gate too
		Deep    bool `yaml:"deep"`    // read the components' own repositories too
	} `yaml:"check"` // defaults of cfctl matrix check
}

// Variable is the environment variable of a key: migrate.rulesets has
// CFCTL_MIGRATE_RULESETS.
func Variable(key string) string {
	return "CFCTL_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// A File is a .cfctl.yaml with the tree that it came with.
type File struct {
	Path string // for display; empty = there is none
	Data []byte
	Dir  string // where it is
	Past bool   // it is of a commit: who trusts the folder has not seen it
}

// Decode reads a file strictly.
func (f File) Decode() (*Config, error) {
	c := &Config{}
	if err := strict.Decode(f.Path, f.Data, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Keeps are the references that are not changed.
func (c *Config) Keeps() []migrate.Keep {
	return lists.Of(c.Migrate.Keep, func(k Keep) migrate.Keep { return migrate.Keep(k) })
}

// maxFile bounds a configuration, in bytes.
const maxFile = 1 << 20

// A Reader reads the configuration of each folder once, so that a command
// goes by one text of it.
type Reader struct{ files []read }

// A read is what reading the file of a folder came to.
type read struct {
	dir  string
	data []byte
	err  error
}

// Find reads the configuration of the working directory: the nearest file, not
// looking beyond the root of the git work tree, nor through a link that leads out
// of it.
func (r *Reader) Find() (File, error) {
	dir, err := source.RealPath(".")
	if err != nil {
		return File{}, err
	}
	top := source.WorkTree(dir)
	for rel := ""; ; rel = filepath.Join("..", rel) {
		root := cmp.Or(top, dir) // without a work tree, nothing says where it ends: it is this folder alone
		file, err := r.Read(dir, filepath.ToSlash(filepath.Join(rel, Name)), func() ([]byte, error) { return fromTree(root, dir) })
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
		parent := filepath.Dir(dir)
		if dir == top || parent == dir {
			return File{}, nil
		}
		dir = parent
	}
}

// fromTree reads the configuration of dir, a folder in the tree top.
func fromTree(top, dir string) ([]byte, error) {
	root, err := source.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, err
	}
	return root.ReadFile(path.Join(filepath.ToSlash(rel), Name))
}

// Read reads the configuration of a folder, which is shown by a name. An empty folder
// is that of a commit, which is none on the disk.
func (r *Reader) Read(dir, name string, from func() ([]byte, error)) (File, error) {
	i := slices.IndexFunc(r.files, func(f read) bool { return dir != "" && (f.dir == dir || source.Same(f.dir, dir)) })
	if i < 0 {
		i = len(r.files)
		data, err := from()
		if err == nil && len(data) > maxFile {
			data, err = nil, &source.Error{Path: name, Err: fmt.Errorf("a configuration of more than %d KiB", maxFile>>10)}
		}
		r.files = append(r.files, read{dir, data, err})
	}
	return File{Path: name, Data: r.files[i].data, Dir: dir}, r.files[i].err
}
