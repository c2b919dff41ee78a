package author

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Options say which ruleset is drafted.
type Options struct {
	From, To string            // groups
	Kinds    map[string]string // kinds that are renamed, old to new
}

// Check refuses what is no group or kind.
func (o Options) Check() error {
	if !groupName.MatchString(o.From) || !groupName.MatchString(o.To) || o.From == o.To {
		return errors.New("--from and --to are two groups, such as old.example.com and example.dev")
	}
	for old, renamed := range o.Kinds {
		if !kindName.MatchString(old) || !kindName.MatchString(renamed) {
			return fmt.Errorf("--kind %s=%s: a kind is a word such as Widget", old, renamed)
		}
	}
	return nil
}

// HasExamples says whether a drafted ruleset has examples.
func HasExamples(text string) bool { return strings.Contains(text, examplesHead) }

// Draft is the text of a ruleset for one group, made from the repository in the
// working directory, which root is the folder of.
func Draft(ctx context.Context, root *source.Root, o Options, p Progress) (string, error) {
	bare, err := o.compile(o.header(nil))
	if err != nil {
		return "", err
	}
	plan, err := planOf(ctx, bare)
	if err != nil {
		return "", err
	}
	kinds := o.seenKinds(root, plan)
	for _, kind := range slices.Sorted(maps.Keys(o.Kinds)) {
		if _, seen := kinds[kind]; !seen {
			o.unseen(p, kind, slices.Sorted(maps.Keys(kinds)))
		}
	}
	text := o.header(kinds)
	m, err := o.compile(text)
	if err != nil {
		return "", err
	}
	if plan, err = planOf(ctx, m); err != nil {
		return "", err
	}
	s := plan.Summary()
	p.Note("%s: %s, %s in %s", o.From, plural(len(kinds), "kind"), plural(s.Changes, "place"), plural(s.Files, "file"))
	examples := o.examples(root, plan, m, text)
	switch {
	case s.Changes+s.Person == 0:
		p.Note("nothing here is of that group: the ruleset has no examples yet")
	case examples == "":
		p.Note("nothing here is short enough to be an example: the ruleset has none yet")
	}
	return text + o.decisions(root, plan) + examples, nil
}

// unseen says that nothing here is of a kind that is renamed.
func (o Options) unseen(p Progress, kind string, kinds []string) {
	p.Note("warning: --kind %s=%s: nothing here names a kind %s of %s", kind, o.Kinds[kind], kind, o.From)
	switch near := spelling.Nearest(kind, kinds); {
	case near != "":
		p.Note("hint: did you mean %q?", near)
	case len(kinds) > 0:
		p.Note("hint: the kinds of %s here are %s", o.From, strings.Join(kinds, ", "))
	default:
		p.Note("hint: run it in the repository that has its definition, or take the rule out")
	}
}

func (o Options) compile(text string) (*migrate.Migration, error) {
	r, err := migrate.ParseRuleset("rules.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{r}})
}

// header is the ruleset with its rules alone.
func (o Options) header(kinds map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ndoc: The APIs of %s move to %s.\n", strings.ReplaceAll(o.To, ".", "-"), o.From, o.To)
	fmt.Fprintf(&b, "# url: where the move is decided or described\nrules:\n  - id: group # whatever is not said of a kind below\n    from: {group: %s}\n    to: {group: %s}\n", o.From, o.To)
	all := maps.Clone(kinds)
	if all == nil {
		all = map[string]string{}
	}
	for old := range o.Kinds {
		if _, ok := all[old]; !ok {
			all[old] = ""
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		from, to := kindOfRule(o.From, kind, all[kind]), kindOfRule(o.To, kind, all[kind])
		if renamed := o.Kinds[kind]; renamed != "" {
			to = kindOfRule(o.To, renamed, strings.ToLower(renamed)+"s")
		}
		fmt.Fprintf(&b, "  - id: %s\n    from: {%s}\n    to: {%s}\n", strings.ToLower(kind), from, to)
	}
	return b.String()
}

func kindOfRule(group, kind, plural string) string {
	text := fmt.Sprintf("group: %s, kind: %s", group, kind)
	if plural != "" {
		text += ", plural: " + plural
	}
	return text
}

// seenKinds are the kinds of the group with their plurals, as definitions and
// manifests have them; a plural is empty where no definition says it.
func (o Options) seenKinds(root *source.Root, plan *migrate.Plan) map[string]string {
	kinds := map[string]string{}
	for _, f := range plan.Files {
		data, err := root.ReadFile(f.Path)
		if err != nil {
			continue
		}
		if f.Format != "yaml" {
			kindsBeside(kinds, f, data)
			continue
		}
		for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
			var doc struct {
				APIVersion string `yaml:"apiVersion"`
				Kind       string `yaml:"kind"`
				Spec       struct {
					Group string                        `yaml:"group"`
					Names struct{ Kind, Plural string } `yaml:"names"`
				} `yaml:"spec"`
			}
			if dec.Decode(&doc) != nil {
				break
			}
			if strings.HasPrefix(doc.APIVersion, o.From+"/") && kindName.MatchString(doc.Kind) && kinds[doc.Kind] == "" {
				kinds[doc.Kind] = ""
			}
			if n := doc.Spec.Names; doc.Kind == "CustomResourceDefinition" && doc.Spec.Group == o.From && kindName.MatchString(n.Kind) && pluralName.MatchString(n.Plural) {
				kinds[n.Kind] = n.Plural
			}
		}
	}
	return kinds
}

// kindBeside is a kind that a line names as one: kind: Gadget, Kind = "Gadget".
var kindBeside = lazyregexp.New(`\b[kK]ind["'\x60]?\)?\s*(?:[:=]+>?|\()\s*["'\x60]?([A-Z][A-Za-z0-9]*)["'\x60]?(?:[\s,;)}\]]|$)`)

// kindsBeside notes the kinds on the lines of the places that move, where each
// has one.
func kindsBeside(kinds map[string]string, f *migrate.File, data []byte) {
	for _, s := range f.Sites {
		if s.Action() != migrate.Change {
			continue
		}
		if all := kindBeside.FindAllSubmatch(lineAt(data, s.Start), -1); len(all) == 1 {
			kind := string(all[0][1])
			kinds[kind] = cmp.Or(kinds[kind], "")
		}
	}
}

// stays are the roles of names that are made of a group and may be a contract.
var stays = []migrate.Role{roleKey, "domain", "literal", "webhook-name"}

// Two roles of migrate.RoleRules.
const (
	roleKey    migrate.Role = "key"
	roleMarker migrate.Role = "marker"
)

var plainName = lazyregexp.New(`^[A-Za-z0-9./_-]+$`)

// lockLine is a line that names a lock: who changes it has two leaders while
// the old and the new version run.
var lockLine = lazyregexp.New(`(?i)leader[-_ ]?elect|leaderelection|resource[-_]?lock|lock[-_]?name|\blease`)

// proposals are entries of a list of the ruleset, by name, with where each was
// seen first. They are comments: a person decides.
type proposals map[string]string

func (p proposals) add(name, what, file string, line int) {
	if p[name] == "" {
		p[name] = fmt.Sprintf("%s, %s:%d", what, oneLine(file), line)
	}
}

// decisions lists, as comments, the names that a person decides on: keys and
// finalizers, which stay unless an entry of keys moves them, and locks and other names made
// of the group, which keep holds where they are.
func (o Options) decisions(root *source.Root, plan *migrate.Plan) string {
	keys, keep := proposals{}, proposals{}
	for _, f := range plan.Files {
		data, err := root.ReadFile(f.Path)
		if err != nil {
			continue // a new name of a file
		}
		for _, s := range f.Sites {
			if !strings.Contains(s.Old, o.From) || !plainName.MatchString(s.Old) {
				continue
			}
			lock := lockLine.Match(lineAt(data, s.Start))
			switch {
			case lock && s.Role != roleMarker:
				keep.add(s.Old, "a lock", f.Path, s.Pos.Line)
			case s.Action() != migrate.Stay || !slices.Contains(stays, s.Role):
			case s.Role != roleKey:
				keep.add(s.Old, "stays already", f.Path, s.Pos.Line)
			case strings.Contains(s.Why, "finalizer"):
				keys.add(s.Old, "a finalizer", f.Path, s.Pos.Line)
			default:
				keys.add(s.Old, "a key", f.Path, s.Pos.Line)
			}
		}
	}
	for name := range keep {
		delete(keys, name) // a lock that is a key elsewhere
	}
	var b strings.Builder
	if len(keys) > 0 {
		b.WriteString("# These stay. What nobody relies on moves by an entry of keys.\n# keys:\n")
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			fmt.Fprintf(&b, "#   - {from: %s, to: %s} # %s\n", name, strings.ReplaceAll(name, o.From, o.To), keys[name])
		}
	}
	if len(keep) > 0 {
		b.WriteString("# What running clusters know by its old name is held by an entry of keep.\n# keep:\n")
		for _, name := range slices.Sorted(maps.Keys(keep)) {
			fmt.Fprintf(&b, "#   - {value: %s, why: ...} # %s\n", name, keep[name])
		}
	}
	return b.String()
}

// lineAt is the line of a text that a byte stands in.
func lineAt(data []byte, at int) []byte {
	if at < 0 || at > len(data) {
		return nil
	}
	line := data[bytes.LastIndexByte(data[:at], '\n')+1:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return line
}

// examplesHead begins the examples of a new ruleset.
const examplesHead = "examples: # cut from this repository; cfctl migrate rules test runs them\n"

// examples are manifests of the tree that change or, where there are none, pieces
// of other files.
func (o Options) examples(root *source.Root, plan *migrate.Plan, m *migrate.Migration, rules string) string {
	out := o.examplesOf(root, plan, m, rules, true)
	if out == "" {
		out = o.examplesOf(root, plan, m, rules, false)
	}
	if out == "" {
		return ""
	}
	return examplesHead + out
}

// examplesOf are at most two pieces that change, with what they become; each is
// held to before it is written.
func (o Options) examplesOf(root *source.Root, plan *migrate.Plan, m *migrate.Migration, rules string, manifests bool) string {
	var out string
	n := 0
	for _, f := range plan.Files {
		data, err := root.ReadFile(f.Path)
		if err != nil || n == 2 || (f.Format == "yaml") != manifests {
			continue
		}
		text := o.example(m, f, data)
		if text == "" {
			continue
		}
		r, err := migrate.ParseRuleset("rules.yaml", []byte(rules+"examples:\n"+out+text))
		if err != nil {
			continue
		}
		if failed, err := migrate.Examples(r); err == nil && len(failed) == 0 {
			out += text
			n++
		}
	}
	return out
}

// maxExample is the most lines that a document may have to be an example.
const maxExample = 40

func (o Options) example(m *migrate.Migration, f *migrate.File, data []byte) string {
	for _, doc := range pieces(f, data) {
		doc = strings.TrimRight(strings.TrimPrefix(doc, "\n"), "\n") + "\n"
		if !strings.Contains(doc, o.From) || strings.Count(doc, "\n") > maxExample || strings.HasPrefix(doc, " ") || strings.HasPrefix(doc, "\t") || strings.Contains(doc, "\r") {
			continue
		}
		after, to, _, err := m.Once(f.Path, []byte(doc))
		if err != nil || to != f.Path || string(after) == doc {
			continue
		}
		return fmt.Sprintf("  - name: %[1]s\n    path: %[1]s\n    in: |\n%[2]s    out: |\n%[3]s", strict.Quoted(f.Path), indented(doc), indented(string(after)))
	}
	return ""
}

// pieces are what an example may be cut from: the documents of a manifest, any
// other file, and its lines that change.
func pieces(f *migrate.File, data []byte) []string {
	if f.Format == "yaml" {
		return strings.Split("\n"+string(data), "\n---\n")
	}
	list := []string{string(data)}
	for _, s := range f.Sites {
		if s.Action() == migrate.Change {
			list = append(list, strings.TrimSpace(string(lineAt(data, s.Start))))
		}
	}
	return list
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("      ")
		}
		b.WriteString(line)
	}
	return b.String()
}
