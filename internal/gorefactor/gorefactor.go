// Package gorefactor renames kinds and steps API versions in the Go code of
// the repository that owns the API, and in the texts around it.
//
// Load parses and type-checks all Go files of a tree once: no build, no network, no code of the tree runs. Packages
// of other modules are empty. Plan finds the packages that register the API, decides once per name, and returns edits
// of the original bytes, moves of files, and what needs review. Verify applies a plan in memory and type-checks
// again. Nothing is written.
package gorefactor

import (
	"cmp"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Step is what becomes of the Go package of a version that a rule changes.
type Step string

// The steps.
const (
	Move  Step = "move"  // the package gets the new version's name and folder
	Copy  Step = "copy"  // the new version is added, the old one converts to it
	Leave Step = "leave" // nothing changes; one entry for review names the package
)

// A Rule is a change of an API that the tree owns. Empty fields of the target do not change.
type Rule struct {
	Group, Version, Kind, Plural         string // Version empty: all; Kind empty: all; Plural empty: the usual one
	ToGroup, ToVersion, ToKind, ToPlural string
	Alias                                map[string]string // abbreviations of Kind in identifiers; names of Go that begin with it
	Surface                              bool              // only the type of the kind, its list and generated code; no other Go names, no prose
	Declared                             bool              // a program in another language has the type of the kind
	Step                                 Step              // of a change of version; empty: Move

	ID, Set string // what the caller calls the rule
}

// Changes says whether the rule changes names of Go.
func (r Rule) Changes() bool { return r.OfOwner() || r.Regroups() }

// OfOwner says whether the package that registers the API declares what the rule renames.
func (r Rule) OfOwner() bool { return r.renames() || r.steps() }

// Of says whether a name or text is one that the rule changes.
func (r Rule) Of(text string) bool { return hasNeedle([]byte(text), r.needles()) }

// renames says whether the rule changes the name of a kind.
func (r Rule) renames() bool { return r.Kind != "" && r.ToKind != "" && r.Kind != r.ToKind }

// steps says whether the rule changes a version.
func (r Rule) steps() bool { return r.Version != "" && r.ToVersion != "" && r.Version != r.ToVersion }

// toGroup is the group after the rule.
func (r Rule) toGroup() string { return cmp.Or(r.ToGroup, r.Group) }

// Options are choices that the tree does not decide.
type Options struct {
	Off     map[string]bool                     // ids of heuristics that are switched off
	History func(path string) bool              // files that describe the past: their names are right as they are
	Own     func(path string, text []byte) bool // texts of the rules themselves, likewise; nil for none
}

// An Entry is something that the plan does not do by itself.
type Entry struct {
	ID   string // of the kind of entry
	Path string
	Pos  source.Position
	Text string // that it is about; "": the file
	Why  string
	Hint string // what to do
	N    int    // places that the entry is about
}

// A Generated file is one that a plan changes and that a program writes.
type Generated struct{ Path, By string }

// A Plan is what becomes of the files of a tree. Paths are those of the
// original files, and spans are in their original bytes.
type Plan struct {
	Edits     map[string][]source.Edit // sorted, without overlaps
	Moves     map[string]string        // the content is moved with its edits
	Create    map[string][]byte        // new files, of a version that is copied
	Review    []Entry                  // sorted by path and position
	Generated []Generated              // in the order in which the generators run
	Clients   []string                 // groups of which the clients have the name that a marker says
}

// sortEntries orders entries by place.
func sortEntries(list []Entry) {
	slices.SortStableFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Why, b.Why))
	})
}
