// Package migrate rewrites Kubernetes API groups, versions and kinds in files.
//
// The flow: a Ruleset says what moves; New compiles rulesets into a Migration;
// File reads one file in its format and finds every Site where a name of the
// rules stands; Finish settles what depends on other files (renamed CRD files,
// generated clients) and gives the Plan; its Changes are what source writes.
//
// Text is never made from meaning: a site is a span that holds a known
// spelling, and only that span is replaced. A site whose role is not certain
// stays, and is reported.
package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/migrate/prove"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Ruleset is one migration as data.
type Ruleset = rules.Ruleset

// ParseRuleset reads a ruleset strictly. Path is for errors, which carry line
// and column where the place is known.
func ParseRuleset(path string, data []byte) (*Ruleset, error) { return rules.Parse(path, data) }

// Schema is the JSON Schema of a ruleset.
func Schema() []byte { return rules.Schema() }

// Formats are the names that --only takes.
func Formats() []string { return find.Formats() }

// Options are what a migration is asked to do.
type Options struct {
	Rulesets []*rules.Ruleset
	Dual     bool // serve the old and the new group side by side
	// Unguessed are ids of Guesses that are not made, beside those that rulesets
	// switch off.
	Unguessed []string
	Set       map[string]string // values for require-input steps
	Only      []string          // names of formats; empty = all
	Fixes     bool              // keep the edits for reports that print them
	Glance    bool              // a gate: what would be written is not decoded where names alone change (see prove.File)
	Keep      edit.Keeps        // what the configuration of the tree acknowledges
	Next      bool              // plan with the new core, which is not complete
	GoStep    string            // of the new core: what becomes of the Go package of a version: move, copy, leave; "" is move
	GoOff     bool              // of the new core: Go identifiers and packages are not renamed
}

// A Migration is compiled rules, ready to read files. It is safe for
// concurrent use.
type Migration struct {
	rules   *rules.Table
	names   *find.Names
	off     map[string]bool // guesses that are not made
	clients []judge.Client
	opts    Options
	below   string      // folder of the work tree that names of files are relative to
	hidden  func() bool // whether files that may have other kinds are not checked out, as far as the tree was walked; nil = none are
	tree    places      // where files are within what they belong to
	proof   *prove.Rules
	goTypes *goRules                     // what becomes of the Go types of an API; nil = nothing
	concord *concord                     // what must agree; nil = nothing
	mixed   judge.Mixed                  // of judge.Facts
	homes   map[string]judge.Homes       // of judge.Facts, by the tops of work trees
	hooks   map[string]judge.Webhook     // of judge.Facts
	domains map[string]map[string]string // the groups that stay in the domains of PROJECT files, by the paths of these
	code    *refactoring                 // of the new core; nil where the rules change nothing in Go
	old     *source.Finder               // of the names that sites have, without those of what must agree
}

// New compiles rulesets. Rules that lead in a circle are an error.
func New(opts Options) (*Migration, error) {
	if len(opts.Rulesets) == 0 {
		return nil, errors.New("no ruleset")
	}
	opts.Next = true
	r, err := rules.Compile(opts.Rulesets)
	if err != nil {
		return nil, err
	}
	off, err := judge.Off(opts.Unguessed, opts.Rulesets)
	if err != nil {
		return nil, err
	}
	clients := judge.Clients(r)
	m := &Migration{rules: r, names: judge.NamesOf(r, clients), off: off, clients: clients, opts: opts}
	m.proof, m.concord = m.proofRules(), newConcord(r)
	m.goTypes = goRulesOf(r)
	m.old = source.NewFinder(m.oldNeedles())
	return m, nil
}

// Needles are the byte strings of which a file must hold at least one to be of
// interest.
func (m *Migration) Needles() []string {
	list := m.oldNeedles()
	if m.concord != nil {
		for _, group := range m.concord.needles {
			if !slices.Contains(list, group) {
				list = append(list, group)
			}
		}
	}
	return list
}

// oldNeedles are those of a file that may have a site.
func (m *Migration) oldNeedles() []string {
	var list []string
	for _, n := range m.names.Needles() {
		if strings.Contains(n, ".") {
			list = append(list, n)
		}
	}
	for _, group := range m.rules.Groups() {
		if strings.Contains(group, ".") {
			list = append(list, edit.OddNeedles(group)...)
		}
		if !strings.Contains(group, ".") {
			list = append(list, wordMarks(m.rules, group)...)
		}
	}
	return slices.Concat(list, m.guardMarks(), m.names.TypedNeedles())
}

// guardMarks are the domains of the groups that guarded kinds move to: whoever
// writes a wrong group by hand writes one of the right domain. Kinds would be
// surer, and there are many more of them in a tree.
func (m *Migration) guardMarks() []string {
	var list []string
	for _, set := range m.opts.Rulesets {
		for _, rule := range set.Rules {
			labels := strings.Split(rule.To.Group, ".")
			if !slices.Contains(set.Guard, rule.From.Kind) || len(labels) < 2 {
				continue
			}
			if domain := strings.Join(labels[len(labels)-2:], "."); !slices.Contains(list, domain) {
				list = append(list, domain)
			}
		}
	}
	return list
}

// clientNeedles are what a Go file must hold to use a generated client.
func (m *Migration) clientNeedles() []string {
	var list []string
	for _, c := range m.clients {
		list = append(list, c.Old[1:]+"V", c.Old[1:]+"v", c.Old+"()")
	}
	return list
}

// hookSlugs are what a file must hold to have the path of a webhook.
func (m *Migration) hookSlugs() []string {
	var list []string
	for _, group := range m.rules.Groups() {
		if strings.Contains(group, ".") {
			list = append(list, edit.HookSlug(group))
		}
	}
	return list
}

// A File is what became of one file.
type File struct {
	Path      string
	To        string // the new path; equal to Path when it keeps its name
	Format    string
	Sites     []Site // in the order of the file
	Skip      *source.Error
	Sum       source.Sum      // of the content that was read
	learned   map[string]bool // group/plural of the resources that the file tells of
	clients   map[string]bool // groups whose generated client this file is, and their versions
	goNamed   []string        // groups of which the file says how generated clients spell them
	unused    []Site          // suppressions that kept nothing
	format    find.Format
	Twin      *Twin // dual mode: a new file beside it
	Drop      bool  // the file goes: its twin is there
	m         *Migration
	Fault     bool   // Skip is a fault of cfctl
	template  bool   // it is no YAML as it stands, and was read line by line
	unshaped  error  // why the objects that change their shape could not
	unchosen  bool   // its format is none of Options.Only: it was not read
	facts     *facts // what must agree with other files
	page      *page  // its anchors and links; nil = none has an old name
	chart     judge.Chart
	left      bool            // of what changed when it was read alone, something stays
	module    string          // of a go.mod
	generated bool            // by a program, as Go
	kinds     []rules.GVK     // of its objects and CRDs, of a file of objects
	documents []find.Document // that were read as they stand; none when the file was looked at
	selects   []string        // the kustomizations whose objects it selects by their versions
	next      *nextFile       // what the new core read; nil when its names are decided
	created   bool            // it is new, and its Twin is its content
	outside   bool            // of what was named: it says what the tree is, and nothing of it is told or written
}

// File reads one file. It returns nil when nothing in it is a site. Data is
// not kept. A file at which cfctl fails is not read, and says so: one file
// does not stop the others.
func (m *Migration) File(name string, data []byte) *File { return m.look(name, data, true) }

// look is File, which may leave the sites out and tell only what must agree
// with others.
func (m *Migration) look(name string, data []byte, sites bool) (f *File) {
	defer func() {
		if cause := recover(); cause != nil {
			f = &File{Path: name, To: name, Format: find.FormatOf(name, data).Name, Sum: source.SumOf(data), m: m}
			f.fail(fmt.Errorf("internal error: %v", cause))
		}
	}()
	if sites {
		f = m.file(name, data)
	}
	if f == nil || !f.unchosen && f.Skip == nil {
		f = m.withPage(m.withFacts(f, name, data), name, data)
	}
	if f != nil {
		f.documents = nil
	}
	return f
}

// withFacts adds what a file says that others must agree with; f may be nil.
func (m *Migration) withFacts(f *File, name string, data []byte) *File {
	format := find.FormatOf(name, data).Name
	if len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, format) {
		return f
	}
	var docs []find.Document
	if f != nil {
		docs = f.documents
	}
	facts := m.factsOf(name, data, format, docs)
	if f == nil && facts != nil {
		f = &File{Path: name, To: name, Format: format, m: m}
	}
	if f != nil {
		f.facts = facts
	}
	return f
}

// fail takes a file out of the plan: nothing of it is written.
func (f *File) fail(cause error) {
	f.Sites, f.unused, f.Twin, f.Drop, f.To = nil, nil, nil, false, f.Path
	f.learned, f.clients, f.goNamed = nil, nil, nil
	f.Fault = true
	if !errors.As(cause, &f.Skip) {
		f.Skip = &source.Error{Path: f.Path, Err: cause}
	}
	f.Skip.Hint = "this is a fault of cfctl, please report it with the file; the others are not affected"
}

func (m *Migration) file(name string, data []byte) *File {
	format := find.FormatOf(name, data)
	if len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, format.Name) {
		return &File{Path: name, To: name, Format: format.Name, unchosen: true}
	}
	f := m.read(name, data, format, m.analyse(name, data, format))
	if f == nil || f.Skip != nil || f.unchosen {
		return f
	}
	err := f.prove(data)
	if cause, ok := unread(err); ok {
		if f = m.read(name, data, format, m.secondLook(name, data, format, cause)); f == nil || f.Skip != nil {
			return f
		}
		f.template, f.documents = true, nil
		err = f.prove(data)
	}
	if err != nil {
		f.fail(err)
	}
	return f
}

// read makes a file of what one format made of it.
func (m *Migration) read(name string, data []byte, format find.Format, r *reading) *File {
	f := &File{Path: name, To: name, Format: format.Name, Skip: r.skip, format: format, learned: r.Learned, documents: r.Documents, unused: sitesOf(data, r.Unused), m: m}
	if r.skip != nil {
		return f
	}
	made := r.Made
	renamed := !m.opts.Dual && r.newPath(made) != name
	if len(made) == 0 && len(f.unused) == 0 && !m.rules.Converts() && !renamed {
		return nil
	}
	if m.opts.Dual && r.facts.Stays == "" {
		f.Twin, made = m.twin(name, data, format, made)
	}
	if m.rules.Converts() && !m.opts.Dual {
		var marks []source.Span
		made, marks, f.unshaped = m.reshape(name, data, format, r.facts, made)
		f.unused = withoutMarks(f.unused, marks)
	}
	if len(made) == 0 && len(f.unused) == 0 && !renamed {
		return nil
	}
	if !m.opts.Dual {
		f.To = r.newPath(made)
	}
	f.Sites, f.Sum, f.chart = sitesOf(data, made), source.SumOf(data), r.facts.Chart
	if !m.opts.Dual && r.facts.Stays == "" {
		f.kinds = r.Kinds
	}
	f.generated = format.Is(find.Gofmt) && find.IsGenerated(data)
	if format.Is(find.Gofmt) && find.IsClient(data) {
		f.clients = m.clientsIn(made)
	}
	if format.Is(find.Gofmt) {
		f.goNamed = goNamed(data)
	}
	return f
}

// clientsIn are the groups whose generated client a file is in which made is
// what becomes of the names, and their versions, as edit.Tree has them.
func (m *Migration) clientsIn(made []edit.Outcome) map[string]bool {
	groups := map[string]bool{}
	for _, o := range made {
		if version := o.ClientVersion(); version != "" {
			groups[version] = true
		}
		for _, c := range m.clients {
			if o.Role == find.RoleClient && strings.Contains(o.Old, c.Group) {
				groups[c.Group] = true
			}
		}
	}
	return groups
}

// A reading is what one format made of a file.
type reading struct {
	edit.Planned
	facts   *judge.Facts
	newPath func(made []edit.Outcome) string
	skip    *source.Error // not nil: the file cannot be read as what its name says
}

// known is what is known of a file before its names are looked at.
func (m *Migration) known(name string, data []byte, format find.Format) *judge.Facts {
	facts := judge.FactsOf(m.rules, m.off, m.opts.Dual, m.placeOf(name), data, format)
	facts.Mixed, facts.Webhooks, facts.Domains = m.mixed, m.hooks, m.domains[name]
	if m.homes != nil {
		facts.Homes = m.homes[m.rootOf(name)]
	}
	if k, ok := m.opts.Keep.Of(facts.Path, ""); ok {
		facts.Stays, facts.Reason = k.Reason(), edit.Configured
	}
	return facts
}

// chosen are the choices of a template, as far as they are guessed.
func (m *Migration) chosen(data []byte) []source.Span {
	c := judge.ChartOf(m.rules, m.off, data)
	return slices.Concat(c.Choices, c.Same, c.Vague)
}

// stays says whether nothing in a file changes, by its path from the top of the
// work tree and its content.
func (m *Migration) stays(name string, data []byte) bool {
	why, _ := judge.Stays(m.rules, m.off, name, data, find.FormatOf(name, data))
	_, acknowledged := m.opts.Keep.Of(name, "")
	return why != "" || acknowledged
}

// analyse finds the sites of a file in one format, and has edits made of what is
// decided about them.
func (m *Migration) analyse(name string, data []byte, format find.Format) *reading {
	r := &reading{facts: m.known(name, data, format)}
	f := edit.File{Path: name, Table: m.rules, Names: m.names, Clients: m.clients, Facts: r.facts, Keeps: m.opts.Keep}
	if m.rules.Converts() && !m.opts.Dual && r.facts.Stays == "" {
		f.Shape = (&embedding{m: m, path: name, file: format}).shapes
	}
	r.Planned, r.newPath = edit.Plan(f, judge.Decisions(m.names, m.rules, r.facts, name)), f.NewPath
	return r
}

// secondLook is for YAML that the parser did not take, or took differently:
// a template is read line by line; anything else is left alone.
func (m *Migration) secondLook(name string, data []byte, format find.Format, err error) *reading {
	if text.HasTemplate(data) || placeholders(data) || strings.Contains(err.Error(), unknownEscape) {
		return m.analyse(name, data, format.AsTemplate())
	}
	var e *source.Error
	if !errors.As(err, &e) {
		e = &source.Error{Path: name, Err: err}
	}
	e.Hint = "mend the file, or leave it out with --exclude"
	return &reading{skip: e}
}

// unknownEscape is the parser's word for something like "\." in double quotes,
// which spoils one value, and not what stands around it.
const unknownEscape = "found unknown escape character"

// placeholders says whether text has marks that another program fills in.
func placeholders(data []byte) bool {
	return bytes.Contains(data, []byte("${")) || bytes.Contains(data, []byte("$(")) || bytes.Contains(data, []byte("@@")) || formatted.Match(data) || braced.Match(data)
}

// formatted is a value that a printf fills in.
var formatted = lazyregexp.New(`:\s+%[-+#0]*[0-9.]*[sdvqx]`)

// braced is a value in which a name in braces is filled in: {registry}/app. A
// name alone in braces is a mapping in YAML.
var braced = lazyregexp.New(`(?m)^[^#\n]*(:|-)\s+[^\s{#"'\[]*\{[A-Za-z_][A-Za-z0-9_.-]*\}[^\s,}\]#]`)
