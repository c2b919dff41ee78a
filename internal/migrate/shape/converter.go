package shape

import (
	"errors"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A converter runs the steps of one conversion on one object, on its text.
// After each change the text is scanned again, and only then, so that every span is
// fresh.
type converter struct {
	set             map[string]string
	due             Due
	json, templated bool
	text            []byte
	tree            *text.Tree           // of the text; nil = it has changed
	items           map[int32]*converter // of items in the tree that a step was done on
	notes           []Note
	refused         error    // why the object needs review
	at              []string // where the text is in the object of the conversion: an item of a list
	left            *int     // bytes that may still be written for its file
}

// object scans the text, unless it is as it was, and finds the object. Where that is not found,
// it needs review, whatever is done in its place.
func (c *converter) object() (*text.Tree, int32) {
	if c.tree == nil {
		c.tree = text.ScanPart(c.text, source.Span{End: len(c.text)}, c.json, c.templated)
	}
	i, ok := text.Follow(c.tree, c.due.path)
	if !ok && c.refused == nil {
		c.refused = errors.New("its place is not found any more")
	}
	return c.tree, i
}

// write makes the text another one.
func (c *converter) write(content []byte) {
	c.text, c.tree, c.items = content, nil, nil
	if *c.left -= len(content); *c.left < 0 {
		c.refused = errors.New("the steps write more than 256 times its size")
	}
}

// run does the steps and returns the text.
func (c *converter) run() []byte {
	conv := c.due.Conversion
	c.note(Note{Rule: conv.ID, Ruleset: conv.Set, Old: conv.From + " " + conv.Kind, New: conv.To, Why: "its shape changes"})
	t, obj := c.object()
	av := t.Entry(obj, "apiVersion")
	if c.templated && (twice(t, obj, []string{"apiVersion"}) || twice(t, obj, []string{"kind"})) {
		c.refuse([]string{"apiVersion"})
		return c.text
	}
	if av >= 0 && t.Text(av) != conv.To {
		c.splice(splice{t.Nodes[av].Val, conv.To})
	}
	for _, s := range conv.Steps {
		name, at, err := s.Verb()
		if err != nil {
			continue // a ruleset that was validated has none
		}
		keys, err := text.ParsePath(at)
		if err != nil {
			continue
		}
		if c.woven(name, keys, s) {
			c.refuse(keys)
		}
		if c.refused != nil {
			break
		}
		c.step(name, keys, s)
	}
	return c.text
}

func (c *converter) note(n Note) { c.notes = append(c.notes, n) }

// tell reports something about a step for review.
func (c *converter) tell(why, hint string) {
	conv := c.due.Conversion
	c.note(Note{Review: true, Rule: conv.ID, Ruleset: conv.Set, Old: conv.Kind, Why: why, Hint: hint})
}

// A splice writes text over a span of an object.
type splice struct {
	source.Span
	text string
}

// splice makes edits of the text.
func (c *converter) splice(list ...splice) {
	edits := make([]source.Edit, len(list))
	for i, x := range list {
		edits[i] = source.Edit{Span: x.Span, Old: string(x.Of(c.text)), New: x.text}
	}
	content, err := source.Apply(c.text, edits)
	if err != nil {
		c.tell(err.Error(), "convert this object by hand")
		return
	}
	c.write(content)
}

// step does one step, at every place that its path leads to.
func (c *converter) step(name string, keys []string, s rules.Step) {
	if c.inItems(name, keys, s) {
		return
	}
	t, obj := c.object()
	switch name {
	case "set", "require-input":
		c.provide(name, keys, s)
		return
	case "tell":
		c.advise(keys, s)
		return
	}
	// From the last to the first, so that dropping an item does not renumber those still to come.
	for _, h := range slices.Backward(t.Find(obj, keys)) {
		c.stepAt(name, keys, h.Wild, s)
	}
}

// stepAt does one step at one place, where its condition is met.
func (c *converter) stepAt(name string, keys []string, wild []int, s rules.Step) {
	way := text.Filled(keys, wild)
	t, obj := c.object()
	if c.refused != nil {
		return
	}
	n, missing := t.Walk(obj, way)
	if len(missing) > 0 || !c.holds(t, obj, n, wild, s.When) {
		return
	}
	if s.When != nil && s.When.Is == "template" && s.When.Path == "" && name == "move" && filledText(t, n) {
		if c.refused == nil {
			c.refused = errText(c.spelled(way))
		}
		return
	}
	if s.Report {
		c.tell(c.lost(name, way, t, n, s), hintFor(s))
	}
	if c.inPieces() {
		return
	}
	switch name {
	case "drop":
		c.cut(t, n)
		c.prune(way, s)
	case "rename":
		c.splice(splice{t.Nodes[n].Key, s.To})
	case "map-values":
		c.mapValue(t, n, way, s)
	case "wrap":
		if keys[len(keys)-1] != "[*]" {
			c.wrap(t, n, s.To)
		} else if !c.wrapItem(t, n, s.To) {
			c.refuse(way)
		}
	case "move", "copy":
		to, err := text.ParsePath(s.To)
		if err != nil {
			return // a ruleset that was validated has none
		}
		if to = text.Filled(to, wild); slices.Contains(to, "[*]") {
			c.spread(way, to, name == "copy", s)
		} else {
			c.move(t, obj, n, way, to, name == "copy", s)
		}
	}
}

func hintFor(s rules.Step) string {
	if s.Run != "" {
		return s.Run
	}
	if s.To != "" || s.Drop == "" {
		return ""
	}
	return "look whether the value is needed elsewhere"
}

// advise reports every place that a path stands for; without a
// condition, about those that are there.
func (c *converter) advise(keys []string, s rules.Step) {
	t, obj := c.object()
	for _, way := range c.places(keys) {
		n, missing := t.Walk(obj, way)
		if len(missing) > 0 {
			n = -1
		}
		if (s.When != nil || n >= 0) && c.holds(t, obj, n, text.WildOf(way), s.When) {
			c.tell(c.spelled(way)+": "+s.Why, s.Run)
		}
	}
}

// spelled is a path of the object at hand as rulesets spell it, from the object
// of the conversion on.
func (c *converter) spelled(way []string) string { return spelledPath(slices.Concat(c.at, way)) }

// spelledPath is a path as rulesets spell it.
func spelledPath(way []string) string {
	return strings.ReplaceAll(strings.Join(way, "."), ".[", "[")
}

// lost says what a step takes away.
func (c *converter) lost(name string, way []string, t *text.Tree, n int32, s rules.Step) string {
	value := t.Raw(n)
	if t.Nodes[n].Style == text.None {
		value = strings.Join(strings.Fields(string(t.Block(n).Of(t.Data))), " ")
		_, value, _ = strings.Cut(value, ": ")
	}
	if len(value) > 60 {
		value = value[:57] + "..."
	}
	text := c.spelled(way) + ": " + value
	if name == "drop" {
		text += " has no place in " + c.due.Conversion.To
	}
	if s.Why != "" {
		text += ": " + s.Why
	}
	return text
}

// filledIn is text that another program fills in: of a shell, of fmt.Sprintf.
var filledIn = lazyregexp.New(`\$[A-Za-z_{(]|%[-+#0]*[0-9.]*[sdvqx]`)

// isPlaceholder says whether a value is only known when some program has filled it in.
func isPlaceholder(content string) bool {
	return text.HasTemplate([]byte(content)) || filledIn.MatchString(content)
}

// holds says whether a condition is met.
func (c *converter) holds(t *text.Tree, obj, n int32, wild []int, w *rules.When) bool {
	if w == nil {
		return true
	}
	if w.Path != "" {
		keys, err := text.ParsePath(w.Path)
		if err != nil {
			return false
		}
		at, missing := t.Walk(obj, text.Filled(keys, wild))
		n = at
		if len(missing) > 0 {
			n = -1
		}
	}
	content := ""
	if n >= 0 {
		content = t.Raw(n)
	}
	if !isForm(t, n, content, w.Is) || len(w.In) > 0 && (n < 0 || !slices.Contains(w.In, content)) {
		return false
	}
	return !slices.Contains(w.Not, content) || n < 0
}

// errText is why an object needs review in which a template fills in a text that goes
// where another form may be asked for.
func errText(what string) error {
	return errors.New("a template fills in the text of " + what + ", and nothing tells whether a number belongs there")
}

// filledText says whether a value is text, whatever is filled into it: it is in quotes,
// or an action puts them there.
func filledText(t *text.Tree, n int32) bool {
	return t.Nodes[n].Style != text.Plain || quotes.MatchString(t.Raw(n))
}

// quotes are the functions of Helm's templates that put quotes around a value.
var quotes = lazyregexp.New(`\bs?quote\b`)

// A value is what conditions ask about.
type value struct {
	there, scalar, template, number, empty bool
}

// forms are what conditions name; each is asked of a value.
var forms = map[string]func(v value) bool{
	"present":  func(v value) bool { return v.there },
	"missing":  func(v value) bool { return !v.there },
	"number":   func(v value) bool { return v.number },
	"string":   func(v value) bool { return v.scalar && !v.number && !v.template },
	"template": func(v value) bool { return v.template },
	"empty":    func(v value) bool { return v.empty },
}

// isForm says whether a value has a form that conditions name; -1 is for none.
func isForm(t *text.Tree, n int32, content, form string) bool {
	is := forms[form]
	if is == nil {
		return true
	}
	if n < 0 {
		return is(value{})
	}
	x := t.Nodes[n]
	return is(value{
		there: true, scalar: x.Style != text.None, template: isPlaceholder(content), empty: x.Last < 0 && content == "",
		number: x.Style == text.Plain && content != "" && strings.Trim(content, "0123456789") == "",
	})
}
