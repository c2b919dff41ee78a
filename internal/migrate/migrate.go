// Package migrate rewrites Kubernetes API groups, versions and kinds in files.
//
// The flow: a Ruleset says what changes; New compiles rulesets into a Migration;
// Plan reads the files of a tree with the core, which finds every place where a
// name of the rules is and decides about it; Changes are what source writes.
//
// Text is never made from meaning: a site is a span that holds a known spelling,
// and only that span is replaced. What is not certain is kept, and reported.
package migrate

import (
	"errors"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Ruleset is one migration as data.
type Ruleset = rules.Ruleset

// ParseTarget is the minor version of Kubernetes that a text names.
func ParseTarget(text string) (string, error) { return rules.ParseTarget(text) }

// ParseRuleset reads a ruleset strictly. Path is for errors, which carry line
// and column where the place is known.
func ParseRuleset(path string, data []byte) (*Ruleset, error) { return rules.Parse(path, data) }

// Schema is the JSON Schema of a ruleset.
func Schema() []byte { return rules.Schema() }

// Formats are the names that --only takes.
func Formats() []string { return syntax.Formats() }

// Options are what a migration is asked to do.
type Options struct {
	Rulesets []*rules.Ruleset
	Target   string // version of Kubernetes that the files are for; "" is the newest that the rulesets know
	Dual     bool   // serve the old and the new group side by side
	// HeuristicsOff are ids of heuristics that are switched off, beside those that rulesets
	// switch off.
	HeuristicsOff []string
	Set           map[string]string // values for require-input steps
	Only          []string          // names of formats; empty = all
	Fixes         bool              // keep the edits for reports that print them
	Glance        bool              // a gate: what would be written is not verified
	Keep          Keeps             // what the configuration of the tree acknowledges
	GoStep        string            // what becomes of the Go package of a version: move, copy, leave; "" is move
	GoOff         bool              // Go identifiers and packages are not renamed
	BuildCache    bool              // the type check asks the go command for compiled packages of other modules
	References    bool              // references to APIs alone: what becomes of Go code is not asked for
}

// A Migration is compiled rules, ready to read files. It is safe for
// concurrent use.
type Migration struct {
	rules   *rules.Table
	lives   map[string]map[string]rules.Life // by ruleset and id; empty without a target version
	core    *core.Core
	opts    Options
	off     map[string]bool // heuristics that are switched off
	removed map[string]bool // rulesets about what Kubernetes removes: templates may ask what it serves
	below   string          // folder of the work tree that names of files are relative to
	tree    *source.Tree    // of the files; nil for one on its own
	concord *concord        // what must agree; nil = nothing
	code    *refactoring    // nil where the rules change nothing in Go
	unnamed bool            // names of kinds in Go do not matter, nor who renames them
}

// New compiles rulesets. Rules that lead in a circle are an error.
func New(opts Options) (*Migration, error) {
	if len(opts.Rulesets) == 0 {
		return nil, errors.New("no ruleset")
	}
	var err error
	if opts.Target, err = rules.ParseTarget(opts.Target); err != nil {
		return nil, err
	}
	opts.Rulesets = slices.Clone(opts.Rulesets)
	lives := map[string]map[string]rules.Life{}
	for i, set := range opts.Rulesets {
		opts.Rulesets[i] = set.For(opts.Target)
		if opts.Target != "" {
			lives[set.Name] = opts.Rulesets[i].Lives(opts.Target)
		}
	}
	r, err := rules.Compile(opts.Rulesets)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(opts.HeuristicsOff)
	for _, set := range opts.Rulesets {
		ids = append(ids, set.Heuristics.Off...)
	}
	off, err := judge.Off(ids)
	if err != nil {
		return nil, err
	}
	removed := map[string]bool{}
	for _, set := range opts.Rulesets {
		removed[set.Name] = set.Kubernetes != "" && !off[templateChoice]
	}
	m := &Migration{removed: removed, rules: r, lives: lives, opts: opts, off: off, concord: newConcord(r)}
	o := core.Options{Dual: opts.Dual, Copied: opts.GoOff || opts.GoStep == "copy" || opts.GoStep == "leave", Set: opts.Set, Off: off}
	if len(opts.Keep) > 0 {
		o.Keep = func(place, spelling string) (string, bool) {
			k, ok := opts.Keep.Of(place, spelling)
			return k.Reason(), ok
		}
	}
	m.core = core.New(r, o)
	return m, nil
}

// Needles are the byte strings of which a file must hold at least one to be of
// interest.
func (m *Migration) Needles() []string {
	list := slices.Clone(m.core.Needles())
	if m.concord != nil {
		list = append(list, m.concord.needles...)
	}
	return list
}

// A File is what became of one file.
type File struct {
	Path   string
	To     string // the new path; equal to Path when it keeps its name
	Format string
	Sites  []Site // in the order of the file
	Skip   *source.Error
	Fault  bool       // Skip is a fault of cfctl
	Sum    source.Sum // of the content that was read
	Twin   *Twin      // dual mode: a new file beside it
	Drop   bool       // the file is removed: its twin is there
	m      *Migration
	working
}

// A working is what is known of a file while the plan is made.
type working struct {
	unused   []Site // suppressions that kept nothing
	facts    *facts // what must agree with other files
	core     *coreFile
	asked    []judge.Asked          // of a template: what depends on what the cluster serves
	converts bool                   // the shape of an object in it changes
	created  bool                   // it is new, and its Twin is its content
	outside  bool                   // of what was named: it says what the tree is, and is neither reported nor written
	fixes    map[fixed][]report.Fix // only when asked for by Options.Fixes
	unchosen bool                   // its format is none of Options.Only
}

// A Twin is a file that dual mode creates beside another.
type Twin struct {
	Path string
	Data []byte
}

// newFile is a file of which nothing is known but its content.
func (m *Migration) newFile(name string, data []byte) *File {
	f := &File{Path: name, To: name, Format: syntax.FormatOf(name, data), Sum: source.SumOf(data), m: m}
	f.unchosen = len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, f.Format)
	return f
}

// fail takes a file out of the plan: nothing of it is written.
func (f *File) fail(cause error) {
	f.Sites, f.unused, f.Twin, f.Drop, f.To = nil, nil, nil, false, f.Path
	f.Fault = true
	if !errors.As(cause, &f.Skip) {
		f.Skip = &source.Error{Path: f.Path, Err: cause}
	}
	f.Skip.Hint = "this is a fault of cfctl, please report it with the file; the others are not affected"
}
