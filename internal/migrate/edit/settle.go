package edit

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A wait is what an outcome waits for. One of resource, client and file is set.
type wait struct {
	resource string          // group/plural that the tree has
	client   string          // old group whose generated client is in the tree
	version  string          // which of its versions; empty = none is told
	imports  string          // the package that the name of a package stands for
	then     *Outcome        // what becomes of it when that is so
	file     string          // base name of a CRD file that the name follows
	dir      string          // the folders that stand before that name, as far as they are spelled
	pattern  bool            // the name goes on with what stands for several
	refers   source.Edit     // writes another base name of that file
	listed   bool            // the new file is in the list already
	to       string          // base name of the new file, where a text that is no document names it
	others   map[string]bool // base names of the list, where there is one
	drop     source.Edit     // for a file in a list: takes it out
	also     source.Edit     // for a file in a list: adds its twin
}

// A Tree is what the files of a plan say together.
type Tree struct {
	Renames    map[string]string          // old and new base names of files that are renamed
	Twins      map[string]string          // of files that dual mode gives a twin
	Gone       map[string]string          // of files whose twin ends the window
	Moved      map[string]bool            // paths of files that are renamed, go, or get a twin
	Exists     func(name string) bool     // whether there is a file; nil = none is known of
	There      map[string]bool            // base names of files that hold something, but for those that go
	Stays      map[string]bool            // base names of files of which one stays that was to be renamed
	Became     map[string][]string        // the old base names of files that are renamed or go, by the new one
	Owns       func(imported string) bool // whether a package is of a module of the tree; nil = none is
	Clients    map[string]bool            // groups whose generated client is in the tree, and its versions: GROUP/v1
	GoNamed    map[string]bool            // groups of which a marker says how generated clients spell them
	Resources  map[string]bool            // group/plural that the tree has
	References map[string]bool            // groups of which a generated reference stays
	Used       map[string]bool            // old groups that code imports, calls or chooses
	Generate   func(name string) string   // the command that writes the generated code around a file
	Document   func(name string) string   // the command that writes the reference around a file
}

// Comes notes that a file is renamed, by base names.
//
// Whoever looks for the file of a CRD may add the end of its name himself.
func (t *Tree) Comes(old, to string) {
	t.Renames[old], t.Renames[endless(old)] = to, endless(to)
	t.Became[to] = append(t.Became[to], old)
}

// endless is the name of a file without its end.
func endless(base string) string { return strings.TrimSuffix(base, path.Ext(base)) }

// Goes notes that a file goes whose twin is there, or comes of another one.
func (t *Tree) Goes(old, twin string) {
	t.Gone[old], t.Gone[endless(old)] = twin, endless(twin)
	t.Became[twin] = append(t.Became[twin], old)
}

// Uses is the old group that a place needs the permission to: it imports it,
// calls it by a typed client, or chooses it in a template. Empty = none.
//
// A package of the tree itself is of the new group as soon as its own files are,
// unless it is a version that a person moves.
func (o Outcome) Uses(t *Tree) string {
	if o.imported != "" && !o.stepped && t.owns(o.imported) {
		return ""
	}
	if o.typed != "" || o.Role == find.RoleImport && o.action == Person || o.guard == "template-choice" {
		return o.group
	}
	return ""
}

// Calls is the group of the typed client that a place calls, "" for any other.
func (o Outcome) Calls() string { return o.typed }

// KeepsReference is the group of a generated reference that stays as it is, ""
// for any other place.
func (o Outcome) KeepsReference() string {
	if o.guard == generatedDocument {
		return o.group
	}
	return ""
}

// Granted says whether it is a permission that was to go, and is left to a
// person since the tree still needs it.
func (o Outcome) Granted() bool { return o.granted != "" && o.action == Person }

// Settle is the outcome of a place of a file when the whole tree is known. It
// says false for one that means nothing in this tree.
func (o Outcome) Settle(path string, t *Tree) (Outcome, bool) {
	w := o.waiting
	switch {
	case w != nil && w.file != "":
		return w.follow(o, path, t), true
	case w != nil && w.resource != "":
		if t.Resources[w.resource] {
			return w.then.after(), true
		}
		return o.Keep(o.Reason, o.Why).after(), true
	case w != nil && w.client != "":
		return w.then.after(), t.hasClient(w)
	case o.typed != "" && t.Clients[o.typed]:
		return o, false // where the client is in the tree, its identifiers move
	}
	return o.around(path, t), true
}

// hasClient says whether an identifier is that of a generated client of the tree: without
// it, it is some other Mcad. Kubernetes' own clients are spelled alike in other versions, and
// packages of other modules are imported from there.
func (t *Tree) hasClient(w *wait) bool {
	if !t.Clients[w.client] || t.GoNamed[w.client] || w.imports != "" && !t.owns(w.imports) {
		return false
	}
	return w.version == "" || t.Clients[w.client+"/"+w.version]
}

// ClientVersion is the group of an identifier of a generated client with its version, as
// Tree.Clients has them; "" for any other place.
func (o Outcome) ClientVersion() string {
	if o.waiting == nil || o.waiting.version == "" {
		return ""
	}
	return o.waiting.client + "/" + o.waiting.version
}

// owns says whether a package is of a module of the tree.
func (t *Tree) owns(imported string) bool { return t.Owns != nil && t.Owns(imported) }

// after is an outcome that another file had a say in.
func (o Outcome) after() Outcome {
	o.waited = true
	return o
}

// around is the outcome of a place that waited for nothing, by what else is in
// the tree.
func (o Outcome) around(path string, t *Tree) Outcome {
	switch {
	case o.anchor && o.action == Change && t.References[o.group]:
		return o.Keep("kept-anchor", "its anchor stays with the generated reference")
	case o.guard == generatedDocument && o.action == Person:
		return o.Leave(o.Reason, o.Why, t.Document(path))
	case o.granted != "" && o.action == Change && t.Used[o.granted]:
		o.New = ""
		return o.Leave("granted", "stays: this tree still imports, calls or chooses the old API; the new one is granted beside it", "take it out when the old API is not used any more")
	case o.imported != "" && o.action == Person && t.owns(o.imported) && (o.Role == find.RoleImport || !o.stepped):
		o.Hint, o.In = "", ""
		return o.Keep("own-package", "a package of this tree: its path stays")
	case o.made && o.action == Person:
		return o.Leave("generated", "a generated file calls the client, which is generated with it", remade+t.Generate(path))
	case o.typed != "":
	case o.Role == find.RoleClient && o.action == Person:
		return o.Leave(o.Reason, o.Why, remade+t.Generate(path))
	}
	return o
}

// remade is the hint for what is generated, in front of the command that does it.
const remade = "move the Go types, then run: "

// follow is the outcome of a reference to a file, which follows it, or names its
// twin as well.
func (w *wait) follow(o Outcome, from string, t *Tree) Outcome {
	gone, twin, to := t.Gone[w.file], t.Twins[w.file], t.Renames[w.file]
	reason, why := o.Reason, o.Why
	o = o.Keep("", "").after()
	switch {
	case gone+twin+to != "" && w.leadsElsewhere(from, t):
		return o.Keep(reason, "the file that it leads to keeps its name").after()
	case t.Stays[w.file] && (gone != "" || to != ""):
		return o.Leave("name-taken", "one file of this name stays, and another one does not", "look which of them is meant")
	case gone != "":
		return w.replaced(o, gone, t)
	case twin != "" && w.listed:
	case twin != "" && w.also.New == "":
		return o.Leave("file-name", twin+" is new beside it", "name both files here")
	case twin != "":
		o.New = w.file + ", " + twin
		return o.Write(w.also)
	case to != "":
		return w.named(o, to)
	}
	if w.listed && w.others == nil && t.There[w.to] && !t.There[w.file] && !w.leadsElsewhere(from, t) {
		return o.Leave("name-taken", "there is no such file any more, and "+w.to+" is named beside it already", "take the old one out")
	}
	if why := w.matched(t); why != "" {
		return o.Leave("file-name", why, "write the pattern for the new name")
	}
	return o.Keep(reason, why).after()
}

// replaced is the outcome of a reference to a file whose place another one takes, by.
func (w *wait) replaced(o Outcome, by string, t *Tree) Outcome {
	twice := !w.listed && w.twice(t, by)
	switch {
	case (w.listed || twice) && w.drop.Len() > 0:
		o.Why = "the new file is in the list already"
		return o.Write(w.drop)
	case w.listed:
		return o.Leave("name-taken", by+" is named beside it already", "take the old one out")
	case twice:
		return o.Leave("name-taken", by+" stands twice in this list, then", "take one of the two out")
	}
	return w.named(o, by)
}

// leadsElsewhere says whether a path of a file, from, leads to a file that is not
// renamed: from its own folder, or from one above.
func (w *wait) leadsElsewhere(from string, t *Tree) bool {
	if t.Exists == nil {
		return false
	}
	for base := path.Dir(from); ; base = path.Dir(base) {
		switch at := path.Join(base, w.dir, w.file); {
		case t.Moved[at]:
			return false
		case t.Exists(at):
			return true
		}
		if base == "." || base == "/" || w.dir == "" {
			return false
		}
	}
}

// matched says that a file is renamed, or was, whose name begins as a pattern does;
// "" for no such file.
func (w *wait) matched(t *Tree) string {
	if !w.pattern {
		return ""
	}
	begins := func(begin string) func(string) bool {
		return func(name string) bool { return strings.HasPrefix(name, begin) }
	}
	for _, old := range slices.Sorted(maps.Keys(t.Renames)) {
		if begins(w.file)(old) {
			return old + " is renamed, which this pattern stands for"
		}
	}
	there := slices.Sorted(maps.Keys(t.There))
	if w.to == "" || slices.ContainsFunc(there, begins(w.file)) || !slices.ContainsFunc(there, begins(w.to)) {
		return ""
	}
	return "no name of a file begins so any more, and one begins as " + w.to
}

// twice says whether another name of the list becomes that of a twin: a file that is
// renamed to it, or the first of those that go for it.
func (w *wait) twice(t *Tree, twin string) bool {
	return slices.ContainsFunc(t.Became[twin], func(old string) bool {
		return old != w.file && w.others[old] && (t.Renames[old] != "" || old < w.file)
	})
}

// named is the outcome of a reference to a file that gets another name.
func (w *wait) named(o Outcome, to string) Outcome {
	o.New = to
	if e, ok := text.Renamed(w.refers, to); ok {
		return o.Write(e)
	}
	return o.Write()
}
