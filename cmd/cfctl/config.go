package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

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

// A defaults is what flags take their values from that the user did not give: the
// environment, and the nearest configuration.
type defaults struct {
	*viper.Viper
	file config.File
	keep []migrate.Keep
	env  map[string]string
}

// defaults reads them strictly, once.
func (t *terminal) defaults() (*defaults, error) {
	if t.settings != nil {
		return t.settings, nil
	}
	d := &defaults{Viper: viper.New(), env: t.Env}
	d.SetEnvPrefix("cfctl")
	d.SetEnvKeyReplacer(strings.NewReplacer(".", "_", "-", "_"))
	d.AllowEmptyEnv(true)
	d.AutomaticEnv()
	var err error
	if d.file, err = t.Configs.Find(); err == nil && d.file.Path != "" {
		err = d.read()
	}
	if err != nil {
		return nil, err
	}
	t.settings = d
	return d, nil
}

// read has the file looked up by keys. Strict decoding checks it before.
func (d *defaults) read() error {
	c, err := d.file.Decode()
	if err != nil {
		return err
	}
	for _, k := range c.Migrate.Keep {
		if k.Path == "" && k.Value == "" || k.Why == "" {
			return &source.Error{Path: d.file.Path, Pos: d.file.Position("migrate.keep[].path", k.Path), Err: errors.New("migrate.keep: an entry needs why, and path or value")}
		}
	}
	d.keep = c.Keeps()
	d.SetConfigType("yaml")
	if err := d.ReadConfig(strings.NewReader(string(d.file.Data))); err != nil {
		return &source.Error{Path: d.file.Path, Err: err}
	}
	if c.Migrate.Target != "" { // viper reads 1.30 as the number 1.3
		return d.MergeConfigMap(map[string]any{"migrate": map[string]any{"target-version": c.Migrate.Target}})
	}
	return nil
}

// origin says where the value of a key comes from: a variable, or the file; empty = it has none.
func (d *defaults) origin(key string) string {
	if name := config.Variable(key); d.IsSet(key) {
		if _, set := d.env[name]; set {
			return name
		}
		return d.file.Path
	}
	return ""
}

// configure fills the flags that the user did not give.
func configure(t *terminal, cmd *cobra.Command) error {
	var err error
	told := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		key := f.Annotations[keyAnnotation]
		if key == nil || err != nil {
			return
		}
		var d *defaults
		if d, err = t.defaults(); err == nil && !told {
			told, t.Keep = true, d.keep
			t.unknownVariables(cmd.Root())
		}
		if err == nil && !f.Changed {
			err = t.fill(f, key[0])
		}
	})
	return err
}

// fill sets one flag from the environment or the file. What the file may not
// say is an error, since going on without it would do something else than what
// is written there.
func (t *terminal) fill(f *pflag.Flag, key string) error {
	d, err := t.defaults()
	if err != nil || d.origin(key) == "" {
		return err
	}
	from := d.origin(key)
	values := []string{d.GetString(key)}
	_, list := f.Value.(pflag.SliceValue)
	switch {
	case from == d.file.Path && list:
		values = d.GetStringSlice(key)
	case list:
		values = strings.Split(values[0], ",")
	}
	if from == d.file.Path {
		if err := t.refuseAll(d.file, key, values); err != nil {
			return err
		}
		if key == "migrate.rulesets" {
			values = beside(d.file.Path, values)
		}
	}
	for _, value := range values {
		err := f.Value.Set(value)
		if err == nil && key == "migrate.rulesets" && !migration.IsRulesetFile(value) {
			_, err = migrate.BuiltinRuleset(value)
		}
		switch {
		case err != nil && from == d.file.Path:
			return &source.Error{Path: from, Pos: d.file.Position(key, value), Err: fmt.Errorf("%s: %w", key, err), Hint: hintOf(err)}
		case err != nil:
			return fmt.Errorf("%s: %w", from, err)
		}
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
	known := lists.Of(settings(root), func(s *setting) string { return config.Variable(s.key) })
	for _, v := range config.Environment {
		known = append(known, v.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Env)) {
		if strings.HasPrefix(name, "CFCTL_") && !slices.Contains(known, name) {
			hint := spelling.DidYouMean(name, known)
			if hint != "" {
				hint = "; " + hint
			}
			t.note("%s: no variable of cfctl%s", name, hint)
		}
	}
}

// beside makes names of rulesets that are files, and relative to the
// configuration, relative to the working directory.
func beside(config string, names []string) []string {
	list := slices.Clone(names)
	for i, name := range list {
		if migration.IsRulesetFile(name) && !filepath.IsAbs(name) {
			list[i] = path.Join(path.Dir(config), filepath.ToSlash(name))
		}
	}
	return list
}

// refuseAll refuses values of a key that the file may not say.
func (t *terminal) refuseAll(file config.File, key string, values []string) error {
	tr, err := t.Trusted()
	if err != nil {
		return err
	}
	if config.RuleOf(key) == nil {
		key += "[]"
	}
	for _, value := range values {
		if err := tr.Refuse(file, key, value); err != nil {
			return err
		}
	}
	return nil
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

func newConfig(t *terminal) *cobra.Command {
	return family("config", "show and check the configuration; print its JSON Schema", newConfigShow(t), newConfigCheck(t),
		&cobra.Command{Use: "schema", Short: "print the JSON Schema of .cfctl.yaml, for editors", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { _, err := t.out.Write(configSchema); return err }})
}

// configSchema is made from the types of the configuration and their comments
// by TestReference.
//
//go:embed config.schema.json
var configSchema []byte

// A setting is a key that flags take their default from.
type setting struct {
	key   string
	flag  *pflag.Flag
	users []string // the commands with that flag, "cfctl migrate"
}

// settings are all of them, in the order of their keys.
func settings(root *cobra.Command) []*setting {
	known := map[string]*setting{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, key := range f.Annotations[keyAnnotation] {
				if known[key] == nil {
					known[key] = &setting{key: key, flag: f}
				}
				known[key].users = append(known[key].users, cmd.CommandPath())
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return slices.SortedFunc(maps.Values(known), func(a, b *setting) int { return strings.Compare(a.key, b.key) })
}

// An effective value is what a key comes to, and where from.
type effective struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // a file, a variable, or "default"
}

func newConfigShow(t *terminal) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "show", Short: "show each key with its value and where that comes from", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := effectiveValues(cmd.Context(), t, cmd.Root())
			if err != nil {
				return err
			}
			if output == "json" {
				return report.WriteJSON(t.out, map[string]any{"schema": 1, "values": list})
			}
			w := t.table()
			for _, e := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Value, e.From)
			}
			return w.Flush()
		},
	}
	outputFlag(cmd, &output, "text", "text", "json")
	return cmd
}

// effectiveValues fills every flag that has a key as its command would.
func effectiveValues(ctx context.Context, t *terminal, root *cobra.Command) ([]effective, error) {
	var list []effective
	for _, s := range settings(root) {
		if err := t.fill(s.flag, s.key); err != nil {
			return nil, err
		}
		from := "default"
		if set := s.flag.Annotations[chosenAnnotation]; set != nil {
			from = set[0]
		}
		list = append(list, effective{s.key, strings.Trim(s.flag.Value.String(), "[]"), from})
	}
	return list, checkSections(ctx, t)
}

// checkSections checks the sections stack, matrix and release, as far as they are declared.
func checkSections(ctx context.Context, t *terminal) error {
	v, err := (&project.Target{Dir: "."}).Open(ctx, &t.User)
	if err != nil {
		return err
	}
	defer v.Close()
	declared := v.Declared != nil && v.Declared.Release != nil
	if !declared && (v.Custom || !v.Meant) {
		return nil
	}
	_, err = v.Recipe()
	return err
}

func newConfigCheck(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "check the configuration for mistakes", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return checkConfig(cmd.Context(), t, cmd.Root()) },
	}
}

func checkConfig(ctx context.Context, t *terminal, root *cobra.Command) error {
	d, err := t.defaults()
	if err != nil {
		return err
	}
	if d.file.Path == "" {
		t.note("no %s in this folder or above it", config.Name)
		t.note("hint: cfctl init writes one")
	}
	if _, err := effectiveValues(ctx, t, root); err != nil {
		return err
	}
	for _, s := range settings(root) {
		if s.key == "migrate.rulesets" {
			names := s.flag.Value.(pflag.SliceValue).GetSlice()
			if _, err := (&migration.Options{Rulesets: names}).Migration(ctx, &t.User); err != nil && len(names) > 0 {
				return err
			}
		}
	}
	if d.file.Path != "" {
		t.note("%s: no mistakes", d.file.Path)
	}
	return nil
}
