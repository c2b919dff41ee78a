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

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Options say which ruleset is drafted.
type Options struct {
	From, To string            // groups; To may be empty when only kinds or versions change
	Kinds    map[string]string // kinds that are renamed, old to new
	Versions map[string]string // versions that are stepped, old to new; with Kinds, of these kinds alone
}

// complete fills in the group that kinds and versions stay in.
func (o Options) complete() Options {
	if len(o.Kinds)+len(o.Versions) > 0 {
		o.To = cmp.Or(o.To, o.From)
	}
	return o
}

// split says that a kind goes to another group with the name that it has: what is not
// named stays in the old group.
func (o Options) split() bool {
	for old, kind := range o.Kinds {
		if old == kind {
			return o.From != o.To
		}
	}
	return false
}

// Check refuses what is no group, kind or version.
func (o Options) Check() error {
	o = o.complete()
	for _, group := range []string{o.From, o.To} {
		if group != "" && !isGroup(group) {
			return source.Hinted(fmt.Errorf("%q is not the name of an API group", group), "a group is a domain name in lower case, such as example.dev; for apps, batch and others of Kubernetes: --ruleset kubernetes-removed")
		}
	}
	switch {
	case o.From == "" && o.To == "" && len(o.Kinds)+len(o.Versions) > 0:
		return source.Hinted(errors.New("--from is needed: the API group of the kinds or versions"), "cfctl init prints the API groups of a repository")
	case o.From != "" && o.To == "":
		return source.Hinted(fmt.Errorf("--to, --kind or --version is needed: what is renamed of %s", o.From),
			fmt.Sprintf("cfctl migrate rules new --from %s --to example.dev rules.yaml, or --kind Gadget=Tool, --version v1alpha1=v1 within the group", o.From))
	case !isGroup(o.From) || !isGroup(o.To):
		return source.Hinted(errors.New("--from and --to are needed: the API group that is renamed, and its new name"),
			"cfctl migrate rules new --from old.example.com --to example.dev rules.yaml")
	case o.From == o.To && len(o.Kinds) == 0 && len(o.Versions) == 0:
		return source.Hinted(fmt.Errorf("--from and --to are both %s: within one group, --kind or --version says what is renamed", o.From),
			fmt.Sprintf("cfctl migrate rules new --from %s --kind Gadget=Tool --version v1alpha1=v1", o.From))
	}
	for _, old := range slices.Sorted(maps.Keys(o.Kinds)) {
		renamed := o.Kinds[old] // in lower case only where the old one is: postgresql
		if !rules.ServedKind.MatchString(old) || !rules.ServedKind.MatchString(renamed) || old[0] < 'a' && renamed[0] >= 'a' {
			return fmt.Errorf("--kind %s=%s: a kind is a word such as Widget", old, renamed)
		}
	}
	for _, old := range slices.Sorted(maps.Keys(o.Versions)) {
		if !rules.APIVersion.MatchString(old) || !rules.APIVersion.MatchString(o.Versions[old]) || old == o.Versions[old] {
			return fmt.Errorf("--version %s=%s: want two versions such as v1alpha1=v1", old, o.Versions[old])
		}
	}
	return nil
}

// A Ruleset is one that was drafted.
type Ruleset struct {
	Text     string
	Examples bool // it has some
}

// Draft makes a ruleset from the repository in the working directory, which root
// is the folder of. A group to which nothing there refers is an error.
func Draft(ctx context.Context, root *source.Root, o Options, p report.Progress) (*Ruleset, error) {
	p.Status("reading the API groups of this repository")
	v, err := takeInventory(ctx, slices.Collect(maps.Keys(o.Kinds))...)
	if err != nil {
		return nil, err
	}
	o = o.complete()
	d := &draft{Options: o, root: root, inventory: v, groups: []string{o.From}}
	// A group that leaves the domain of others for one of its own does not take them along:
	// nodemaintenance.kubevirt.io, triggers.tekton.dev.
	if o.From != o.To && !o.split() && !strings.HasSuffix(o.To, "."+o.From) {
		more := v.below(o.From)
		if own := v.defined(more); len(v.defined(d.groups)) > 0 && len(own) < len(more) {
			p.Note("hint: not renamed: %s: no CRD here defines their kinds", strings.Join(slices.DeleteFunc(more, func(g string) bool { return slices.Contains(own, g) }), ", "))
			more = own
		}
		d.groups = append(d.groups, more...)
	}
	p.Status("looking for %s", o.From)
	plan, _, err := d.plan(ctx, nil)
	if err != nil {
		return nil, err
	}
	if s := plan.Summary(); s.Changes+s.Review+s.Renames == 0 {
		return nil, d.absent()
	}
	kinds := map[string]map[string]string{}
	for _, group := range d.groups {
		kinds[group] = d.seenKinds(plan, group)
	}
	d.warnings(p, kinds[o.From])
	d.others(p, kinds[o.From])
	plan, m, err := d.plan(ctx, kinds)
	if err != nil {
		return nil, err
	}
	s := plan.Summary()
	if s.Changes+s.Review == 0 || s.Changes == 0 && len(o.Kinds) > 0 {
		return nil, d.absent()
	}
	n := 0
	for _, group := range d.groups {
		n += len(kinds[group])
		if group != o.From {
			p.Note("also renames the API group %s to %s", group, d.renamed(group))
		}
	}
	if n == 0 && v.groups[o.From] == nil {
		p.Note("warning: no CRD, object or Go constant here is of the API group %s, which may be a domain alone", o.From)
	}
	if o.split() || o.From == o.To && len(o.Kinds) > 0 {
		n = len(o.Kinds)
	}
	p.Note("%s: %s, %s in %s", strings.Join(d.groups, ", "), report.Plural(n, "kind"), report.Plural(s.Changes, "reference"), report.Plural(s.Files, "file"))
	body := d.rules(kinds)
	examples := d.examples(plan, m, body, slices.Sorted(maps.Keys(kinds[o.From])))
	if examples == "" {
		p.Note("the ruleset has no examples: no file here is short enough to be one")
	}
	return &Ruleset{Text: body + d.decisions(plan) + examples, Examples: examples != ""}, nil
}

// A draft is a ruleset that is being made.
type draft struct {
	Options
	root      *source.Root
	inventory *inventory
	groups    []string // From, and the longer ones that are renamed with it
}

// warnings say which of the kinds that are renamed nothing here names, and which
// new names are taken.
func (d *draft) warnings(p report.Progress, kinds map[string]string) {
	known := slices.Sorted(maps.Keys(kinds))
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		if _, seen := kinds[kind]; !seen && !d.inventory.declared(kind) {
			p.Note("warning: --kind %s=%s: no CRD, object or Go type here is of kind %s of %s", kind, d.Kinds[kind], kind, d.From)
			if hint := meant(kind, known, "the kinds of "+d.From+" here are "); hint != "" {
				p.Note("hint: %s", hint)
			}
		}
		if at := d.inventory.taken(kind, d.Kinds[kind]); at != "" && kind != d.Kinds[kind] {
			p.Note("warning: --kind %s=%s: the Go package of %s already has a type %s (%s); rename that type first", kind, d.Kinds[kind], kind, d.Kinds[kind], at)
		}
	}
}

// others says what the ruleset may have too much or too little: kinds that another project
// defines, and longer groups beside one of which a version changes.
func (d *draft) others(p report.Progress, kinds map[string]string) {
	if len(d.Kinds) > 0 {
		return
	}
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(kind string) bool { return kinds[kind] != "" })
	if d.From != d.To && len(rest) > 0 && len(rest) < len(kinds) {
		p.Note("hint: no CRD here defines %s, renamed with the group; if another project owns it, write group: %s in to of its rule", some(rest), d.From)
	}
	if more := d.inventory.below(d.From); d.From == d.To && len(more) > 0 {
		p.Note("hint: other groups here are %s: run this command for each whose version changes", strings.Join(more, ", "))
	}
}

// plan compiles the rules for these kinds, and applies them to the references of the tree. What
// becomes of Go code takes much longer and is asked where nothing refers to them: a type without a CRD.
func (d *draft) plan(ctx context.Context, kinds map[string]map[string]string) (plan *migrate.Plan, m *migrate.Migration, err error) {
	r, err := migrate.ParseRuleset("rules.yaml", []byte(d.rules(kinds)))
	if err != nil {
		return nil, nil, err
	}
	for _, references := range []bool{true, false} {
		if m, err = migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{r}, References: references}); err != nil {
			return nil, nil, err
		}
		if plan, err = planOf(ctx, m); err != nil || plan.Summary().Changes > 0 {
			break
		}
	}
	return plan, m, err
}

// renamed is the new name of one of the groups. A generator with a wrong domain makes
// example.com.example.com.
func (d *draft) renamed(group string) string {
	if group == d.From {
		return d.To
	}
	if first, ok := strings.CutSuffix(group, "."+d.From); ok {
		return d.renamed(first) + "." + d.To
	}
	return group
}

// rules is the ruleset without its examples, for kinds with their plurals, by group.
func (d *draft) rules(kinds map[string]map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ndoc: %s\n# url: where the change is decided or described\nrules:\n", d.name(), d.doc())
	ids := map[string]bool{}
	for i, group := range d.groups {
		w := ruleWriter{b: &b, ids: ids, from: group, to: d.renamed(group)}
		if i > 0 { // the ids are those of the shorter group, with the label that it lacks
			w.prefix = strings.ReplaceAll(strings.TrimSuffix(group, "."+d.From), ".", "-") + "-"
		}
		if group != w.to && !d.split() {
			w.rule("group", "", "", "", "", "all other kinds of the group")
		}
		d.kindRules(w, kinds[group], i == 0)
	}
	return b.String()
}

// kindRules writes the rules for kinds and versions of one group; the kinds that
// are renamed are those of the first one.
func (d *draft) kindRules(w ruleWriter, seen map[string]string, first bool) {
	all := maps.Clone(seen)
	if w.from == w.to || d.split() || all == nil {
		all = map[string]string{}
	}
	if first {
		for old := range d.Kinds {
			all[old] = seen[old]
		}
	}
	if first && len(d.Kinds) == 0 {
		for _, old := range slices.Sorted(maps.Keys(d.Versions)) {
			w.rule(old, old, d.Versions[old], "", "", "")
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		from, to, id := kindOf(kind, all[kind]), kindOf(kind, all[kind]), strings.ToLower(kind)
		renamed, asked := d.Kinds[kind]
		if asked && first && renamed != kind {
			plural := kindwords.PluralOf("", renamed)
			if all[kind] == strings.ToLower(kind) && strings.HasSuffix(kind, "s") && strings.HasSuffix(renamed, "s") { // as WidgetDefaults
				plural = strings.ToLower(renamed)
			}
			to = kindOf(renamed, plural)
		}
		if first && (asked || len(d.Kinds) == 0) {
			for _, old := range slices.Sorted(maps.Keys(d.Versions)) {
				w.rule(id+"-"+old, old, d.Versions[old], from, to, "")
			}
		}
		if w.from != w.to || from != to {
			w.rule(id, "", "", from, to, "")
			if short := d.inventory.short[kind]; short != nil && renamed != kind {
				w.proposeWords(kind, renamed, short)
			}
		}
	}
}

// A ruleWriter writes the rules of one group.
type ruleWriter struct {
	b        *strings.Builder
	ids      map[string]bool // that are used; EKSCluster and EksCluster would have one
	prefix   string          // of ids
	from, to string
}

// rule writes one rule. Kinds are "kind: K, plural: P"; what is empty is left out.
func (w ruleWriter) rule(id, oldVersion, newVersion, oldKind, newKind, comment string) {
	side := func(group, version, kind string) string {
		of := "group: " + group
		if version != "" {
			of += ", version: " + version
		}
		if kind != "" {
			of += ", " + kind
		}
		return of
	}
	if comment != "" {
		comment = " # " + comment
	}
	for id = w.prefix + id; w.ids[id]; {
		id += "-2"
	}
	w.ids[id] = true
	fmt.Fprintf(w.b, "  - id: %s%s\n    from: {%s}\n    to: {%s}\n", id, comment, side(w.from, oldVersion, oldKind), side(w.to, newVersion, newKind))
}

// kindOf is a kind as a rule names it.
func kindOf(kind, plural string) string {
	if plural == "" {
		return "kind: " + kind
	}
	return "kind: " + kind + ", plural: " + plural
}

// name is what the ruleset is called: the new group, with what is new in it.
func (d *draft) name() string {
	name := strings.ReplaceAll(d.To, ".", "-")
	if d.From == d.To {
		for _, kind := range slices.Sorted(maps.Values(d.Kinds)) {
			name += "-" + strings.ToLower(kind)
		}
		for _, version := range slices.Sorted(maps.Values(d.Versions)) {
			name += "-" + version
		}
	}
	return name
}

// doc is the sentence that describes the ruleset.
func (d *draft) doc() string {
	var list []string
	for _, changes := range []map[string]string{d.Kinds, d.Versions} {
		for _, old := range slices.Sorted(maps.Keys(changes)) {
			if old != changes[old] {
				list = append(list, old+" to "+changes[old])
			}
		}
	}
	if d.From == d.To {
		return fmt.Sprintf("In the API group %s, %s.", d.From, strings.Replace(strings.Join(list, " and "), " to ", " is renamed to ", 1))
	}
	head := fmt.Sprintf("The API group %s is renamed to %s", d.From, d.To)
	if d.split() {
		head = fmt.Sprintf("%s of the API group %s moves to %s", strings.Join(slices.Sorted(maps.Keys(d.Kinds)), ", "), d.From, d.To)
	}
	if len(list) > 0 {
		head += ", " + strings.Join(list, " and ")
	}
	return head + "."
}

// seenKinds are the kinds of a group with their plurals; one is empty where no definition says it.
func (d *draft) seenKinds(plan *migrate.Plan, group string) map[string]string {
	kinds := map[string]string{}
	if g := d.inventory.groups[group]; g != nil {
		maps.Copy(kinds, g.kinds)
	}
	for _, kind := range plan.Kinds(group) {
		kinds[kind] = cmp.Or(kinds[kind], "")
	}
	var texts [][]byte
	for _, f := range plan.Files {
		if data, err := d.root.ReadFile(f.Path); err == nil && !isTestData(f.Path) {
			texts = append(texts, data)
		}
	}
	maps.DeleteFunc(kinds, func(kind, plural string) bool { // the Go type of a kind that has no capital, and kinds of tests
		return plural == "" && (kinds[strings.ToLower(kind)] != "" || d.Kinds[kind] == "" && !slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Contains(t, []byte(kind)) }))
	})
	return kinds
}

// Roles of migrate.RoleRules.
const (
	roleKey    = "key"
	roleMarker = "marker"
	roleRBAC   = "rbac-group"
)

var plainName = lazyregexp.New(`^[A-Za-z0-9./_-]+$`)

// lockLine is a line that names a lock: who changes it has two leaders while
// the old and the new version run.
var lockLine = lazyregexp.New(`(?i)leader[-_ ]?elect|leaderelection|resource[-_]?lock|lock[-_]?name|\blease`)

// proposals are entries of a list of the ruleset, by name, with where each was
// seen first. They are comments: the author of the ruleset decides.
type proposals map[string]string

func (p proposals) add(name, what, file string, line int) {
	if p[name] == "" {
		p[name] = what + ", " + place(file, line)
	}
}

// list is a list of the ruleset as a comment, "" for none.
func (p proposals) list(text string, entry func(name string) string) string {
	if len(p) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		text += fmt.Sprintf("#   - {%s} # %s\n", entry(name), p[name])
	}
	return text
}

// decisions lists, as comments, the names that the author of the ruleset decides
// on: keys and finalizers, which are not changed unless an entry of keys renames
// them, and locks and other names made of the group, which keep holds where they
// are. Keys of a longer domain are one entry. Test data is left out.
func (d *draft) decisions(plan *migrate.Plan) string {
	keys, keep := proposals{}, proposals{}
	for _, f := range plan.Files {
		data, err := d.root.ReadFile(f.Path)
		if err != nil || isTestData(f.Path) {
			continue // a new name of a file, or a test
		}
		for _, s := range f.Sites {
			if !strings.Contains(s.Old, d.From) || !plainName.MatchString(s.Old) || s.Start > 0 && data[s.Start-1] == '/' {
				continue // another name, or a folder of a path
			}
			lock := lockLine.Match(lineAt(data, s.Start))
			switch {
			case lock && s.Role() != roleMarker:
				keep.add(s.Old, "a lock", f.Path, s.Pos.Line)
			case s.Action() != migrate.Stay || s.Role() != roleKey:
			default:
				keys.add(d.prefix(s.Old+string(keyName.Get().Find(data[s.End:]))), "a key", f.Path, s.Pos.Line)
			}
		}
	}
	for name := range keep {
		delete(keys, name) // a lock that is a key elsewhere
	}
	if d.From == d.To {
		return ""
	}
	to := strings.NewReplacer(d.From, d.To)
	return keys.list("# These are not changed, because stored objects and selectors have them. An entry of keys renames one.\n# keys:\n", func(name string) string { return "from: " + name + ", to: " + to.Replace(name) }) +
		keep.list("# Running controllers hold these locks. An entry of keep keeps the name of one.\n# keep:\n", func(name string) string { return "value: " + name + ", why: ..." })
}

// keyName is what follows the domain of a key.
var keyName = lazyregexp.New("^/[^ \t\n\"'`:=,}\\])]{0,63}")

// prefix is a key, or what all keys of its domain begin with when that is longer
// than the group.
func (d *draft) prefix(key string) string {
	if domain, _, ok := strings.Cut(key, "/"); ok && strings.HasSuffix(domain, "."+d.From) {
		return domain + "/"
	}
	return key
}

// lineAt is the line of a text that a byte is in.
func lineAt(data []byte, at int) []byte {
	line, _, _ := bytes.Cut(data[bytes.LastIndexByte(data[:at], '\n')+1:], []byte("\n"))
	return line
}
