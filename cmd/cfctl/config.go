package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// configName is the configuration file, looked for upward to the git root.
const configName = ".cfctl.yaml"

// A config is the shape of .cfctl.yaml: one section per command family. It is
// decoded strictly; lists of named items rather than maps keyed by names,
// because viper folds the case of keys.
type config struct {
	Migrate struct {
		Rulesets []string `yaml:"rulesets"`       // names of built-in rulesets, files relative to the configuration, or addresses (docs/rulesets.md)
		Exclude  []string `yaml:"exclude"`        // globs, as --exclude
		Only     []string `yaml:"only"`           // formats, as --only
		Mode     string   `yaml:"mode"`           // replace, or dual: permissions, webhooks and CRDs serve both groups
		Target   string   `yaml:"target-version"` // version of Kubernetes that the files are for, such as "1.34", as --target-version
		Keep     []keep   `yaml:"keep"`           // references that were reviewed and are not changed; cfctl migrate --keep-rest adds them where a file has no comments
	} `yaml:"migrate"` // defaults of cfctl migrate
	Stack   *stack.Stack    `yaml:"stack"`   // components that are released together; in the repository of codeflare-operator, the default is the built-in stack
	Matrix  *matrixSection  `yaml:"matrix"`  // which versions make a release; for the built-in stack, the default is the built-in rules
	Release *releaseSection `yaml:"release"` // how the stack is released; for the built-in stack, the default is the built-in recipe
	Import  struct {
		To         string `yaml:"to"`               // where new objects are: "cluster", or a folder of manifests
		Kubeconfig string `yaml:"kubeconfig"`       // as --kubeconfig
		Context    string `yaml:"context"`          // as --context
		Ledger     string `yaml:"ledger"`           // as --ledger
		Shared     string `yaml:"shared-namespace"` // as --shared-namespace
	} `yaml:"import"` // defaults of cfctl import
}

// A keep names references that are not changed in some files, and why.
type keep struct {
	Path  string `yaml:"path"`  // a glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that is not changed; empty = all of these files
	Why   string `yaml:"why"`   // the reason
}

// A releaseSection is the declared recipe, and the defaults of its commands.
type releaseSection struct {
	release.Recipe `yaml:",inline"`
	State          string `yaml:"state"`    // where the journal is: file (.cfctl/releases), git (a ref of the root's repository), or auto (git in a CI job, else file)
	Distance       string `yaml:"distance"` // between two mutating requests to one server: "1s"
	Poll           string `yaml:"poll"`     // between two looks at the same thing while waiting: "1m"
}

// A matrixSection is the declared matrix, and the defaults of its commands.
type matrixSection struct {
	matrix.Config `yaml:",inline"`
	Check         struct {
		Offline bool `yaml:"offline"` // send no request to a remote
		Strict  bool `yaml:"strict"`  // warnings fail the gate too
		Deep    bool `yaml:"deep"`    // read the components' own repositories too
	} `yaml:"check"` // defaults of cfctl matrix check
}

// keyAnnotation is on each flag that can also be set by configuration; its
// value is the key, "section.name".
const keyAnnotation = "cfctl/key"

// bind says that a flag takes its default from the configuration key, and from
// the environment variable of that key: migrate.rulesets and
// CFCTL_MIGRATE_RULESETS.
func bind(flags *pflag.FlagSet, name, key string) {
	if err := flags.SetAnnotation(name, keyAnnotation, []string{key}); err != nil {
		panic(err) // a flag that the command does not have
	}
}

// configure fills the flags that the user did not give from the environment
// and the configuration file.
func configure(t *terminal, cmd *cobra.Command) error {
	bound := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) { bound = bound || f.Annotations[keyAnnotation] != nil })
	if !bound {
		return nil
	}
	v, file, err := t.readSettings()
	if err != nil {
		return err
	}
	t.keep = file.keep
	t.unknownVariables(cmd.Root())
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		key := f.Annotations[keyAnnotation]
		if f.Changed || key == nil || first != nil {
			return
		}
		first = fill(t, v, f, key[0], file)
	})
	return first
}

// fill sets one flag from the environment or the file. What the file may not
// say is an error, since going on without it would do something else than what
// is written there.
func fill(t *terminal, v *viper.Viper, f *pflag.Flag, key string, file treeConfig) error {
	name := variableOf(key)
	values, from := []string(nil), file.path
	if env, ok := t.env[name]; ok {
		values, from = []string{env}, name
		if _, list := f.Value.(pflag.SliceValue); list {
			values = strings.Split(env, ",")
		}
	} else if v.IsSet(key) {
		values = v.GetStringSlice(key)
		if _, list := f.Value.(pflag.SliceValue); !list {
			values = []string{v.GetString(key)}
		}
		if err := refuseAll(t, file, key, values); err != nil {
			return err
		}
		if key == "migrate.rulesets" {
			values = beside(file.path, values)
		}
	}
	for _, value := range values {
		err := f.Value.Set(value)
		if err == nil && key == "migrate.rulesets" && !isRulesetFile(value) {
			_, err = migrate.BuiltinRuleset(value)
		}
		if err != nil {
			if from == file.path {
				return &source.Error{Path: from, Pos: positionOf(file.data, key, value), Err: fmt.Errorf("%s: %w", key, err), Hint: hintOf(err)}
			}
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	if len(values) > 0 {
		f.Annotations[chosenAnnotation] = []string{from}
	}
	return nil
}

// chosenAnnotation is on each flag that the environment or the file set; its
// value says which.
const chosenAnnotation = "cfctl/chosen"

// chosen says whether the user, the environment or the file set a flag.
func chosen(f *pflag.Flag) bool { return f.Changed || f.Annotations[chosenAnnotation] != nil }

// unknownVariables says which variables look like those of cfctl and are none:
// a misspelt one would be passed over.
func (t *terminal) unknownVariables(root *cobra.Command) {
	var known []string
	for _, s := range settings(root) {
		known = append(known, variableOf(s.key))
	}
	for _, v := range variables {
		known = append(known, v.name)
	}
	for _, name := range slices.Sorted(maps.Keys(t.env)) {
		if strings.HasPrefix(name, "CFCTL_") && !slices.Contains(known, name) {
			t.note("%s: no variable of cfctl%s", name, suggested(didYouMean(name, known)))
		}
	}
}

func suggested(hint string) string {
	if hint == "" {
		return ""
	}
	return "; " + hint
}

// beside makes names of rulesets that are files, and relative to the
// configuration, relative to the working directory.
func beside(config string, names []string) []string {
	list := slices.Clone(names)
	for i, name := range list {
		if isRulesetFile(name) && !filepath.IsAbs(name) {
			list[i] = path.Join(path.Dir(config), filepath.ToSlash(name))
		}
	}
	return list
}

// variableOf is the environment variable of a key: migrate.rulesets has
// CFCTL_MIGRATE_RULESETS.
func variableOf(key string) string {
	return "CFCTL_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// refuseAll refuses values of a key that the file may not say.
func refuseAll(t *terminal, file treeConfig, key string, values []string) error {
	tr, err := t.trusted()
	if err != nil {
		return err
	}
	if ruleOf(key) == nil {
		key += "[]"
	}
	for _, value := range values {
		if err := tr.refuse(file, key, value); err != nil {
			return err
		}
	}
	return nil
}

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// findConfig reads the configuration of the current folder: the nearest
// .cfctl.yaml, not looking beyond the root of the git work tree, nor through a
// link that leads out of it. No file is an empty path.
func (t *terminal) findConfig() (treeConfig, error) {
	dir, err := filepath.Abs(".")
	if err != nil {
		return treeConfig{}, err
	}
	top, found := dir, false
	for !found && top != filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			found = true
			break
		}
		top = filepath.Dir(top)
	}
	for rel := ""; ; rel = filepath.Join("..", rel) {
		root := top
		if !found {
			root = dir // nothing says where the tree ends: it is this folder alone
		}
		name := filepath.ToSlash(filepath.Join(rel, configName))
		file, err := t.readConfig(dir, name, func() ([]byte, error) { return fromTree(root, dir) })
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
		parent := filepath.Dir(dir)
		if found && dir == top || parent == dir {
			return treeConfig{}, nil
		}
		dir = parent
	}
}

// fromTree reads the .cfctl.yaml of dir, a folder in the tree root.
func fromTree(root, dir string) ([]byte, error) {
	r, err := source.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	return r.ReadFile(path.Join(filepath.ToSlash(rel), configName))
}

// A configRead is what reading the .cfctl.yaml of a folder came to.
type configRead struct {
	dir  string // where it lies
	data []byte
	err  error
}

// readConfig reads the .cfctl.yaml of the folder dir, which people know by name:
// once, whoever asks, so that a command goes by one text of it.
func (t *terminal) readConfig(dir, name string, read func() ([]byte, error)) (treeConfig, error) {
	i := slices.IndexFunc(t.configs, func(c configRead) bool { return c.dir == dir || sameFolder(c.dir, dir) })
	if i < 0 {
		i = len(t.configs)
		data, err := notTooLong(name, read)
		t.configs = append(t.configs, configRead{dir, data, err})
	}
	return treeConfig{path: name, data: t.configs[i].data, dir: dir}, t.configs[i].err
}

// notTooLong reads a configuration that is not too long.
func notTooLong(name string, read func() ([]byte, error)) ([]byte, error) {
	data, err := read()
	if err == nil && len(data) > maxConfig {
		return nil, &source.Error{Path: name, Err: errorf("a configuration of more than %d KiB", maxConfig>>10)}
	}
	return data, err
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
