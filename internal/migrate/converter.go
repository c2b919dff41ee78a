package migrate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A converter runs the steps of one conversion on one object, on text. After
// each change the text is scanned again, so that every span is fresh.
type converter struct {
	m       *Migration
	due     due
	format  string
	region  int
	ordinal int
	json    bool
	text    []byte
	notes   []Site
}

// object scans the text and finds the object.
func (c *converter) object() (*tree, int32, bool) {
	list := regions(c.format, c.text)
	if c.region >= len(list) {
		return nil, 0, false
	}
	docs := documents(c.text, list[c.region])
	if c.ordinal < 0 || c.ordinal >= len(docs) {
		return nil, 0, false
	}
	t := scanRegion(c.text, docs[c.ordinal], c.json)
	i, ok := follow(t, c.due.path)
	return t, i, ok
}

// run does the steps and returns the text.
func (c *converter) run() []byte {
	conv := c.due.conversion
	if t, obj, ok := c.object(); ok {
		if av := t.entry(obj, "apiVersion"); av >= 0 && t.text(av) != conv.To {
			c.splice([]source.Edit{{Span: t.nodes[av].val, New: conv.To}})
		}
	}
	c.note(Site{Role: RoleShape, Action: Change, Rule: conv.ID, Ruleset: conv.ruleset, Old: conv.From + " " + conv.Kind, New: conv.To, Why: "its shape changes"})
	for _, s := range conv.Steps {
		name, at, err := s.verb()
		if err != nil {
			continue // a ruleset that was validated has none
		}
		keys, err := parsePath(at)
		if err != nil {
			continue
		}
		c.step(name, keys, s)
	}
	return c.text
}

func (c *converter) note(s Site) { c.notes = append(c.notes, s) }

// tell is a finding for a person about a step.
func (c *converter) tell(why, hint string) {
	conv := c.due.conversion
	c.note(Site{Role: RoleShape, Action: Person, Rule: conv.ID, Ruleset: conv.ruleset, Old: conv.Kind, Why: why, Hint: hint})
}

// splice makes edits of the text.
func (c *converter) splice(edits []source.Edit) {
	text, err := source.Apply(c.text, edits)
	if err != nil {
		c.tell(err.Error(), "convert this object by hand")
		return
	}
	c.text = text
}

// A hit is a node that a path leads to, with the items that its wildcards took.
type hit struct {
	node int32
	wild []int
}

// find follows keys from an object.
func (t *tree) find(obj int32, keys []string) []hit {
	at := []hit{{node: obj}}
	for _, k := range keys {
		var next []hit
		for _, h := range at {
			if k != "[*]" {
				if n := t.entry(h.node, k); n >= 0 {
					next = append(next, hit{n, h.wild})
				}
				continue
			}
			for i, item := range t.roots(h.node) {
				if t.nodes[item].key.Len() == 0 {
					next = append(next, hit{item, append(slices.Clone(h.wild), i)})
				}
			}
		}
		at = next
	}
	return at
}

// entry is the child with a key; quotes around keys do not matter.
func (t *tree) entry(i int32, key string) int32 {
	for _, j := range t.roots(i) {
		if t.nodes[j].key.Len() > 0 && t.keyText(j) == key {
			return j
		}
	}
	return -1
}

// filled is a path with its wildcards replaced by the items of a hit.
func filled(keys []string, wild []int) []string {
	out := slices.Clone(keys)
	n := 0
	for i, k := range out {
		if k == "[*]" && n < len(wild) {
			out[i] = "[" + strconv.Itoa(wild[n]) + "]"
			n++
		}
	}
	return out
}

// walk follows a path without wildcards as far as it goes: the node and the
// keys that are missing.
func (t *tree) walk(obj int32, keys []string) (int32, []string) {
	at := obj
	for i, k := range keys {
		next := int32(-1)
		if strings.HasPrefix(k, "[") && strings.HasSuffix(k, "]") {
			n, _ := strconv.Atoi(k[1 : len(k)-1])
			if list := t.roots(at); n < len(list) {
				next = list[n]
			}
		} else {
			next = t.entry(at, k)
		}
		if next < 0 {
			return at, keys[i:]
		}
		at = next
	}
	return at, nil
}

// step does one step, at every place that its path leads to.
func (c *converter) step(name string, keys []string, s Step) {
	t, obj, ok := c.object()
	if !ok {
		return
	}
	if name == "set" || name == "require-input" {
		c.provide(name, keys, s)
		return
	}
	hits := t.find(obj, keys)
	// From the last to the first, so that dropping an item does not renumber those still to come.
	for _, h := range slices.Backward(hits) {
		way := filled(keys, h.wild)
		t, obj, ok := c.object()
		if !ok {
			return
		}
		n, missing := t.walk(obj, way)
		if len(missing) > 0 || !c.holds(t, obj, n, h.wild, s.When) {
			continue
		}
		if s.Report {
			c.tell(c.lost(name, way, t, n, s), hintFor(s))
		}
		switch name {
		case "drop":
			c.cut(t, n)
			c.prune(way, s)
		case "rename":
			c.splice([]source.Edit{{Span: t.nodes[n].key, New: s.To}})
		case "map-values":
			c.mapValue(t, n, way, s)
		case "wrap":
			c.wrap(t, n, s.To)
		case "move", "copy":
			to, err := parsePath(s.To)
			if err == nil {
				c.move(t, obj, n, way, filled(to, h.wild), name == "copy", s)
			}
		}
	}
}

func hintFor(s Step) string {
	if s.To != "" || s.Drop == "" {
		return ""
	}
	return "look whether the value is needed elsewhere"
}

// lost says what a step takes away.
func (c *converter) lost(name string, way []string, t *tree, n int32, s Step) string {
	value := t.text(n)
	if t.nodes[n].style == none {
		value = strings.Join(strings.Fields(string(t.block(n).Of(t.data))), " ")
		_, value, _ = strings.Cut(value, ": ")
	}
	if len(value) > 60 {
		value = value[:57] + "..."
	}
	text := strings.ReplaceAll(strings.Join(way, "."), ".[", "[") + ": " + value
	if name == "drop" {
		text += " has no place in " + c.due.conversion.To
	}
	if s.Why != "" {
		text += ": " + s.Why
	}
	return text
}

// holds says whether a condition is met.
func (c *converter) holds(t *tree, obj, n int32, wild []int, w *When) bool {
	if w == nil {
		return true
	}
	if w.Path != "" {
		keys, err := parsePath(w.Path)
		if err != nil {
			return false
		}
		at, missing := t.walk(obj, filled(keys, wild))
		n = at
		if len(missing) > 0 {
			n = -1
		}
	}
	text := ""
	if n >= 0 {
		text = t.text(n)
	}
	isNumber := n >= 0 && t.nodes[n].style == plain && text != "" && strings.Trim(text, "0123456789") == ""
	switch w.Is {
	case "present":
		if n < 0 {
			return false
		}
	case "missing":
		if n >= 0 {
			return false
		}
	case "number":
		if !isNumber {
			return false
		}
	case "string":
		if n < 0 || isNumber || t.nodes[n].style == none || hasTemplate([]byte(text)) {
			return false
		}
	case "template":
		if n < 0 || !hasTemplate([]byte(text)) {
			return false
		}
	case "empty":
		if n < 0 || t.nodes[n].last >= 0 || text != "" {
			return false
		}
	}
	if len(w.In) > 0 && (n < 0 || !slices.Contains(w.In, text)) {
		return false
	}
	return !slices.Contains(w.Not, text) || n < 0
}

// cut takes an entry away.
func (c *converter) cut(t *tree, n int32) {
	x := t.nodes[n]
	if x.flow {
		c.splice([]source.Edit{{Span: flowItem(t, n)}})
		return
	}
	b := t.block(n)
	if !t.shares(n) {
		c.splice([]source.Edit{{Span: t.withComments(n, b)}})
		return
	}
	// "- first: x" goes: the next entry moves up to the dash, comments between go above it.
	start := x.key.Start
	if c := t.data[start-1]; c == '"' || c == '\'' {
		start--
	}
	next := x.next
	if next < 0 {
		c.splice([]source.Edit{{Span: source.Span{Start: start, End: b.End}, New: "{}\n"}})
		return
	}
	nextStart := int(t.nodes[next].line)
	between := string(t.data[b.End:nextStart])
	keyAt := nextStart + len(t.data[nextStart:]) - len(bytes.TrimLeft(t.data[nextStart:], " \t"))
	edits := []source.Edit{{Span: source.Span{Start: start, End: keyAt}}}
	if strings.TrimSpace(between) != "" {
		dash := string(t.data[x.line : int(x.line)+len(t.data[x.line:])-len(bytes.TrimLeft(t.data[x.line:], " \t"))])
		var above strings.Builder
		for _, line := range strings.SplitAfter(between, "\n") {
			if strings.TrimSpace(line) != "" {
				above.WriteString(dash + strings.TrimLeft(line, " \t"))
			}
		}
		edits = append(edits, source.Edit{Span: source.Span{Start: int(x.line), End: int(x.line)}, New: above.String()})
	}
	c.splice(edits)
}

// flowItem is an entry of a flow collection with its comma.
func flowItem(t *tree, n int32) source.Span {
	s := t.flowSpan(n)
	x := t.nodes[n]
	if x.next >= 0 {
		s.End = t.flowSpan(x.next).Start
		return s
	}
	if x.prev >= 0 {
		s.Start = t.flowSpan(x.prev).End
		return s
	}
	return s
}

// prune takes away the parents that a step left empty.
func (c *converter) prune(way []string, s Step) {
	if !s.Prune {
		return
	}
	for len(way) > 1 {
		way = way[:len(way)-1]
		t, obj, ok := c.object()
		if !ok {
			return
		}
		n, missing := t.walk(obj, way)
		if len(missing) > 0 || n < 0 || t.nodes[n].last >= 0 || t.text(n) != "" || t.nodes[n].key.Len() == 0 {
			return
		}
		c.cut(t, n)
	}
}

// mapValue replaces a scalar.
func (c *converter) mapValue(t *tree, n int32, way []string, s Step) {
	old := t.text(n)
	fresh, ok := s.Values[old]
	switch {
	case !ok:
		c.tell(fmt.Sprintf("%s: no new value is known for %q", strings.Join(way, "."), old), "")
	case fresh == "":
		c.cut(t, n)
	default:
		c.splice([]source.Edit{{Span: t.nodes[n].val, New: fresh}})
	}
}

// wrap puts a value under one more key.
func (c *converter) wrap(t *tree, n int32, key string) {
	x := t.nodes[n]
	if x.flow || c.json {
		s := t.flowSpan(n)
		value := s
		value.Start = x.key.End
		for value.Start < s.End && (t.data[value.Start] == '"' || t.data[value.Start] == '\'' || t.data[value.Start] == ':' || t.data[value.Start] == ' ') {
			if t.data[value.Start] == ':' {
				value.Start++
				value.Start = skipBlank(t.data, value.Start, s.End)
				break
			}
			value.Start++
		}
		quoted := key
		if c.json {
			quoted = strconv.Quote(key)
		}
		c.splice([]source.Edit{{Span: source.Span{Start: value.Start, End: value.Start}, New: "{" + quoted + ": "},
			{Span: source.Span{Start: s.End, End: s.End}, New: "}"}})
		return
	}
	b := t.block(n)
	colon := x.key.End + bytes.IndexByte(t.data[x.key.End:], ':') + 1
	pad := strings.Repeat(" ", int(x.indent)+2)
	rest := string(t.data[colon:b.End])
	first, more, _ := strings.Cut(rest, "\n")
	text := "\n" + pad + key + ":" + first + "\n" + shift(more, 2)
	c.splice([]source.Edit{{Span: source.Span{Start: colon, End: b.End}, New: text}})
}

// shift re-indents the lines of a block; blank lines stay.
func shift(text string, by int) string {
	if by == 0 || text == "" {
		return text
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			b.WriteString(line)
		case by > 0:
			b.WriteString(strings.Repeat(" ", by) + line)
		default:
			n := 0
			for n < -by && n < len(line) && line[n] == ' ' {
				n++
			}
			b.WriteString(line[n:])
		}
	}
	return b.String()
}

// move takes an entry to another path of the object.
func (c *converter) move(t *tree, obj, n int32, way, to []string, keep bool, s Step) {
	x := t.nodes[n]
	parent, missing := t.walk(obj, to)
	if len(missing) == 0 {
		if !keep {
			c.tell(strings.Join(to, ".")+" is there already; "+strings.Join(way, ".")+" stays", "merge the two by hand")
		}
		return
	}
	if (x.flow || c.json) != (c.json || parent >= 0 && t.nodes[parent].last >= 0 && t.nodes[t.nodes[parent].last].flow) {
		c.tell(strings.Join(way, ".")+" is written in flow style, its new place is not", "move it to "+strings.Join(to, ".")+" by hand")
		return
	}
	if x.flow || c.json {
		value := string(t.flowSpan(n).Of(t.data))
		if !keep {
			c.cut(t, n)
		}
		c.insertFlow(to, value)
	} else {
		value, comments := t.valueText(n)
		if s.Quote && x.style == plain {
			value = " " + strconv.Quote(t.text(n)) + value[strings.Index(value, t.text(n))+len(t.text(n)):]
		}
		if !keep {
			c.cut(t, n)
		}
		c.insert(to, comments, value, int(x.indent))
	}
	if !keep {
		c.prune(way, s)
	}
}

// valueText is what stands behind the key of a block entry up to its end, and
// the comment lines above it.
func (t *tree) valueText(n int32) (value, comments string) {
	b := t.block(n)
	x := t.nodes[n]
	colon := x.key.End + bytes.IndexByte(t.data[x.key.End:], ':') + 1
	if !t.shares(n) {
		w := t.withComments(n, b)
		comments = string(t.data[w.Start:b.Start])
	}
	return string(t.data[colon:b.End]), comments
}

// insert writes an entry at a path that is not there, under the parents that
// are, and makes those that are not. column is where the key stood.
func (c *converter) insert(to []string, comments, value string, column int) {
	t, obj, ok := c.object()
	if !ok {
		return
	}
	parent, missing := t.walk(obj, to)
	if len(missing) == 0 {
		return
	}
	list := t.roots(parent)
	var indent, at int
	if len(list) > 0 {
		indent, at = int(t.nodes[list[0]].indent), t.block(list[len(list)-1]).End
	} else {
		indent, at = int(t.nodes[parent].indent)+2, t.block(parent).End
	}
	var b strings.Builder
	if at > 0 && t.data[at-1] != '\n' {
		b.WriteByte('\n')
	}
	for i, key := range missing {
		pad := strings.Repeat(" ", indent+2*i)
		if i == len(missing)-1 {
			b.WriteString(shift(comments, indent+2*i-column))
			b.WriteString(pad + key + ":" + shiftTail(value, indent+2*i-column))
			break
		}
		b.WriteString(pad + key + ":\n")
	}
	text := b.String()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	edits := []source.Edit{{Span: source.Span{Start: at, End: at}, New: text}}
	if len(list) == 0 && parent >= 0 && t.nodes[parent].style == plain {
		c.tell(strings.Join(to, ".")+" has no mapping to stand in", "write it by hand")
		return
	}
	c.splice(edits)
}

// shiftTail re-indents the lines of a value behind its first one.
func shiftTail(value string, by int) string {
	first, rest, ok := strings.Cut(value, "\n")
	if !ok {
		return value
	}
	return first + "\n" + shift(rest, by)
}

// insertFlow writes an entry into a flow mapping.
func (c *converter) insertFlow(to []string, entry string) {
	t, obj, ok := c.object()
	if !ok {
		return
	}
	parent, missing := t.walk(obj, to)
	if len(missing) == 0 {
		return
	}
	quote := ""
	if c.json || strings.HasPrefix(entry, `"`) {
		quote = `"`
	}
	value := entry
	if i := strings.Index(entry, ":"); i >= 0 {
		value = strings.TrimLeft(entry[i+1:], " \t\n")
	}
	text := value
	for i := len(missing) - 1; i >= 0; i-- {
		text = quote + missing[i] + quote + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	list := t.roots(parent)
	if len(list) > 0 {
		at := t.flowSpan(list[len(list)-1]).End
		c.splice([]source.Edit{{Span: source.Span{Start: at, End: at}, New: ", " + text}})
		return
	}
	s := t.flowSpan(parent)
	c.splice([]source.Edit{{Span: source.Span{Start: s.End - 1, End: s.End - 1}, New: text}})
}

// provide writes a value where none is.
func (c *converter) provide(name string, keys []string, s Step) {
	value := s.Value
	if name == "require-input" {
		given, ok := c.m.opts.Set[s.Name]
		t, obj, found := c.object()
		if !found {
			return
		}
		if hits := t.find(obj, keys); len(hits) > 0 {
			return
		}
		if !ok {
			why := strings.Join(keys, ".") + " needs a value"
			if s.Why != "" {
				why += ": " + s.Why
			}
			c.tell(why, fmt.Sprintf("run again with --set %s=VALUE", s.Name))
			return
		}
		value = given
	}
	for _, way := range c.places(keys) {
		t, obj, ok := c.object()
		if !ok {
			return
		}
		parent, missing := t.walk(obj, way)
		if len(missing) == 0 || !c.holds(t, obj, parent, wildOf(way), s.When) {
			continue
		}
		if c.json || parent >= 0 && t.nodes[parent].last >= 0 && t.nodes[t.nodes[parent].last].flow {
			c.insertFlow(way, "x: "+c.scalarText(value))
			continue
		}
		c.insert(way, "", " "+value+"\n", 0)
	}
}

// scalarText is a value as JSON wants it, in JSON.
func (c *converter) scalarText(value string) string {
	if !c.json || value == "true" || value == "false" || value == "null" || strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") || strings.HasPrefix(value, `"`) {
		return value
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return strconv.Quote(value)
}

// places are the ways that a path with wildcards stands for, one for each item
// that is there.
func (c *converter) places(keys []string) [][]string {
	last := -1
	for i, k := range keys {
		if k == "[*]" {
			last = i
		}
	}
	if last < 0 {
		return [][]string{keys}
	}
	t, obj, ok := c.object()
	if !ok {
		return nil
	}
	var ways [][]string
	for _, h := range t.find(obj, keys[:last+1]) {
		ways = append(ways, append(filled(keys[:last+1], h.wild), keys[last+1:]...))
	}
	return ways
}

// wildOf are the item numbers in a filled path.
func wildOf(way []string) []int {
	var list []int
	for _, k := range way {
		if n, err := strconv.Atoi(strings.Trim(k, "[]")); err == nil && strings.HasPrefix(k, "[") {
			list = append(list, n)
		}
	}
	return list
}
