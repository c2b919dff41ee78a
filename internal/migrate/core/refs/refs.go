// Package refs puts the parts of references together: which group, version,
// kind and resource one place of a file names. A reference is resolved as a
// whole; whether its place is one that is rewritten is decided elsewhere.
//
// The scope of a reference is a CRD, in any format, without its schema, labels
// and conversion; else the nearest object, for the labels group, version, kind
// and resource alone; else the text that spells the group.
package refs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A What says which part of a reference a text is.
type What uint8

// The parts.
const (
	Group What = iota
	Version
	Kind
	Plural
	Singular
	ListKind
)

// A Part is one text of a reference.
type Part struct {
	What What
	source.Span
	Text string
	Node *syntax.Node // of the text
}

// A Ref is one API as one scope names it.
type Ref struct {
	Leaf   *syntax.Node // that spells the group
	Token  names.Token
	Label  string       // of the leaf, normalized
	Stem   string       // what the label has before the word for the part: queue of queueGroup
	Whole  bool         // the token is all of the leaf's text
	Object *syntax.Node // nil: the leaf alone
	CRD    bool         // the object is a CRD
	Rule   *Rule        // of permissions, webhooks and policies
	Parts  []Part
	Known  rules.Known
	Name   string // what the token has in front of the group, or behind its slash

	Capital []string // words of its sentence that the tree may have as kinds of the group

	OpenKind bool // the kind or resource is filled in at run time
	Typed    bool // it is a field of a Go literal whose type is of its version: v1beta1.Widget{...}
	Shared   bool // other rules of permissions take the group from here
}

// A Rule is an object with a list of groups and of resources.
type Rule struct {
	Object    *syntax.Node
	Groups    []*syntax.Node
	Resources []*syntax.Node
	Versions  []*syntax.Node
}

// A File is what was read of one file.
type File struct {
	Refs  []*Ref
	Facts []index.Fact
	Kinds []Loose // kinds and resources that stand alone
	Work  int     // the bytes that deciding all references may read: of each leaf as often as it has one
}

// A Loose is a text that is the kind or resource of a rule which gives it
// another name.
type Loose struct {
	source.Span
	Text   string
	Groups []string
}

// A reader reads one file.
type reader struct {
	names    *names.Names
	table    *rules.Table
	rules    map[*syntax.Node]*Rule
	crds     map[*syntax.Node]bool
	loose    map[string][]string // kinds and resources that get another name, with their groups
	called   map[string][]string // kinds that variables of Go code are asked for; nil: not looked for yet
	texts    syntax.Texts
	searched int      // bytes, for calls with constants
	objects  []object // that were found in texts, in order
	out      File
}

// Read finds the references in a file, and the facts that it tells. Loose are the kinds
// and resources that Renamed has.
func Read(root *syntax.Node, n *names.Names, t *rules.Table, loose map[string][]string) *File {
	r := &reader{names: n, table: t, rules: map[*syntax.Node]*Rule{}, crds: map[*syntax.Node]bool{}, loose: loose, texts: syntax.Texts{Most: 1<<20 + perByte*len(root.View.B)}}
	root.Leaves(r.leaf)
	r.innermost()
	r.rest(root)
	for _, o := range r.objects {
		root.Adopt(o.doc)
	}
	return &r.out
}

// MostWork is how many bytes deciding the references of one file may read. The files of 67
// public trees are below a sixtieth of it; thousands of names in one word are above.
const MostWork = 64 << 20

func (r *reader) leaf(n *syntax.Node) {
	t := n.Text()
	if len(r.loose) > 0 && len(t) < 80 && n.Kind != syntax.Comment && n.Kind != syntax.Prose {
		if g := r.loose[string(t)]; g != nil {
			if s, ok := n.View.Span(n.Start, n.End); ok {
				r.out.Kinds = append(r.out.Kinds, Loose{s, string(t), g})
			}
		}
	}
	if r.out.Work > MostWork || !r.names.Match(t) && !r.whole(t) {
		return
	}
	tokens, work := r.names.Tokens(t)
	r.out.Work += work
	for _, tok := range tokens {
		if tok.Form == names.Bare && !strings.Contains(tok.Group, ".") && isWord(n) {
			continue
		}
		r.token(n, tok)
	}
}

// whole says whether a text is a group of one word.
func (r *reader) whole(t []byte) bool {
	if len(t) > 40 || bytes.IndexByte(t, '.') >= 0 {
		return false
	}
	return len(r.table.RulesOf(string(t))) > 0
}

// A search fills in a reference from what is around it.
type search struct {
	*reader
	*Ref
}

// token reads the reference of a token.
func (r *reader) token(n *syntax.Node, tok names.Token) {
	leaf, in, field, ok := r.around(n, tok)
	if ok {
		n, tok = leaf, in
	}
	t := n.Text()
	ref := &Ref{Leaf: n, Token: tok, Label: n.Label(), Known: rules.Known{Group: tok.Group, Open: tok.Open}, OpenKind: tok.OpenName || tok.Form == names.Filled}
	ref.Whole = tok.Before == 0 && tok.After == 0
	if IsAPIVersion(ref.Label) && tok.Version.End == tok.Version.Start {
		ref.Known.Open = true // something else makes an apiVersion of the group
	}
	if n.Kind == syntax.Key {
		ref.Label = ""
	}
	ref.part(Group, tok.At)
	around := &search{r, ref}
	if tok.Form == names.MovedKey {
		ref.Parts = nil
		r.out.Refs = append(r.out.Refs, ref)
		return
	}
	if tok.Form != names.Longer && tok.Form != names.Email && tok.Form != names.Host && tok.Form != names.Filled && tok.Form != names.Path {
		around.own(t)
	}
	if rest := t[tok.At.End:]; tok.Form == names.Longer && len(rest) > 1 && rest[0] == '_' && 'A' <= rest[1] && rest[1] <= 'Z' { // a setting of Argo CD
		end := 1
		for end < len(rest) && isWordByte(rest[end]) {
			end++
		}
		ref.take(Kind, &syntax.Node{View: n.View, Start: n.Start + tok.At.End + 1, End: n.Start + tok.At.End + end})
	}
	var told []string
	if n.Kind != syntax.Key && n.Kind != syntax.Prose && n.Kind != syntax.Code && n.Kind != syntax.Comment {
		around.scope()
	} else if n.Kind != syntax.Key && ref.Whole || n.Kind != syntax.Key && tok.Form == names.Versioned {
		told = around.told()
	}
	if field && !ok {
		ref.OpenKind = true
		around.versionNear()
	} else if len(told) < 2 {
		around.inLine()
	}
	for _, kind := range told {
		if !slices.Contains(ref.Known.Kinds, kind) {
			ref.Known.Kinds = append(ref.Known.Kinds, kind)
		}
	}
	around.taken()
	around.chosen()
	ref.typed()
	r.out.Refs = append(r.out.Refs, ref)
	around.tell()
}

// part adds a part of the leaf's own text.
func (x *Ref) part(w What, s source.Span) bool {
	if s.Len() == 0 {
		return false
	}
	return x.add(w, x.Leaf, x.Leaf.Start+s.Start, x.Leaf.Start+s.End)
}

// add adds a part that is the text [from, to) of a node's view.
func (x *Ref) add(w What, n *syntax.Node, from, to int) bool {
	at, ok := n.View.Span(from, to)
	if !ok {
		return false
	}
	if slices.ContainsFunc(x.Parts, func(p Part) bool { return p.Span == at }) {
		return true
	}
	x.Parts = append(x.Parts, Part{What: w, Span: at, Text: string(n.View.B[from:to]), Node: n})
	return true
}

// own takes the version, kind and resource that the token itself has.
func (x *search) own(t []byte) {
	tok := x.Token
	if x.part(Version, tok.Version) {
		x.Known.Versions = []string{string(tok.Version.Of(t))}
	}
	if x.part(Kind, tok.Kind) {
		x.Known.Kinds = []string{string(tok.Kind.Of(t))}
		if tok.Form == names.Hook { // it is spelled in lower case
			x.Known.Plurals, x.Known.Kinds = x.Known.Kinds, nil
		}
	}
	if tok.Plural.Len() == 0 {
		return
	}
	name := string(tok.Plural.Of(t))
	x.Name = name
	if tok.Form == names.Versioned && x.table.RulesOf(tok.Group).KindNamed(name) == "" {
		x.Capital = append(x.Capital, name)
		return // some path, or a resource that the tree has
	}
	x.part(Plural, tok.Plural)
	x.Known.Plurals = []string{name}
}

// scope finds the object of a reference, and its parts in it.
func (x *search) scope() {
	if x.Token.Form == names.REST {
		x.joined()
	}
	switch x.Token.Form {
	case names.Longer, names.Email, names.Path, names.Hook, names.Anchor, names.File, names.Pattern:
		return
	case names.Resource:
		if !x.Whole {
			return
		}
	}
	crd := x.crdOf(x.Leaf)
	if crd != nil && (kindsOf(crd) > 1 || x.claimDiffers(crd, x.Known.Group)) { // text that is no YAML, read as one object of two, or of two kinds
		x.OpenKind, x.Known.Plurals = true, nil
		return
	}
	if crd != nil {
		x.CRD, x.Object = true, crd
		x.inCRD(crd)
		return
	}
	o := x.Leaf.Up
	for o != nil && o.Name != "" && o.Kind == syntax.Entry && (o.Type == "" || o.IsList()) && len(o.Kids) > 0 && x.Leaf.Item && x.Leaf.Name == "" && o.Kids[0].Item {
		o = o.Up
	}
	if o != nil && o.Type != "" && o.Name != "" && o.Flow && len(o.Kids) == 1 { // ptr.To("example.com")
		o = o.Up
	}
	if o == nil {
		return
	}
	x.Stem = stem(x.Label)
	if rule := x.ruleOf(o); rule != nil {
		x.Rule, x.Object = rule, o
		return
	}
	if o.Kind == syntax.Block || o.Kind == syntax.Document && o.Lang != "yaml" && o.Lang != "json" {
		x.Object = nil
		x.inStatements(o)
		return
	}
	if x.Token.Form == names.Resource && x.Whole && x.Label == "name" && isListed(o) {
		x.Object, x.Stem, x.Known.Plurals = o, "", nil // a CRD in a list: {name, kind, version}
		x.inObject(o)
		return
	}
	if !isPart(x.Label) && !x.positional() {
		return
	}
	x.Object = o
	x.inObject(o)
	x.chained(o)
	if o.Kind == syntax.Command && len(o.Kids) == 1 && o.Up != nil {
		x.inStatements(o.Up)
	}
}

// inObject takes the parts of an object that have the labels of a reference.
func (x *search) inObject(o *syntax.Node) {
	after := false
	object := !IsAPIVersion(x.Label) && o.Child("apiversion") != nil && o.Child("metadata") != nil // of another API
	near := x.Leaf.Near(o)
	var nearest map[string]*syntax.Node
	var args []*syntax.Node
	if len(near) < len(o.Kids) {
		nearest = x.nearest(near)
	}
	for _, k := range near {
		if k == x.Leaf || x.Leaf.Within(k) {
			after = true
			continue
		}
		if nearest[k.Name] != nil && nearest[k.Name] != k || nearest == nil && x.otherBranch(o, k) {
			continue
		}
		if k.Name == "kind" && k.End == k.Start && IsAPIVersion(x.Label) && (len(k.Kids) == 0 || !k.Kids[0].Item) {
			x.OpenKind = true // {}, of a format
			continue
		}
		if k.Kind != syntax.Entry || k.End == k.Start && len(k.Kids) == 0 {
			continue
		}
		if k.Name == "" {
			if o.Kind == syntax.Command && (k.Seq == x.Leaf.Seq-1 || k.Seq == x.Leaf.Seq+1) && kindSpelled.Match(k.Text()) {
				x.Known.Kinds, x.OpenKind = append(x.Known.Kinds, k.String()), true
			}
			if after && x.Leaf.Item && k.Quoted && o.Kind != syntax.Document && o.Up != nil && x.Leaf.Up == o {
				x.argument(k)
				args = append(args, k)
			}
			continue
		}
		label := syntax.Normal(k.Name)
		if stem(label) != x.Stem || object && (label == "apiversion" || label == "kind") {
			continue
		}
		x.field(k, word(label))
	}
	if len(x.Known.Kinds)+len(x.Known.Plurals) == 0 && x.Leaf.Item && x.Leaf.Up == o {
		if last := o.Kids[len(o.Kids)-1]; last != x.Leaf && last.Item && last.Quoted {
			switch w := word(syntax.Normal(o.Type)); {
			case w == "resource":
				x.field(last, w)
			case strings.HasSuffix(syntax.Normal(o.Type), "kind"):
				x.field(last, "kind")
			}
		}
	}
	if len(x.Known.Kinds)+len(x.Known.Plurals) == 0 {
		x.guess(args)
	}
	if o.Merged() != nil && isPart(x.Label) {
		x.field(o.Merged(), "kind")
	}
}

// take adds a whole node as a part. A CustomResourceDefinition beside a group is what defines
// kinds of the group, and none of them.
func (x *Ref) take(w What, k *syntax.Node) {
	if k.End == k.Start || w == Kind && k.String() == "CustomResourceDefinition" && x.Known.Group != "apiextensions.k8s.io" || !x.add(w, k, k.Start, k.End) {
		return
	}
	t := k.String()
	switch w {
	case Version:
		x.Known.Versions = append(x.Known.Versions, t)
	case Kind:
		x.Known.Kinds = append(x.Known.Kinds, t)
	case Plural:
		x.Known.Plurals = append(x.Known.Plurals, t)
	}
}

// wordParts are the parts that words of labels are for.
var wordParts = map[string]What{"kind": Kind, "kinds": Kind, "version": Version, "versions": Version, "apiversion": Version, "apiversions": Version,
	"resource": Plural, "resources": Plural, "plural": Plural, "pluralname": Plural, "singular": Singular}

// field takes an entry whose label is a word for a part.
func (x *search) field(k *syntax.Node, word string) {
	w, ok := wordParts[word]
	if !ok {
		return
	}
	list := k.Kids
	if k.End > k.Start {
		list = []*syntax.Node{k}
	}
	for _, v := range list {
		if v.End == v.Start {
			continue
		}
		if i := bytes.IndexByte(v.Text(), '\n'); w == Kind && i > 0 { // a document that leaves out lines below the kind
			v = &syntax.Node{View: v.View, Start: v.Start, End: v.Start + len(bytes.TrimRight(v.Text()[:i], " \r"))}
		}
		t := v.String()
		if w == Kind && strings.ContainsAny(t, "|.*(") && !strings.Contains(t, "{{") {
			x.pattern(v)
			continue
		}
		if i := strings.IndexByte(t, '/'); w == Plural && i > 0 && !strings.ContainsAny(t, " .:\n*{$") { // a subresource
			x.add(Plural, v, v.Start, v.Start+i)
			x.Known.Plurals = append(x.Known.Plurals, t[:i])
			continue
		}
		switch {
		case w == Kind && x.ofAnother(v):
			x.OpenKind = true
		case w == Version && x.Token.Version.Len() > 0: // it has its own
		case strings.Contains(t, "{{") || strings.Contains(t, "$") || w == Kind && isOpen(t):
			x.Known.Open = x.Known.Open || w == Version
			x.OpenKind = x.OpenKind || w != Version
		case w == Version && !names.IsVersion(t):
			x.Known.Open = x.Known.Open || t[0] == 'v' && strings.ContainsAny(t, "|*(?[") // an expression
		case w == Kind && (t[0] < 'A' || t[0] > 'Z') && !(IsAPIVersion(x.Label) && x.Stem == "" && x.Leaf.Document().Lang == "yaml") || strings.ContainsAny(t, " /\n"):
		case w == Plural && (strings.ContainsAny(t, " .:\n") || t == "*"):
		default:
			x.take(w, v)
		}
	}
}

// ofSchema is the key of what a schema of OpenAPI is of.
const ofSchema = "x-kubernetes-group-version-kind"

// tell notes the facts that a reference tells.
func (x *search) tell() {
	k := x.Known
	if x.CRD {
		var plural string
		spec := x.Object.Find("spec")
		if g := spec.Child("group"); g != nil && strings.HasSuffix(g.String(), "."+k.Group) {
			return // it defines a kind of a longer group
		}
		for _, p := range x.Parts {
			switch p.What {
			case Plural, Singular:
				plural = p.Text
				for _, kind := range k.Kinds {
					x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Plural, Group: k.Group, Name: plural, Value: kind},
						index.Fact{Kind: index.Plural, Group: k.Group, Name: strings.ToLower(kind), Value: kind})
				}
			}
		}
		for _, kind := range k.Kinds {
			for _, v := range versionsOf(spec) {
				x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Defined, Group: k.Group, Version: v.String(), Name: kind})
			}
		}
		return
	}
	if up := x.Leaf.Up; up != nil && (up.Name == ofSchema || up.Up != nil && up.Up.Name == ofSchema) {
		return // a schema of OpenAPI has it for types of all sorts
	}
	x.withKinds()
	if x.Token.Form == names.Bare && x.Object != nil && x.Rule == nil && len(k.Versions) < 2 {
		version := ""
		if len(k.Versions) == 1 {
			version = k.Versions[0]
		}
		for _, kind := range k.Kinds {
			x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Seen, Group: k.Group, Version: version, Name: kind})
		}
		for _, p := range k.Plurals {
			if kind := x.table.RulesOf(k.Group).KindNamed(p); kind != "" {
				x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Seen, Group: k.Group, Name: kind})
			}
		}
		return
	}
	if x.Token.Form != names.Versioned && x.Token.Form != names.WithKind || len(k.Versions) != 1 || x.Leaf.Kind == syntax.Prose || x.Leaf.Kind == syntax.Comment {
		return
	}
	kind := ""
	if len(k.Kinds) == 1 && !x.OpenKind {
		kind = k.Kinds[0]
	}
	x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Seen, Group: k.Group, Version: k.Versions[0], Name: kind})
}
