package judge

import (
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A file is a file as the guards of whole files see it.
type file struct {
	filePath
	Path   string // from the top of the work tree
	Data   []byte
	Format find.Format
}

// Facts are what is known of the file of a site. Nothing in it is written.
type Facts struct {
	Path   string // from the top of the work tree: what folders say does not depend on where cfctl is run
	Data   []byte
	Stays  string      // not empty: why nothing in the file changes
	Chart  Chart       // what a template asks the cluster
	Dual   bool        // the old and the new group are served side by side
	Format find.Format // of the file
	Reason string      // id of that
	by     string      // id of the guard that says so
	off    map[string]bool
	Mixed  Mixed // the kinds that the tree has
	Homes  Homes // the versions that it has
	// Webhooks are the names of webhooks that configurations of the tree have.
	Webhooks map[string]Webhook
	// Domains are the domains of a PROJECT file in which the group of a CRD of the tree
	// stays, with that group.
	Domains map[string]string
}

// Mixed is what a tree says of groups of which the rules move some kinds alone.
type Mixed struct {
	Stays map[string]string // the groups, and their versions, GROUP/VERSION, of which the tree has a kind that no rule moves, with that kind; and each such kind, GROUP KIND
	Moves map[string]bool   // GROUP/VERSION of which it has a kind that some rule moves
}

// In is a kind that stays and that a name of a group may be of, with the version that
// it tells or without one, "" for none. Of a version that the tree has of no kind
// nothing tells of which it is.
func (m Mixed) In(group, version string) string {
	switch at := group + "/" + version; {
	case version == "":
		return m.Stays[group]
	case m.Stays[at] != "" || m.Moves[at]:
		return m.Stays[at]
	}
	return m.Stays[group]
}

// Hidden stands for the kinds that files may have which a tree tracks and that are not
// checked out.
const Hidden = "(not checked out)"

// StaysIn says of a kind that it stays, as the tree has it.
func StaysIn(kind string) string {
	if kind == Hidden {
		return "another one may stay in what is not checked out"
	}
	return kind + " of this tree stays"
}

// Parts says why a name of a group that tells no version is for a person, though the
// rules answer that it moves: they move a version of its kind to another group, and the
// tree has one that stays; "" where it has none.
func (m Mixed) Parts(to rules.Answer, group string) string {
	kind := to.Rule.From.Kind
	if to.Outcome != rules.Moves || to.To.Group == group || to.Rule.From.Version == "" || m.Stays[group+" "+kind] == "" {
		return ""
	}
	return "it depends on the version: " + to.Rule.From.Version + " of " + kind + " moves, and another one of this tree stays"
}

// FactsOf looks at a file. Off are the ids of guesses that are not made.
func FactsOf(t *rules.Table, off map[string]bool, dual bool, name string, data []byte, format find.Format) *Facts {
	f := &Facts{Path: name, Data: data, Dual: dual, Format: format, off: off}
	f.Stays, f.by = Stays(t, off, name, data, format)
	f.Reason = ReasonOf(f.by)
	f.Chart = ChartOf(t, off, data)
	return f
}

// ReasonOf is the id of why a guard keeps a site of the file; no guard stands for
// whatever keeps the file as a whole.
func (f *Facts) ReasonOf(guard string) string {
	if guard == "" {
		return f.Reason
	}
	return ReasonOf(guard)
}

// Stays says why nothing in a file changes, or "", and by which guard.
func Stays(t *rules.Table, off map[string]bool, name string, data []byte, format find.Format) (why, guard string) {
	f := &file{filePath: pathOf(name), Path: name, Data: data, Format: format}
	for i := range Guards {
		if g := &Guards[i]; g.file != nil && !off[g.ID] && format.Is(g.In) {
			if why := g.file(t, f); why != "" {
				return why, g.ID
			}
		}
	}
	return "", ""
}

// asks says whether a guard is asked about the sites of a file: it speaks for
// its format, and is not switched off.
func (f *Facts) asks(g *Guard) bool { return !f.off[g.ID] && f.Format.Is(g.In) }
