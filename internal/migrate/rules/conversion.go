package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A Conversion changes the shape of a kind between two versions. It runs on
// the text after the renames: a moved block keeps its comments and is
// re-indented as a block.
type Conversion struct {
	ID    string `yaml:"id" doc:"kebab-case, unique in the ruleset"`
	Doc   string `yaml:"doc" doc:"one sentence for people"`
	Kind  string `yaml:"kind" doc:"the kind whose shape changes"`
	From  string `yaml:"from" doc:"group/version before"`
	To    string `yaml:"to" doc:"group/version after"`
	Steps []Step `yaml:"steps" doc:"done one after the other; each has exactly one verb"`

	Set string `yaml:"-"` // name of the ruleset
	// Shown is how a command names the ruleset: a built-in by its name, any other by its file
	// or address.
	Shown string `yaml:"-"`
}

// A Step is one change of shape. Paths are keys with dots, [*] for every item
// of a list and quotes around a key with dots: spec.components[*].template,
// metadata.annotations."example.com/key". A path that is not there makes the
// step do nothing. A move or copy whose target has more [*] than its path goes
// to every item there.
type Step struct {
	Move   string `yaml:"move" doc:"takes the entry at this path away, to the path in to"`
	Copy   string `yaml:"copy" doc:"copies the entry at this path to the path in to, when that is not there"`
	Rename string `yaml:"rename" doc:"gives the entry at this path the key in to"`
	Drop   string `yaml:"drop" doc:"takes the entry at this path away"`
	Set    string `yaml:"set" doc:"writes value at this path, if it has none"`
	Wrap   string `yaml:"wrap" doc:"puts the value at this path under the key in to; with [*] in to, into a list of one. An item of a list has to be a scalar"`
	Map    string `yaml:"map-values" doc:"replaces the scalar at this path by its entry in values"`
	Input  string `yaml:"require-input" doc:"writes the value that --set gives for name at this path"`
	Tell   string `yaml:"tell" doc:"changes nothing: reports this path for review, with the reason in why"`

	To     string            `yaml:"to" doc:"path or key that the verb needs"`
	Value  string            `yaml:"value" doc:"YAML in one line, for set"`
	Values map[string]string `yaml:"values" doc:"old and new scalars, for map-values; an empty new one takes the entry away"`
	Name   string            `yaml:"name" doc:"name of the input, for require-input"`
	When   *When             `yaml:"when" doc:"condition; without it the step is always done"`
	Why    string            `yaml:"why" doc:"the reason, for reports"`
	Run    string            `yaml:"run" doc:"the command to run, for tell and report; {file} is the path of the file"`
	Report bool              `yaml:"report" doc:"report the value for review"`
	Quote  bool              `yaml:"quote" doc:"write a moved scalar in double quotes"`
	Prune  bool              `yaml:"prune" doc:"after move or drop, also take away a parent that is empty then"`
}

// A When is a condition on the object.
type When struct {
	Path string   `yaml:"path" doc:"path of the object; with [*] the item that the step is at. Empty: the value of the step itself"`
	Is   string   `yaml:"is" doc:"present, missing, number, string (no template action), template, empty"`
	In   []string `yaml:"in" doc:"scalars, one of which it must be"`
	Not  []string `yaml:"not" doc:"scalars that it must not be"`
}

// Gone are the keys that no object of the new shape has, of the entries that the steps take away.
func (c Conversion) Gone() []string {
	var gone, stay []string
	for _, s := range c.Steps {
		name, at, err := s.Verb()
		keys, notPath := ParsePath(at)
		if err != nil || notPath != nil {
			continue
		}
		if name == "move" || name == "rename" || name == "drop" {
			gone, keys = append(gone, keys[len(keys)-1]), keys[:len(keys)-1]
		}
		to, _ := ParsePath(s.To) // none where it is empty
		stay = slices.Concat(stay, keys, to)
	}
	return slices.DeleteFunc(gone, func(key string) bool { return slices.Contains(stay, key) })
}

// Verb returns the one verb of a step and its path.
func (s Step) Verb() (name, path string, err error) {
	for _, v := range []struct{ name, path string }{
		{"move", s.Move}, {"copy", s.Copy}, {"rename", s.Rename}, {"drop", s.Drop},
		{"set", s.Set}, {"wrap", s.Wrap}, {"map-values", s.Map}, {"require-input", s.Input}, {"tell", s.Tell},
	} {
		if v.path == "" {
			continue
		}
		if name != "" {
			return "", "", fmt.Errorf("a step has one verb, not %s and %s", name, v.name)
		}
		name, path = v.name, v.path
	}
	if name == "" {
		return "", "", errors.New("a step needs a verb: move, copy, rename, drop, set, wrap, map-values, require-input or tell")
	}
	return name, path, nil
}

var groupVersion = lazyregexp.New(`^([a-z0-9.-]+/)?` + version + `$`)

func (c Conversion) validate() error {
	switch {
	case !kebab.MatchString(c.ID):
		return fmt.Errorf("id %q is not kebab-case", c.ID)
	case !ServedKind.MatchString(c.Kind):
		return fmt.Errorf("kind %q is not a kind", c.Kind)
	case !groupVersion.MatchString(c.From) || !groupVersion.MatchString(c.To):
		return fmt.Errorf("from %q and to %q must be group/version", c.From, c.To)
	}
	for i, s := range c.Steps {
		if err := s.validate(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// validate refuses a step that can never do what it says.
func (s Step) validate() error {
	name, at, err := s.Verb()
	if err != nil {
		return err
	}
	keys, err := ParsePath(at)
	if err != nil {
		return err
	}
	if keys[len(keys)-1] == "[*]" && (slices.Contains([]string{"rename", "set", "require-input"}, name) || name == "wrap" && s.To == "[*]") {
		return fmt.Errorf("%s needs a path that ends in a key, which %q does not", name, at)
	}
	if needs := needs[name]; needs != nil {
		if err := needs(s); err != nil {
			return err
		}
	}
	if s.When != nil {
		return s.When.validate(keys)
	}
	return nil
}

// needs are what steps need beside their path, by their verbs.
var needs = map[string]func(s Step) error{
	"move": toPath, "copy": toPath, "rename": toKey, "wrap": toKey,
	"set": func(s Step) error {
		return missing(s.Value == "" || strings.Contains(s.Value, "\n"), "set needs value: YAML in one line")
	},
	"require-input": func(s Step) error { return missing(s.Name == "", "require-input needs name") },
	"tell":          func(s Step) error { return missing(s.Why == "", "tell needs why") },
	"map-values":    func(s Step) error { return missing(len(s.Values) == 0, "map-values needs values") },
}

// missing is an error where something is.
func missing(is bool, why string) error {
	if is {
		return errors.New(why)
	}
	return nil
}

func toPath(s Step) error {
	if _, err := ParsePath(s.To); err != nil {
		return fmt.Errorf("to: %w", err)
	}
	return nil
}

func toKey(s Step) error {
	name, _, err := s.Verb()
	if err != nil {
		return err
	}
	if to, err := ParsePath(s.To); err != nil || len(to) != 1 || name == "rename" && to[0] == "[*]" {
		return fmt.Errorf("%s needs to: one key, which %q is not", name, s.To)
	}
	return nil
}

// conditions are what a When may ask.
var conditions = []string{"", "present", "missing", "number", "string", "template", "empty"}

// validate refuses a condition that no object meets. Keys are the path of its
// step, of which each [*] is one item.
func (w When) validate(keys []string) error {
	if !slices.Contains(conditions, w.Is) {
		return fmt.Errorf("when.is %q is none of %s", w.Is, strings.Join(conditions[1:], ", "))
	}
	if w.Path == "" {
		return nil
	}
	path, err := ParsePath(w.Path)
	if err != nil {
		return fmt.Errorf("when: %w", err)
	}
	if wildcards(path) > wildcards(keys) {
		return fmt.Errorf("when: path %q has more [*] than the step, which is at one item", w.Path)
	}
	return nil
}

func wildcards(keys []string) int {
	n := 0
	for _, k := range keys {
		if k == "[*]" {
			n++
		}
	}
	return n
}

// GVKOf is what an apiVersion and a kind name.
func GVKOf(apiVersion, kind string) GVK {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return GVK{Version: group, Kind: kind}
	}
	return GVK{Group: group, Version: version, Kind: kind}
}
