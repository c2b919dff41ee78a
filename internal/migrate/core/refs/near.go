package refs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// inStatements takes the constants and variables next to one that is a group:
// GROUP = "example.com", VERSION = "v1".
func (x *search) inStatements(o *syntax.Node) {
	if !isPart(x.Label) || !x.Whole {
		return
	}
	k := x.Leaf
	for k != nil && k.Up != o {
		k = k.Up
	}
	if k == nil {
		return
	}
	i := k.At()
	if i < 0 {
		return
	}
	after, before := o.Kids[i+1:min(len(o.Kids), i+7)], slices.Clone(o.Kids[max(0, i-6):i])
	slices.Reverse(before)
	if line := x.onLine(before); len(line) > 0 { // Kind == K && Group == G
		before = line
		after = x.onLine(after)
	}
	x.statements(after)
	have := slices.Clone(x.Parts)
	x.statements(before, have...)
	x.inCalls()
}

// calledNames are the strings behind a constant in a call: on.create(GROUP, VERSION, "widgets").
var calledNames = lazyregexp.New(`["']([A-Za-z]+)["']`)

// longestCall is how much of a call is read, and mostSearched how much of a file for all of its constants.
const longestCall, mostSearched = 300, 16 << 20

// mostCalls is how many calls may name a constant: with more, its kind is not known.
const mostCalls = 100

// inCalls takes the resources with which calls of the file name a constant.
func (x *search) inCalls() {
	b, name := x.Leaf.View.B, []byte(x.Leaf.Named().Name+",")
	if len(name) < 4 || x.Leaf.View != x.Leaf.Root().View || x.searched > mostSearched {
		return
	}
	x.searched += len(b)
	var calls [][]*syntax.Node
	for at := bytes.Index(b, name); at >= 0 && len(calls) <= mostCalls; {
		from := at + len(name)
		rest := b[from:min(len(b), from+longestCall)]
		if i := bytes.IndexAny(rest, "()"); i >= 0 && (at == 0 || !isWordByte(b[at-1])) {
			var args []*syntax.Node
			for _, m := range calledNames.Get().FindAllSubmatchIndex(rest[:i], -1) {
				args = append(args, &syntax.Node{View: x.Leaf.View, Start: from + m[2], End: from + m[3]})
			}
			calls = append(calls, args)
		}
		if at = bytes.Index(b[from:], name); at >= 0 {
			at += from
		}
	}
	if len(calls) > mostCalls {
		x.Known.Kinds, x.Known.Plurals, x.OpenKind = nil, nil, true
		return
	}
	for _, args := range calls {
		have := len(x.Known.Plurals)
		for _, k := range args {
			x.argument(k)
		}
		if len(x.Known.Plurals) == have {
			x.guess(args)
		}
	}
}

// onLine are the first of some statements that are on the line of a reference.
func (x *Ref) onLine(near []*syntax.Node) []*syntax.Node {
	i := slices.IndexFunc(near, func(k *syntax.Node) bool {
		return k.View != x.Leaf.View || bytes.IndexByte(k.View.B[min(k.Start, x.Leaf.Start):max(k.Start, x.Leaf.Start)], '\n') >= 0
	})
	if i < 0 {
		i = len(near)
	}
	return near[:i]
}

// statements takes the parts of a reference from statements near it, up to the
// next group.
func (x *search) statements(near []*syntax.Node, have ...Part) {
	for _, k := range near {
		if k.Kind == syntax.Command && len(k.Kids) == 1 { // an assignment of a script
			k = k.Kids[0]
		}
		if k == x.Leaf || k.Kind != syntax.Entry || k.Name == "" || k.End == k.Start {
			continue
		}
		label := syntax.Normal(k.Name)
		if IsGroup(label) {
			return
		}
		w := word(label)
		if what, ok := wordParts[w]; ok && slices.ContainsFunc(have, func(p Part) bool { return p.What == what }) {
			continue
		}
		if stem(label) == x.Stem && w != "resources" {
			x.field(k, w)
		}
	}
}

// chained takes the kind, version or resource that calls behind an object add to it:
// GroupVersion{...}.WithKind("Widget"), AbsPath("/apis/example.com/v1").Resource("widgets").
func (x *search) chained(o *syntax.Node) {
	if o.Up == nil {
		return
	}
	end := o.End
	if len(o.Kids) > 0 {
		end = o.Kids[len(o.Kids)-1].End
	}
	for i := o.Seq + 1; i < len(o.Up.Kids) && i <= o.Seq+3; i++ {
		k := o.Up.Kids[i]
		called := k.Type
		if k.Start == k.End && len(k.Kids) == 0 { // Namespace(ns)
			continue
		}
		if len(k.Kids) == 1 && k.Kids[0].Quoted {
			k = k.Kids[0]
		}
		if k.View != o.View || k.Start < end || !isChain(k.View.B[end:k.Start]) {
			return
		}
		if name := syntax.Normal(called); k.Quoted && (strings.HasPrefix(name, "with") || name == "resource") {
			x.field(k, word(name))
		}
		end = k.End
	}
}

// isChain says whether a text between two strings goes on with a call of what is before it.
func isChain(b []byte) bool {
	for line := range bytes.Lines(b) {
		if line[len(line)-1] == '\n' && !bytes.HasSuffix(bytes.TrimSpace(line), []byte(".")) {
			return false
		}
	}
	return bytes.IndexByte(b, ';') < 0 && bytes.IndexByte(b, '=') < 0 && bytes.ContainsAny(b, ")}") && bytes.IndexByte(b, '.') > 0
}

// joined takes the resource of a REST path from calls behind it, or from the text that is
// joined to it: "/apis/example.com/v1/namespaces/" + ns + "/widgets".
func (x *search) joined() {
	n := x.Leaf
	if len(x.Known.Plurals) > 0 || !n.Quoted || n.Up == nil {
		return
	}
	rest := n.Text()[x.Token.End:]
	if len(rest) == 0 {
		if len(n.Up.Kids) == 1 && n.Up.Type != "" { // the only argument of a call
			n = n.Up
		}
		x.chained(n)
		return
	}
	if !n.Open || string(rest) != "/namespaces/" || n.Seq+1 >= len(n.Up.Kids) {
		return
	}
	k := n.Up.Kids[n.Seq+1]
	if t := k.Text(); k.Open && k.Quoted && len(t) > 1 && t[0] == '/' {
		end := bytes.IndexByte(t[1:], '/') + 1
		if end == 0 {
			end = len(t)
		}
		x.take(Plural, &syntax.Node{View: k.View, Start: k.Start + 1, End: k.Start + end})
	}
}

// codeWords are the words of a sentence that are code and spelled like kinds, and of them those of several
// words: where one is, the sentence is about none that is no code.
var codeWords = lazyregexp.New("`((?:[A-Z][A-Za-z0-9]*([A-Z])[A-Za-z0-9]*[a-z]|[A-Z][A-Za-z0-9]*))`")

// sentence is how far from a reference in text its sentence goes. A file of one line has
// no end of it.
const sentence = 500

// told are the kinds of rules that the sentence of a reference in text names: they decide which
// rule it is about, and are no parts of it. Other words that are spelled like a kind may be those
// of the tree.
func (x *search) told() (kinds []string) {
	if len(x.Known.Kinds)+len(x.Known.Plurals) > 0 || !x.table.Versioned(x.Known.Group) {
		return nil
	}
	b, from, to := x.Leaf.View.B, x.Leaf.Start+x.Token.At.Start, x.Leaf.Start+x.Token.End
	b = b[:min(len(b), to+sentence)]
	first := max(0, from-sentence)
	from = first + max(bytes.LastIndexByte(b[first:from], '\n'), bytes.LastIndex(b[first:from], []byte(". "))) + 1
	if kind := ofRow(b[from:]); kind != "" {
		return []string{kind}
	}
	for to < len(b) && b[to] != '\n' && !bytes.HasPrefix(b[to:], []byte(". ")) {
		to++
	}
	words := bytes.FieldsFunc(b[from:to], func(c rune) bool { return c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') })
	if code := codeWords.Get().FindAllSubmatch(b[from:to], -1); slices.ContainsFunc(code, func(m [][]byte) bool { return m[2] != nil }) {
		words = words[:0]
		for _, m := range code {
			words = append(words, m[1])
		}
	}
	for _, kind := range x.table.RulesOf(x.Known.Group).Kinds() {
		if slices.ContainsFunc(words, func(w []byte) bool { return string(w) == kind || string(w) == kind+"s" }) {
			kinds = append(kinds, kind)
		}
	}
	for _, w := range words {
		if w := strings.TrimSuffix(string(w), "s"); w != "" && 'A' <= w[0] && w[0] <= 'Z' && !slices.Contains(kinds, w) {
			x.Capital = append(x.Capital, w)
		}
	}
	return kinds
}

// rowsOfKind are the rows for the apiVersion and the kind of an object in a table of its
// fields: | `apiVersion` _string_ | `example.com/v1` |.
var rowsOfKind = lazyregexp.New("^\\|[ `*_]*apiVersion\\b[^|\n]*\\|[^\n]*\n\\|[ `*_]*kind\\b[^|\n]*\\|[ `*_]*([A-Z][A-Za-z0-9]*)[ `*_]*\\|")

// ofRow is the kind that the row after one for an apiVersion names, "" for none.
func ofRow(b []byte) string {
	m := rowsOfKind.FindSubmatch(b)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// taken adds the kinds of the objects that take a group from where it is spelled,
// by an alias or a merge.
func (x *search) taken() {
	for _, m := range x.Leaf.Takers() {
		if x.Rule != nil {
			x.Shared = x.Shared || m.Child("resources") != nil // other ones
			continue
		}
		if kind := m.Child("kind"); kind != nil {
			x.field(kind, "kind")
		}
	}
}

// ofAnother says whether an object of another API takes a kind from where it is spelled.
func (x *search) ofAnother(kind *syntax.Node) bool {
	return slices.ContainsFunc(kind.Takers(), func(m *syntax.Node) bool {
		api := m.Child("apiversion")
		return api != nil && api.String() != x.Leaf.String()
	})
}

// isOpen says whether a kind is filled in, at least in part.
func isOpen(kind string) bool {
	return strings.IndexByte("%{<?!", kind[0]) >= 0 || strings.ContainsAny(kind, "$\\\"'`;,)]}")
}

// typed says whether a literal around a reference is of a type of its version and kind.
func (x *Ref) typed() {
	if len(x.Known.Versions) != 1 || len(x.Known.Kinds) != 1 {
		return
	}
	for n := x.Leaf.Up; n != nil; n = n.Up {
		pkg, kind, ok := strings.Cut(strings.TrimLeft(n.Type, "&*[]"), ".")
		if ok && kind == x.Known.Kinds[0] && strings.HasSuffix(strings.ToLower(pkg), x.Known.Versions[0]) {
			x.Typed = true
		}
	}
}

// pattern takes the kinds that an expression chooses from; of any other expression, it
// is not known which they are.
func (x *Ref) pattern(v *syntax.Node) {
	at := v.Start
	for part := range strings.SplitSeq(v.String(), "|") {
		name := strings.Trim(part, "()^$")
		from := at + strings.Index(part, name)
		at += len(part) + 1
		if name == "" || strings.IndexFunc(name, func(c rune) bool { return !isWordByte(byte(c)) || c == '.' || c == '/' }) >= 0 {
			x.OpenKind = true
			return
		}
		x.take(Kind, &syntax.Node{View: v.View, Start: from, End: from + len(name)})
	}
}

// ruleOf is the rule of permissions, of a webhook or of a policy that an object
// is; nil for any other.
func (x *search) ruleOf(o *syntax.Node) *Rule {
	if word(x.Label) != "groups" && word(x.Label) != "apigroups" {
		return nil
	}
	if rule, ok := x.rules[o]; ok {
		return rule
	}
	rule := &Rule{Object: o}
	for _, k := range o.Kids {
		if k.Kind != syntax.Entry || k.Name == "" {
			continue
		}
		items := k.Kids
		if k.End > k.Start {
			items = []*syntax.Node{k}
		}
		switch syntax.Normal(k.Name) {
		case "apigroups", "groups":
			rule.Groups = append(rule.Groups, items...)
		case "resources":
			if k.Alias() != nil {
				items = k.Alias().Kids
			}
			rule.Resources = append(rule.Resources, items...)
		case "apiversions", "versions":
			rule.Versions = append(rule.Versions, items...)
		}
	}
	if len(rule.Resources) == 0 {
		rule = nil
	}
	x.rules[o] = rule
	return rule
}

// Renamed are the kinds and resources of rules that get another name, with the groups of
// these rules; with gone, those that have no successor too.
func Renamed(t *rules.Table, gone bool) map[string][]string {
	list := map[string][]string{}
	for _, g := range t.Groups() {
		for _, x := range t.RulesOf(g) {
			if x.From.Kind == "" || !(gone && x.Gone()) && (x.To.Kind == "" || x.To.Kind == x.From.Kind) {
				continue
			}
			plurals := rules.Plurals(x.From.Kind)
			if x.From.Plural != "" {
				plurals = []string{x.From.Plural}
			}
			for _, name := range append(plurals, x.From.Kind) {
				list[name] = append(list[name], g)
			}
		}
	}
	return list
}

// nearest are the nearest of the entries with a name around a leaf.
func (x *Ref) nearest(near []*syntax.Node) map[string]*syntax.Node {
	at := slices.IndexFunc(near, x.Leaf.Within)
	list := map[string]*syntax.Node{}
	for apart := 1; apart < len(near); apart++ {
		for _, i := range []int{at + apart, at - apart} {
			if i >= 0 && i < len(near) && list[near[i].Name] == nil {
				list[near[i].Name] = near[i]
			}
		}
	}
	delete(list, "")
	return list
}

// argument takes an argument without a name behind the group.
func (x *search) argument(k *syntax.Node) {
	t := k.String()
	switch {
	case names.IsVersion(t):
		if len(x.Known.Versions) == 0 {
			x.take(Version, k)
		}
	case x.table.RulesOf(x.Known.Group).KindNamed(t) != "", x.table.RulesOf(x.Known.Group).Renamed(rules.GVK{Group: x.Known.Group, Plural: t}):
		x.take(Plural, k)
	case slices.Contains(x.table.RulesOf(x.Known.Group).Kinds(), t), len(x.Known.Versions) == 1 && len(x.Known.Kinds)+len(x.Known.Plurals) == 0 && kindSpelled.MatchString(t):
		x.take(Kind, k)
	}
}

// kindWord is the spelling of a kind.
const kindWord = `[A-Z][a-z]+(?:[A-Z0-9][A-Za-z0-9]*)?`

var kindSpelled = lazyregexp.New(`^` + kindWord + `$`)

var pluralSpelled = lazyregexp.New(`^[a-z]{2,}s$`)

// guess takes the texts that are spelled like a kind or resource, and may be other words: they are
// one where the tree knows it.
func (x *Ref) guess(list []*syntax.Node) {
	for _, k := range list {
		switch t := k.Text(); {
		case string(t) == "namespaces": // of a path of the API
			continue
		case pluralSpelled.Match(t):
			x.take(Plural, k)
		case kindSpelled.Match(t):
			x.take(Kind, k)
		default:
			continue
		}
		x.OpenKind = true
	}
}

// calledWith is a kind that a variable of Go code with a group and version is asked for.
var calledWith = lazyregexp.New(`\b(\w+)\.WithKind\("(\w+)"\)`)

// withKinds tells of the kinds that a file asks a variable with a group and version for.
func (x *search) withKinds() {
	up := x.Leaf.Up
	if up == nil || up.Name == "" || !strings.HasSuffix(up.Type, "GroupVersion") {
		return
	}
	if x.called == nil {
		x.called = map[string][]string{}
		for _, m := range calledWith.FindAllSubmatch(x.Leaf.Root().View.B, -1) {
			x.called[string(m[1])] = append(x.called[string(m[1])], string(m[2]))
		}
	}
	for _, kind := range x.called[up.Name] {
		x.out.Facts = append(x.out.Facts, index.Fact{Kind: index.Seen, Group: x.Known.Group, Version: strings.Join(x.Known.Versions, ""), Name: kind})
	}
}
