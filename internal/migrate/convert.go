package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
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

	ruleset string
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
	Set    string `yaml:"set" doc:"writes value at this path, when nothing is there"`
	Wrap   string `yaml:"wrap" doc:"puts the value at this path under the key in to; with [*], into a list of one"`
	Map    string `yaml:"map-values" doc:"replaces the scalar at this path by its entry in values"`
	Input  string `yaml:"require-input" doc:"writes the value that --set gives for name at this path"`
	Tell   string `yaml:"tell" doc:"changes nothing: tells a person about this path, with the reason in why"`

	To     string            `yaml:"to" doc:"path or key that the verb needs"`
	Value  string            `yaml:"value" doc:"YAML in one line, for set"`
	Values map[string]string `yaml:"values" doc:"old and new scalars, for map-values; an empty new one takes the entry away"`
	Name   string            `yaml:"name" doc:"name of the input, for require-input"`
	When   *When             `yaml:"when" doc:"condition; without it the step is always done"`
	Why    string            `yaml:"why" doc:"the reason, for reports"`
	Run    string            `yaml:"run" doc:"the command that a person runs, for tell and report; {file} is the path of the file"`
	Report bool              `yaml:"report" doc:"tell a person, with the value"`
	Quote  bool              `yaml:"quote" doc:"write a moved scalar in double quotes"`
	Prune  bool              `yaml:"prune" doc:"after move or drop, also take away a parent that is empty then"`
}

// A When is a condition on the object.
type When struct {
	Path string   `yaml:"path" doc:"path of the object; with [*] the item that the step is at. Empty: the value of the step itself"`
	Is   string   `yaml:"is" doc:"present, missing, number, string (no template action), template, empty"`
	In   []string `yaml:"in" doc:"scalars, one of which it must be"`
	Not  []string `yaml:"not" doc:"scalars, none of which it may be"`
}

// verb returns the one verb of a step and its path.
func (s Step) verb() (name, path string, err error) {
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

var groupVersion = regexp.MustCompile(`^([a-z0-9.-]+/)?v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

func (c Conversion) validate() error {
	switch {
	case !kebab.MatchString(c.ID):
		return fmt.Errorf("id %q is not kebab-case", c.ID)
	case !kindName.MatchString(c.Kind):
		return fmt.Errorf("kind %q is not a kind", c.Kind)
	case !groupVersion.MatchString(c.From) || !groupVersion.MatchString(c.To):
		return fmt.Errorf("from %q and to %q must be group/version", c.From, c.To)
	}
	for i, s := range c.Steps {
		name, at, err := s.verb()
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if _, err := parsePath(at); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		switch {
		case slices.Contains([]string{"move", "copy", "rename", "wrap"}, name) && s.To == "":
			return fmt.Errorf("step %d: %s needs to", i+1, name)
		case name == "require-input" && s.Name == "":
			return fmt.Errorf("step %d: require-input needs name", i+1)
		case name == "tell" && s.Why == "":
			return fmt.Errorf("step %d: tell needs why", i+1)
		case name == "map-values" && len(s.Values) == 0:
			return fmt.Errorf("step %d: map-values needs values", i+1)
		}
		if s.When != nil && !slices.Contains([]string{"", "present", "missing", "number", "string", "template", "empty"}, s.When.Is) {
			return fmt.Errorf("step %d: when.is %q is none of present, missing, number, string, template, empty", i+1, s.When.Is)
		}
	}
	return nil
}

// parsePath cuts a path into keys; "[*]" is a key of its own.
func parsePath(text string) ([]string, error) {
	var keys []string
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "[*]"):
			keys, rest = append(keys, "[*]"), rest[3:]
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("path %q: a quote is not closed", text)
			}
			keys, rest = append(keys, rest[1:end+1]), rest[end+2:]
		case rest[0] == '.':
			rest = rest[1:]
		default:
			end := strings.IndexAny(rest, ".[\"")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("path %q is not a path", text)
			}
			keys, rest = append(keys, rest[:end]), rest[end:]
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("a path is empty")
	}
	return keys, nil
}

// A region is a span of a file in which objects stand as YAML or JSON text.
type region struct {
	span source.Span
	json bool
}

// regions are the places of a file where objects are converted as one text:
// whole YAML and JSON files. For documents inside of strings see embedded.go.
func regions(format string, data []byte) []region {
	switch format {
	case "yaml", "helm":
		return []region{{span: source.Span{End: len(data)}}}
	case "json":
		return []region{{span: source.Span{End: len(data)}, json: true}}
	}
	return nil
}

// A due is an object that a conversion applies to.
type due struct {
	conversion *Conversion
	path       []int // ordinals of the nodes from the top of the document
	at         int   // offset of its kind in the text before the renames
}

// conversions finds the objects of a text whose shape changes: those that are,
// or that a rule makes, the conversion's From.
func (r *rules) conversions(t *tree) []due {
	var list []due
	kept := choices(t.data)
	for i := range t.nodes {
		if t.keyText(int32(i)) != "kind" || t.nodes[i].style > double {
			continue
		}
		av := t.sibling(int32(i), "apiVersion")
		if av < 0 || t.nodes[av].style > double || within(kept, t.nodes[av].val.Start) {
			continue
		}
		if t.sibling(int32(i), "metadata") < 0 && t.sibling(int32(i), "spec") < 0 {
			continue // a reference to an object
		}
		site := gvkOf(t.text(av), t.text(int32(i)))
		for range 8 {
			c := r.conversionFrom(site)
			if c != nil {
				list = append(list, due{c, ordinals(t, t.nodes[i].parent), int(t.nodes[i].pos)})
				next := gvkOf(c.To, c.Kind)
				if v := r.rawStep(site); v.Group == next.Group && v.Version == next.Version {
					next.Kind = v.Kind // the kind has another name by now
				}
				site = next
				continue
			}
			v := r.rawStep(site)
			if v == (GVK{}) || v == site {
				break
			}
			site = v
		}
	}
	return list
}

func gvkOf(apiVersion, kind string) GVK {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return GVK{Version: group, Kind: kind}
	}
	return GVK{Group: group, Version: version, Kind: kind}
}

func (r *rules) conversionFrom(site GVK) *Conversion {
	for _, set := range r.sets {
		for i := range set.Convert {
			c := &set.Convert[i]
			if gvkOf(c.From, c.Kind) == site {
				c.ruleset = set.Name
				return c
			}
		}
	}
	return nil
}

// rawStep is one hop of the rules as they were written, before composition.
func (r *rules) rawStep(site GVK) GVK {
	best, score := GVK{}, -1
	for _, set := range r.sets {
		for _, rule := range set.Rules {
			if rule.From.Group != site.Group || rule.Removed != "" {
				continue
			}
			if s, ok := fits(rule.From, site); ok && s > score {
				to := complete(rule.To, site)
				to.Plural = ""
				if to != site {
					best, score = to, s
				}
			}
		}
	}
	return best
}

// ordinals is the way from the top of a document to a node, by position among
// its siblings. It stays true when spellings change.
func ordinals(t *tree, i int32) []int {
	var way []int
	for ; i >= 0; i = t.nodes[i].parent {
		n := 0
		for j := t.nodes[i].prev; j >= 0; j = t.nodes[j].prev {
			n++
		}
		way = append(way, n)
	}
	slices.Reverse(way)
	return way
}

// follow finds a node by its ordinals; -1 is the document itself, ok false a
// way that is not there.
func follow(t *tree, way []int) (int32, bool) {
	at := int32(-1)
	for _, n := range way {
		list := t.roots(at)
		if n >= len(list) {
			return -1, false
		}
		at = list[n]
	}
	return at, true
}

// roots are the children of a node, or the top nodes for -1.
func (t *tree) roots(i int32) []int32 {
	if i >= 0 {
		return t.children(i)
	}
	var list []int32
	if len(t.nodes) > 0 {
		for j := int32(0); j >= 0; j = t.nodes[j].next {
			list = append(list, j)
		}
	}
	return list
}

// convert converts the objects of a file. It returns the new text and what a
// person must know; fresh is the text after the renames, which begins its
// lines where the old text does.
func (m *Migration) convert(format string, old, fresh []byte) ([]byte, []Site) {
	if !m.rules.converts {
		return fresh, nil
	}
	var notes []Site
	before, after := regions(format, old), regions(format, fresh)
	if len(before) != len(after) {
		return fresh, nil
	}
	for k := len(before) - 1; k >= 0; k-- {
		for _, doc := range slices.Backward(documents(old, before[k])) {
			t := scanRegion(old, doc, before[k].json)
			list := m.rules.conversions(t)
			// the innermost objects first: a step on the outer one may move them
			slices.SortStableFunc(list, func(a, b due) int { return len(b.path) - len(a.path) })
			for _, d := range list {
				c := converter{m: m, due: d, json: before[k].json, region: k, format: format, text: fresh,
					ordinal: slices.Index(documents(old, before[k]), doc)}
				fresh = c.run()
				for _, n := range c.notes {
					n.Span = source.Span{Start: d.at, End: d.at}
					notes = append(notes, n)
				}
			}
		}
	}
	if len(notes) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		fresh = bytes.TrimSuffix(fresh, []byte("\n"))
	}
	return sameLineEnds(old, fresh), notes
}

// sameLineEnds ends the lines that were added as all the others end.
func sameLineEnds(old, fresh []byte) []byte {
	all := bytes.Count(old, []byte("\n"))
	if crlf := bytes.Count(old, []byte("\r\n")); crlf == 0 || crlf < all || bytes.Count(fresh, []byte("\r\n")) == bytes.Count(fresh, []byte("\n")) {
		return fresh
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(fresh, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

// documents are the spans of the documents of a region.
func documents(data []byte, r region) []source.Span {
	if r.json {
		return []source.Span{r.span}
	}
	var list []source.Span
	for at := r.span.Start; at < r.span.End; {
		_, to := document(data[:r.span.End], at)
		list = append(list, source.Span{Start: at, End: to})
		at = to
	}
	return list
}

func scanRegion(data []byte, s source.Span, json bool) *tree {
	if json {
		return scanJSON(data[:s.End], false)
	}
	return scanYAML(data[:s.End], s.Start, s.End, hasTemplate(s.Of(data)))
}
