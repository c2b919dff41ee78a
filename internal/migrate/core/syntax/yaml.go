package syntax

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// yamlStream reads a stream of YAML documents.
func yamlStream(top *Node, v *View, o options) {
	for _, s := range text.Documents(v.B) {
		if b := s.Of(v.B); o.hit == nil || o.hit(b) {
			document(top, v, s, false, o.templated || text.HasTemplate(b), o)
		}
	}
}

// jsonText reads JSON, with comments too.
func jsonText(top *Node, v *View, o options) {
	document(top, v, source.Span{End: len(v.B)}, true, o.templated, o)
}

// document reads a document of YAML or JSON with those in its texts.
func document(top *Node, v *View, s source.Span, json, templated bool, o options) {
	doc := top.add(&Node{Kind: Document, Lang: "yaml", View: v, rare: &rare{place: s}})
	if json {
		doc.Lang = "json"
	}
	notes := scan(doc, v, s, json, templated)
	read(doc, o)
	comments(doc, v, notes, "yaml", o)
}

// read reads the documents in the texts below a node.
func read(up *Node, o options) {
	for i, n := range up.Kids {
		read(n, o)
		if n.Style != NoScalar {
			inScalar(n, o)
		}
		if n.Item && n.Name == "" && i > 0 {
			argument(n, up.Kids[i-1])
		}
	}
}

// inScalar reads the document in the text of a node.
func inScalar(n *Node, o options) {
	if n.End > n.Start && (o.hit == nil || o.hit(n.Text())) {
		v := n.View.Sub(n.Start, n.End)
		switch {
		case n.Style == Literal || n.Style == Folded:
			v = unindent(v)
		case n.Style == Double && bytes.ContainsAny(v.B, "\\\n"):
			embed(n, unescape(v), o)
			return
		}
		embed(n, v, o)
	}
	flag(n)
}

// argument gives an item the name of the flag before it: [--api-group, x].
func argument(n, before *Node) {
	if t := before.Text(); len(t) > 2 && t[0] == '-' && t[1] == '-' && before.Name == "" && n.End > n.Start && n.View.B[n.Start] != '-' {
		n.Name = string(bytes.TrimLeft(t, "-"))
	}
}

// flag makes --group=x an entry of the name group with the text x.
func flag(n *Node) {
	t := n.Text()
	if len(n.Kids) > 0 || !bytes.HasPrefix(t, []byte("-")) {
		return
	}
	i := bytes.IndexByte(t, '=')
	if i < 2 || bytes.ContainsAny(t[:i], " \t\n{") {
		return
	}
	n.Name = string(bytes.TrimLeft(t[:i], "-"))
	n.Start += i + 1
}

// unindent is the content of a block scalar: its lines without the indentation
// of the first.
func unindent(v *View) *View {
	indent := -1
	b := newBuilder(v, len(v.B))
	for at := 0; at < len(v.B); {
		end := text.LineBreak(v.B, at)
		line := v.B[at:end]
		blank := len(line) - len(bytes.TrimLeft(line, " "))
		if indent < 0 && blank < len(line) {
			indent = blank
		}
		b.add(at+min(blank, max(indent, 0)), min(end+1, len(v.B)))
		at = end + 1
	}
	return b.view()
}

// comments adds the comments of a text. Lines below each other are one, so
// that an object that is commented out is read as an object.
func comments(doc *Node, v *View, list []source.Span, lang string, o options) {
	for i := 0; i < len(list); {
		j := i + 1
		before := bytes.TrimRight(v.B[:list[i].Start], " \t#/")
		alone := len(before) == 0 || before[len(before)-1] == '\n'
		for j < len(list) && alone && between(v.B, list[j-1].End, list[j].Start, "/#") {
			j++
		}
		block(doc, v, list[i:j], lang, o)
		i = j
	}
}

// block adds comments that follow each other. A marker of code generators is one
// of its own.
func block(doc *Node, v *View, list []source.Span, lang string, o options) {
	for i, s := range list {
		if !bytes.HasPrefix(bytes.TrimLeft(v.B[s.Start:s.End], " \t"), []byte("+")) {
			continue
		}
		if i > 0 {
			remark(doc, v, list[:i], lang, o)
		}
		if o.hit == nil || o.hit(v.B[s.Start:s.End]) {
			comment(doc, v, s, lang)
		}
		if i+1 < len(list) {
			block(doc, v, list[i+1:], lang, o)
		}
		return
	}
	remark(doc, v, list, lang, o)
}

// remark adds comments without markers.
func remark(doc *Node, v *View, list []source.Span, lang string, o options) {
	all := v.B[list[0].Start:list[len(list)-1].End]
	if o.hit != nil && !o.hit(all) {
		return
	}
	if len(list) == 1 {
		literals(doc, v.Sub(list[0].Start, list[0].End), o)
		comment(doc, v, list[0], lang)
		return
	}
	b := newBuilder(v, len(all))
	for _, s := range list {
		b.add(s.Start, s.End)
		b.put('\n', s.End)
	}
	together := b.view()
	if looksYAML(bytes.TrimLeft(all, " \t")) {
		n := doc.add(&Node{Kind: Comment, Lang: lang, View: v})
		yamlStream(n, unindent(together), o.inner())
		return
	}
	literals(doc, together, o)
	for _, s := range list {
		if o.hit == nil || o.hit(v.B[s.Start:s.End]) {
			comment(doc, v, s, lang)
		}
	}
}

// comment adds one comment, and the arguments of a marker. Behind a colon, the two slashes
// that begin it are those of a URL.
func comment(doc *Node, v *View, s source.Span, lang string) {
	if bytes.HasSuffix(v.B[:s.Start], []byte("://")) {
		s.Start -= len("://")
	}
	s.Start = text.SkipBlank(v.B, s.Start, s.End)
	n := doc.add(&Node{Kind: Comment, Lang: lang, View: v, Start: s.Start, End: s.End})
	if bytes.HasPrefix(n.Text(), []byte("+")) {
		marker(n)
	}
}

// marker reads a marker of code generators: +name:key=value,key={a,b},key=a;b.
func marker(n *Node) {
	t := n.Text()
	end := bytes.IndexAny(t, " \t=")
	if end < 0 {
		return
	}
	name, at := string(t[1:end]), end+1
	if t[end] == '=' { // +groupName=x, or +kubebuilder:rbac:groups=x,...
		if i := bytes.LastIndexByte(t[:end], ':'); i >= 0 {
			name, at = string(t[1:i]), i+1
		} else {
			name, at = "", 1
		}
	}
	n.Type = name
	for at < len(t) {
		eq := bytes.IndexByte(t[at:], '=')
		if eq < 0 {
			break
		}
		key := string(bytes.Trim(t[at:at+eq], " \t,"))
		from := at + eq + 1
		to := argumentEnd(t, from)
		arg := n.add(&Node{Name: key, Start: n.Start + from, End: n.Start + to})
		items(arg)
		at = to + 1
	}
	if len(n.Kids) > 0 {
		n.End = n.Start
	}
}

// argumentEnd is where the argument of a marker ends that begins at an offset.
func argumentEnd(t []byte, at int) int {
	depth, quote := 0, byte(0)
	for ; at < len(t); at++ {
		switch c := t[at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			return at
		case c == ' ' && depth == 0 && bytes.IndexByte(t[at:], '=') < 0:
			return at
		}
	}
	return at
}

// items makes the items of a list in an argument of a marker nodes: a;b, {a,b}.
func items(arg *Node) {
	t := arg.Text()
	sep := byte(';')
	from, to := arg.Start, arg.End
	if len(t) > 1 && t[0] == '{' && t[len(t)-1] == '}' {
		sep, from, to = ',', from+1, to-1
	}
	for at := from; at <= to; {
		end := at
		for end < to && arg.View.B[end] != sep && (sep == ';' || arg.View.B[end] != ';') {
			end++
		}
		k := &Node{Start: at, End: end, Item: true, Flow: true}
		arg.add(k)
		k.trim(" \"'`", " \"'`")
		at = end + 1
	}
	arg.End = arg.Start
}
