package migrate

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

//go:embed rulesets/*.yaml
var builtin embed.FS

// Builtin are the names of the rulesets that ship with cfctl, sorted.
func Builtin() []string {
	entries, err := builtin.ReadDir("rulesets")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// BuiltinSource is the text of a built-in ruleset. An unknown name is an error
// that names the nearest one.
func BuiltinSource(name string) ([]byte, error) {
	data, err := builtin.ReadFile(path.Join("rulesets", name+".yaml"))
	if err != nil {
		hint := "built in are " + strings.Join(Builtin(), ", ") + "; a file needs a slash or .yaml"
		if near := spelling.Nearest(name, Builtin()); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, &source.Error{Path: name, Err: fmt.Errorf("no ruleset of this name"), Hint: hint}
	}
	return data, nil
}

// BuiltinRuleset reads a built-in ruleset.
func BuiltinRuleset(name string) (*rules.Ruleset, error) {
	data, err := BuiltinSource(name)
	if err != nil {
		return nil, err
	}
	r, err := rules.Parse(name+".yaml", data)
	if err != nil {
		return nil, err
	}
	for i := range r.Convert {
		r.Convert[i].Shown = name
	}
	return r, nil
}
