// Package rules says what moves where: rulesets as data, validated strictly, and
// the table that they are compiled into. One engine follows the rules (Hops);
// what a site becomes, the shapes that change on the way and circles are
// readings of it.
package rules

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A Ruleset is one migration as data: what moves where, what stays, how
// shapes change, and the examples that prove it.
type Ruleset struct {
	Name string `yaml:"name" doc:"kebab-case; names the ruleset on the command line and in findings"`
	Doc  string `yaml:"doc" doc:"one or two sentences for people"`
	URL  string `yaml:"url" doc:"where the migration is decided or described"`
	// Kubernetes is the target version where none is chosen.
	Kubernetes string       `yaml:"kubernetes" doc:"the newest version of Kubernetes that the rules know, such as \"1.37\""`
	Rules      []Rule       `yaml:"rules" doc:"groups, versions and kinds that move"`
	Keys       []KeyRule    `yaml:"keys" doc:"label, annotation and finalizer keys that move; by default none does"`
	Keep       []Keep       `yaml:"keep" doc:"what looks like the group and is not, by value or by path"`
	Guard      []string     `yaml:"guard" doc:"kinds of the rules that no other project has: one in a group that the rules do not know is an error"`
	Heuristics Heuristics   `yaml:"heuristics" doc:"heuristics that are switched off"`
	Modules    []Module     `yaml:"modules" doc:"Go modules and packages to update by hand, with the command"`
	Convert    []Conversion `yaml:"convert" doc:"changes of shape, per kind"`
	Examples   []Example    `yaml:"examples" doc:"the ruleset's own tests"`

	path string // where it was read, for errors
	text []byte // what was read
}

// A GVK names kinds of objects. In a rule's From an empty field means every
// one; in its To, that the field stays.
type GVK struct {
	Group   string `yaml:"group" doc:"API group, such as apps or workload.codeflare.dev"`
	Version string `yaml:"version" doc:"API version, such as v1beta1"`
	Kind    string `yaml:"kind" doc:"kind, such as AppWrapper"`
	Plural  string `yaml:"plural" doc:"resource name, such as appwrappers"`
}

// A RuleID says which rule of which ruleset.
type RuleID struct{ Set, ID string }

// Called says which rule it is.
func (r Rule) Called() RuleID { return RuleID{r.Set, r.ID} }

// A Rule moves one group, or one version or kind of it.
type Rule struct {
	ID   string `yaml:"id" doc:"kebab-case, unique in the ruleset; shown in every finding"`
	From GVK    `yaml:"from" doc:"what is renamed; the group is required"`
	To   GVK    `yaml:"to" doc:"what it becomes; what is not named is not changed"`
	// Removed says that the API has no successor: its sites need review.
	Removed string `yaml:"removed" doc:"the API was removed without a successor; the text says what to do instead"`

	URL string `yaml:"url" doc:"where this change is described, if not at the url of the ruleset"`

	Kubernetes Lifecycle `yaml:"kubernetes" doc:"versions of Kubernetes in which the API changes its state"`

	Words Words `yaml:"words" doc:"abbreviations of a renamed kind, and Go types that begin with it, each with the new one; or surface: no Go names but those of the kind, its list and generated code, and no prose"`

	Set        string `yaml:"-"` // name of the ruleset
	Deprecated bool   `yaml:"-"` // the target version still serves the API
	single     bool   // the tree has a kind of its own that is named like the list of this one
}

// A KeyRule moves a label, annotation or finalizer key: an exact key, or a
// prefix ending in "/".
type KeyRule struct {
	From string `yaml:"from" doc:"the exact key, or a prefix ending in a slash"`
	To   string `yaml:"to" doc:"the new key or prefix"`
}

// A Keep names what stays, by spelling or by path, and why.
type Keep struct {
	Value string `yaml:"value" doc:"the exact spelling that is not changed"`
	Path  string `yaml:"path" doc:"a glob of files that are not changed; ** matches any number of folders"`
	Why   string `yaml:"why" doc:"the reason, shown under -v"`
}

// Heuristics lists those that are switched off with a ruleset.
type Heuristics struct {
	Off []string `yaml:"off" doc:"ids of the heuristics, as docs/migrate.md lists them"`
}

// A Module is a Go import path that belongs to the migration but is updated by
// hand, with a command.
type Module struct {
	From string `yaml:"from" doc:"Go import path or module path"`
	To   string `yaml:"to" doc:"the new path; empty when only the version changes"`
	Run  string `yaml:"run" doc:"the command that moves the pin in go.mod, such as go get example.com/new@v1.2.0; a pin of that version or a later one is not reported"`

	Set string `yaml:"-"` // name of the ruleset
}

// An Example is a file before and after. An empty Out means that nothing
// changes.
type Example struct {
	Name   string            `yaml:"name"`
	Path   string            `yaml:"path" doc:"file name, which decides the format"`
	In     string            `yaml:"in"`
	Out    string            `yaml:"out" doc:"the whole file after; empty if it does not change"`
	Mode   string            `yaml:"mode" doc:"replace (default) or dual"`
	Target string            `yaml:"target" doc:"as --target-version"`
	To     string            `yaml:"to" doc:"the path after; empty when the file keeps its name"`
	Finds  []string          `yaml:"finds" doc:"texts that the findings must contain"`
	Set    map[string]string `yaml:"set" doc:"values for require-input steps"`
}

const version = `v[1-9][0-9]*((alpha|beta|api)[1-9][0-9]*)?(preview)?`

var (
	kebab = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	// GroupName is what a group looks like.
	GroupName = lazyregexp.New(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	// keyName is a key of a label or annotation, or a prefix of one.
	keyName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]*)?$`)
	// APIVersion is what a version looks like: v1, v1beta2; of Azure's API also v1api20240301preview.
	APIVersion = lazyregexp.New(`^` + version + `$`)
	// kindName is what a kind looks like.
	kindName = lazyregexp.New(`^[A-Z][A-Za-z0-9]*$`)
	// ServedKind is what an API server takes for a kind.
	// Source: k8s.io/apiextensions-apiserver, ValidateCustomResourceDefinitionNames: a DNS-1035
	// label, in whatever case.
	ServedKind = lazyregexp.New(`^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
	// PluralName is what the name of a resource looks like.
	PluralName = lazyregexp.New(`^[a-z][a-z0-9-]*$`)
)

// Parse reads a ruleset strictly. Path is for errors, which carry line
// and column where the place is known.
func Parse(path string, data []byte) (*Ruleset, error) {
	r := &Ruleset{path: path, text: data}
	if err := strict.Decode(path, data, r); err != nil {
		return nil, err
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	for i := range r.Convert {
		c := &r.Convert[i]
		c.Set, c.Shown = r.Name, path
		at, to := GVKOf(c.From, c.Kind), GVKOf(c.To, c.Kind)
		leads := func(x Rule) bool {
			end := Complete(x.To, at)
			_, ok := fits(x.From, at)
			return ok && x.From.Group == at.Group && end.Group == to.Group && end.Version == to.Version
		}
		if !slices.ContainsFunc(r.Rules, leads) { // a conversion is a rule of its own
			r.Rules = append(r.Rules, Rule{ID: c.ID, From: at, To: to})
		}
	}
	for i := range r.Rules {
		r.Rules[i].Set = r.Name
	}
	return r, nil
}

// Is says whether a text is the one that the ruleset was read from.
func (r *Ruleset) Is(data []byte) bool { return bytes.Equal(data, r.text) }

// validate checks what the decoder cannot: required fields, spellings and
// references.
func (r *Ruleset) validate() error {
	switch {
	case r.Name == "":
		return hinted(r.fault("", "name is missing"), "name: example-dev-groups # at the top of the file")
	case !kebab.MatchString(r.Name):
		return r.fault("name:", "name %q: use lower-case letters, digits and hyphens, such as example-dev-groups", r.Name)
	}
	if err := checkVersion(r.Kubernetes); err != nil {
		return r.fault("kubernetes:", "kubernetes: %w", err)
	}
	if len(r.Rules) == 0 && len(r.Keys) == 0 && len(r.Convert) == 0 {
		return r.fault("", "the ruleset has no rules, keys or convert")
	}
	for _, part := range []func() error{r.validateRules, r.validateKeys, r.validateModules, r.validateRest} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// fault is an error at the first place of a text in the ruleset; an empty one has none.
func (r *Ruleset) fault(at, format string, args ...any) error {
	e := &source.Error{Path: r.path, Err: fmt.Errorf(format, args...)}
	if i := bytes.Index(r.text, []byte(at)); at != "" && i >= 0 {
		e.Pos = source.PositionAt(r.text, i)
	}
	return e
}

func (r *Ruleset) validateRules() error {
	seen := map[string]bool{}
	for _, rule := range r.Rules {
		if !kebab.MatchString(rule.ID) {
			return r.fault("rules:", "rule id %q: use lower-case letters, digits and hyphens, such as widget-group", rule.ID)
		}
		if seen[rule.ID] {
			return r.fault("id: "+rule.ID, "rule id %q is used twice", rule.ID)
		}
		seen[rule.ID] = true
		if err := rule.validate(); err != nil {
			return r.fault("id: "+rule.ID, "rule %s: %w", rule.ID, err)
		}
	}
	return nil
}

// maxKeys is far above what projects rename: each text is searched for each key.
const maxKeys = 1000

func (r *Ruleset) validateKeys() error {
	if len(r.Keys) > maxKeys {
		return hinted(r.fault("keys:", "%d keys, more than %d", len(r.Keys), maxKeys), `a prefix ends in "/" and matches every key that begins with it`)
	}
	for _, k := range r.Keys {
		if k.From == "" || k.To == "" {
			return r.fault("keys:", "a key needs from and to")
		}
		for _, name := range []string{k.From, k.To} {
			if !keyName.MatchString(name) {
				return hinted(r.fault(name, "key %q is no key of a label or annotation", name), `a prefix ends in "/" and matches every key that begins with it: `+strings.TrimRight(name, "*"))
			}
		}
		if strings.HasSuffix(k.From, "/") != strings.HasSuffix(k.To, "/") {
			return r.fault(k.From, "key %q: a prefix moves to a prefix, an exact key to an exact key", k.From)
		}
	}
	return nil
}

// validateRest validates what is beside the rules and keys.
func (r *Ruleset) validateRest() error {
	for _, kind := range r.Guard {
		if !slices.ContainsFunc(r.Rules, func(x Rule) bool { return x.From.Kind == kind || x.To.Kind == kind }) {
			return r.fault("guard:", "guard: no rule has the kind %s, old or new", kind)
		}
	}
	for _, k := range r.Keep {
		if (k.Value == "") == (k.Path == "") {
			return r.fault("keep:", "a keep entry has either value or path")
		}
	}
	for _, c := range r.Convert {
		if err := c.validate(); err != nil {
			return r.fault("id: "+c.ID, "convert %s: %w", c.ID, err)
		}
	}
	return nil
}

func (r *Ruleset) validateModules() error {
	for _, x := range r.Modules {
		if x.From == "" || x.To == "" && x.Run == "" {
			return r.fault("modules:", "a module needs from, and to or run")
		}
	}
	return nil
}

// hinted puts a hint to an error.
func hinted(err error, hint string) error {
	var e *source.Error
	if errors.As(err, &e) {
		e.Hint = hint
	}
	return err
}

// Gone says whether the API of a rule has no successor.
func (r Rule) Gone() bool { return r.Removed != "" }

func (r Rule) validate() error {
	if r.From.Group == "" {
		return errors.New("from.group is missing")
	}
	for _, side := range []struct {
		name string
		GVK
	}{{"from", r.From}, {"to", r.To}} {
		if group, version, ok := strings.Cut(side.Group, "/"); ok {
			return fmt.Errorf("%s.group %q has a version in it: write group: %s, version: %s", side.name, side.Group, group, version)
		}
		for _, x := range []struct {
			what, value, is string
			form            *lazyregexp.Regexp
		}{
			{"group", side.Group, "an API group: want a domain in lower case, such as old.example.com", GroupName},
			{"version", side.Version, "an API version: want one such as v1 or v1beta1", APIVersion},
			{"kind", side.Kind, "a kind: want one as in manifests, such as Widget", ServedKind},
			{"plural", side.Plural, "a resource name: want a plural in lower case, such as widgets", PluralName},
		} {
			if x.value != "" && !x.form.MatchString(x.value) {
				return fmt.Errorf("%s.%s %q is not %s", side.name, x.what, x.value, x.is)
			}
		}
	}
	switch {
	case !r.Gone() && r.To == (GVK{}):
		return errors.New("to is missing: {group: new.example.dev}, or removed: TEXT for an API without a successor")
	case r.Gone() && r.To != (GVK{}):
		return errors.New("has both to and removed: an API that is removed has no successor")
	}
	if err := r.Kubernetes.validate(); err != nil {
		return err
	}
	if err := r.Words.validate(r.From.Kind, r.To.Kind); err != nil {
		return err
	}
	return missing(r.To.Kind != "" && r.From.Kind == "", "to.kind needs from.kind")
}

// ExampleAt is where an example of the ruleset begins.
func (r *Ruleset) ExampleAt(i int) source.Position {
	var doc yaml.Node
	if yaml.Unmarshal(r.text, &doc) != nil || len(doc.Content) == 0 {
		return source.Position{}
	}
	list := strict.Value(doc.Content[0], "examples")
	if list == nil || i >= len(list.Content) {
		return source.Position{}
	}
	return source.Position{Line: list.Content[i].Line, Column: list.Content[i].Column}
}

// Path is where the ruleset was read.
func (r *Ruleset) Path() string { return r.path }

// Groups returns the groups that the ruleset looks for, sorted.
func (r *Ruleset) Groups() []string {
	var groups []string
	for _, rule := range r.Rules {
		groups = append(groups, rule.From.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// Inputs are the names of the values that the ruleset asks the user for.
func (r *Ruleset) Inputs() []string {
	var names []string
	for _, c := range r.Convert {
		for _, s := range c.Steps {
			if s.Name != "" {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// Describe says what a rule does.
func (r Rule) Describe() string {
	if r.Gone() {
		return fmt.Sprintf("%s is removed: %s", r.From, r.Removed)
	}
	return fmt.Sprintf("%s becomes %s", r.From, Complete(r.To, r.From))
}

// String spells a GVK as "group/version Kind", as much of it as there is.
func (g GVK) String() string {
	text := g.Group
	if g.Version != "" {
		text += "/" + g.Version
	}
	if g.Kind != "" {
		text += " " + g.Kind
	} else if g.Plural != "" {
		text += " " + g.Plural
	}
	return text
}
