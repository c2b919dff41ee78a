package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/project-codeflare/cfctl/internal/matrix"
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
		Rulesets []string `yaml:"rulesets"` // names of built-in rulesets, or files relative to the configuration
		Exclude  []string `yaml:"exclude"`  // globs, as --exclude
		Only     []string `yaml:"only"`     // formats, as --only
		Mode     string   `yaml:"mode"`
	} `yaml:"migrate"`
	Stack   *stack.Stack    `yaml:"stack"`   // nil = the built-in CodeFlare stack
	Matrix  *matrixSection  `yaml:"matrix"`  // nil = the built-in rules, for the built-in stack
	Release *releaseSection `yaml:"release"` // nil = the built-in recipe, for the built-in stack
	Import  struct {
		To         string `yaml:"to"`               // "cluster", or a folder of manifests
		Kubeconfig string `yaml:"kubeconfig"`       // as --kubeconfig
		Context    string `yaml:"context"`          // as --context
		Ledger     string `yaml:"ledger"`           // as --ledger
		Shared     string `yaml:"shared-namespace"` // as --shared-namespace
	} `yaml:"import"`
}

// A releaseSection is the declared recipe, and the defaults of its commands.
type releaseSection struct {
	release.Recipe `yaml:",inline"`
	State          string `yaml:"state"`
	Distance       string `yaml:"distance"`
	Poll           string `yaml:"poll"`
}

// A matrixSection is the declared matrix, and the defaults of its commands.
type matrixSection struct {
	matrix.Config `yaml:",inline"`
	Check         struct {
		Offline bool `yaml:"offline"`
		Strict  bool `yaml:"strict"`
		Deep    bool `yaml:"deep"`
	} `yaml:"check"`
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
	v := viper.New()
	v.SetEnvPrefix("CFCTL")
	v.SetEnvKeyReplacer(strings.NewReplacer(".", "_", "-", "_"))
	path, data, err := findConfig(".")
	if err != nil {
		return err
	}
	if path != "" {
		var c config
		if err := source.Decode(path, data, &c); err != nil {
			return err
		}
		v.SetConfigType("yaml")
		if err := v.ReadConfig(strings.NewReader(string(data))); err != nil {
			return &source.Error{Path: path, Err: err}
		}
	}
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		key := f.Annotations[keyAnnotation]
		if f.Changed || key == nil || first != nil {
			return
		}
		first = fill(t, v, f, key[0], path)
	})
	return first
}

// fill sets one flag from the environment or the file.
func fill(t *terminal, v *viper.Viper, f *pflag.Flag, key, path string) error {
	name := "CFCTL_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
	values, from := []string(nil), path
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
	}
	for _, value := range values {
		if err := f.Value.Set(value); err != nil {
			return fmt.Errorf("%s: %s: %w", from, key, err)
		}
	}
	return nil
}

// findConfig reads the configuration of dir: the nearest .cfctl.yaml, not
// looking beyond the root of the git work tree. No file is an empty path.
func findConfig(dir string) (path string, data []byte, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	for rel := ""; ; rel = filepath.Join("..", rel) {
		data, err := os.ReadFile(filepath.Join(dir, configName))
		if err == nil {
			return filepath.ToSlash(filepath.Join(rel, configName)), data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return "", nil, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil, nil
		}
		dir = parent
	}
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
