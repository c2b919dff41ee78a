package core

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A File is what was read of one file: no text and no tree of it is kept.
type File struct {
	Path    string // from the top of the work tree
	Format  string
	To      string // its new path; Path when it keeps its name
	Sites   []Site // after Resolve
	Twin    *Twin  // after Resolve: the file that is written next to it
	Drop    bool   // after Resolve: it is removed
	Outside bool   // it says what the tree is, and is not migrated itself
	Failed  error  // why nothing is decided about it
	content
	*special
}

// ErrTooMany is why a file is not read that is too much work.
var ErrTooMany = errors.New("it has too many references or values")

// A content is what most files of interest have.
type content struct {
	refs   []ref
	facts  []index.Fact
	kept   *Keeper // nil: nothing is kept by hand
	places places
	built  []built
	loosed []Site        // names without a group
	said   map[said]bool // of its lines; nil: not asked for yet
	naming
}

// A special is what few files have. It is written while a file is read, and not after that.
type special struct {
	code
	loosely
	escaped
	asked   []judge.Asked // of a template: what depends on what the cluster serves
	units   []unit
	project *project
	shaped  []shaped
	wrong   []Site                // objects of guarded kinds in groups that no rule knows
	pieces  []piece               // APIs that are named in pieces
	pages   bool                  // it is a generated page of the API
	schemas map[rules.GVK]*schema // of the CRDs
}

// nothing is the special of most files.
var nothing special

// An escaped is a file with escapes in names.
type escaped struct {
	plain *File        // what the file is without them; nil: it has none
	view  *syntax.View // its text
}

// A naming is about the name of a file.
type naming struct {
	crdName string // its name after the CRD that it has now; "" where it has that name
	twin    string // the base name of its twin
	twinned bool   // which is there
	gone    string // the file for which it is removed
	taken   bool   // the new name is taken
}

// A code is what a file of code may have.
type code struct {
	imports   []string // of a Go file
	fills     []string // names with which it builds names of APIs
	constants []Constant
}

// A loosely is what a file names apart from a group, or without a kind.
type loosely struct {
	alone []string             // groups that the tree had, and names without a kind where they are now
	loose map[string]looseKind // group → a kind or resource of it that gets another name and is alone
}

// NewFile is a file of which nothing is known.
func NewFile(place string) *File { return &File{Path: place, To: place, special: &special{}} }

// NameAfter notes the name that a file should have by the CRD in it.
func (f *File) NameAfter(base string) {
	f.crdName = base
}

// Asked is what depends on what the cluster serves, of a template.
func (f *File) Asked() []judge.Asked { return f.asked }

// A ref is a reference without the tree of its file.
type ref struct {
	file    *File
	verdict judge.Verdict
	known   *rules.Known
	parts   []part
	own     source.Span // of the whole token, or of the leaf
	ownText string
	line    int // of the token
	form    names.Form
	traits
	*detail
}

// The traits of a reference are what is true of its place.
type traits struct {
	crd      bool
	operand  bool // a command of kubectl takes it for a resource
	openKind bool // the kind is filled in at run time
	typed    bool // it is in a Go literal whose type is of its version
	shared   bool // other rules of permissions take it from here
	text     bool // it is in text for people
	bare     bool // it is the apiVersion of an object in a text that is not read as one
	command  bool // it is a word of a command, or of what one printed
	path     bool // it may be a path of the tree
	whole    bool // it is all of its text or in quotes, and names no object
	object   bool // it is the name of an object
	inPath   bool // a script makes a path of the variable that has it
	lone     bool // it would change as a group, and nothing on its line says that it is one
}

// A detail is what few references have.
type detail struct {
	spelled  string        // of the group, where it is not the group itself
	resource string        // what the token has in front of the group, where its place depends on it
	capital  []string      // words next to it that the tree may have as kinds or resources of the group
	fields   []string      // of the object, where its version changes
	shape    []source.Span // around it: fields that no object of the new version has
	unshaped string        // a kind whose shape changes with the version, where that is not done
	before   string        // the path in front of a group or of the name of a file
	valueOf  string        // the name of a constant or key, where names may be built of it
	grant    *grant
}

// noDetail is the detail of most references.
var noDetail detail

// isEmpty says whether there is nothing to keep of a detail.
func (d *detail) isEmpty() bool {
	return d.spelled+d.resource+d.unshaped+d.before+d.valueOf == "" && d.capital == nil && d.fields == nil && d.shape == nil && d.grant == nil
}

// name is the group of a reference with what is in front of it.
func (r *ref) name() string {
	name, _, _ := strings.Cut(r.ownText, "/")
	return name
}

// A part is one text of a reference.
type part struct {
	what refs.What
	source.Span
	text string
	lone bool // it is no part of the token
}

// Tell notes a resource, "" = any one, that the tree had in a group, and has in another one now, there in
// a version; "" = it is not known.
func (f *File) Tell(group, plural, kind, version string) {
	f.facts = append(f.facts, index.Fact{Kind: index.Left, Group: group, Name: kind, Version: version})
	if kind != "" {
		f.facts = append(f.facts, index.Fact{Kind: index.Plural, Group: group, Name: plural, Value: kind})
	}
}

// TellSeen notes what files say of their APIs that are not read.
func (f *File) TellSeen(facts map[index.Fact]bool) {
	f.facts = slices.AppendSeq(f.facts, maps.Keys(facts))
}

// TellAlone notes a group that the tree had, and names without a kind where it is now.
func (f *File) TellAlone(group string) { f.alone = append(f.alone, group) }

// Empty says whether a file has nothing to tell.
func (f *File) Empty() bool {
	return (f.plain == nil || f.plain.Empty()) && len(f.refs)+len(f.facts)+len(f.shaped)+len(f.wrong)+len(f.pieces)+len(f.fills) == 0 && f.kept.isEmpty() && f.project == nil && f.Failed == nil
}

// Converts says whether the shape of an object in the file changes.
func (f *File) Converts() bool { return len(f.shaped) > 0 }

// mostValues is how many values a file may have, about 600 bytes of memory each.
const mostValues = 1 << 20

// dense says whether a file has so many values that reading them would take all memory: what
// separates or nests them is counted.
func dense(data []byte) bool {
	if len(data) <= mostValues {
		return false
	}
	n := 0
	for _, mark := range []string{"\n", ",", "[", "{", "(", "- ", "? "} {
		n += bytes.Count(data, []byte(mark))
	}
	return n > mostValues
}
