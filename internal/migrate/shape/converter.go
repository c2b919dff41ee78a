package shape

import (
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A converter does the steps of one conversion on one object.
type converter struct {
	target
	conv  *rules.Conversion
	at    int // offset of the kind of the object, as in its Due
	notes []Note
}

// A target is the object that the paths of steps lead into.
type target struct {
	Options
	obj     *node
	pieces  bool   // a template writes the object in pieces
	asks    bool   // the step changes nothing
	about   string // the path of the step
	refused error  // why the object needs review
}

// A hit is a node that a path leads to, with the items that its wildcards took.
type hit struct {
	*node
	wild []int
}

// run does the steps.
func (c *converter) run() {
	c.notes = append(c.notes, Note{Rule: c.conv.ID, Ruleset: c.conv.Set, Old: c.conv.From + " " + c.conv.Kind, New: c.conv.To, Why: "its shape changes"})
	c.about = "apiVersion"
	c.entry(c.obj, "kind")
	if av := c.entry(c.obj, "apiVersion"); av != nil && av.val == c.conv.From { // else the rules have changed it
		av.val = c.conv.To
	}
	for _, s := range c.conv.Steps {
		name, at, err := s.Verb()
		keys, notPath := rules.ParsePath(at)
		if err != nil || notPath != nil {
			continue // a ruleset that was validated has none
		}
		if c.refused != nil {
			break
		}
		step{converter: c, Step: s, name: name, keys: keys}.do()
	}
}

// refuse reports the object for review as a whole.
func (t *target) refuse(why error) {
	if t.refused == nil {
		t.refused = why
	}
}

// A Refusal is why an object keeps its shape, a step that cannot be done on it, with what to
// do about it.
type Refusal struct{ Why, Hint string }

func (r *Refusal) Error() string { return r.Why }

const byHand = "convert the object by hand"

// cannot refuses an object on which a step cannot be done: half of its new shape would lose
// what the other half says.
func (c *converter) cannot(why, hint string) { c.refuse(&Refusal{why, hint}) }

// tell reports something about a step for review.
func (c *converter) tell(why, hint string) {
	c.notes = append(c.notes, Note{Review: true, Rule: c.conv.ID, Ruleset: c.conv.Set, Old: c.conv.Kind, Why: why, Hint: hint})
}

// entry is the entry with a key, nil for none. In a template, it may be there twice, or be
// written by an action: the object then needs review.
func (t *target) entry(n *node, key string) *node {
	found := n.entry(key)
	if !t.Templated {
		return found
	}
	if found == nil && !t.asks && n.hides() || slices.ContainsFunc(n.kids, func(k *node) bool { return k != found && k.key != "" && k.name == key }) {
		t.refuse(errWoven(t.about))
	}
	return found
}

// below is the entry at a key or, for [n], the item at a place in a list.
func (t *target) below(n *node, key string) *node {
	if !strings.HasPrefix(key, "[") || !strings.HasSuffix(key, "]") {
		return t.entry(n, key)
	}
	if i, err := strconv.Atoi(key[1 : len(key)-1]); err == nil && i < len(n.kids) {
		return n.kids[i]
	}
	return nil
}

// find follows keys from the object.
func (t *target) find(keys []string) []hit {
	at := []hit{{node: t.obj}}
	for _, key := range keys {
		var next []hit
		for _, h := range at {
			if key != "[*]" {
				if n := t.entry(h.node, key); n != nil {
					next = append(next, hit{n, h.wild})
				}
				continue
			}
			if t.Templated && !t.asks && h.hides() {
				t.refuse(errWoven(t.about))
			}
			for i, item := range h.kids {
				if item.key == "" {
					next = append(next, hit{item, append(slices.Clone(h.wild), i)})
				}
			}
		}
		at = next
	}
	return at
}

// walk follows a path without wildcards as far as it goes: the node and the keys that are
// missing.
func (t *target) walk(way []string) (*node, []string) {
	at := t.obj
	for i, key := range way {
		next := t.below(at, key)
		if next == nil {
			return at, way[i:]
		}
		at = next
	}
	return at, nil
}

// places are the ways that a path with wildcards stands for, one for each item that is there.
func (t *target) places(keys []string) [][]string {
	last := len(keys) - 1
	for last >= 0 && keys[last] != "[*]" {
		last--
	}
	var ways [][]string
	for _, h := range t.find(keys[:last+1]) {
		ways = append(ways, filled(keys, h.wild))
	}
	return ways
}

// filled is a path with its wildcards replaced by items.
func filled(keys []string, wild []int) []string {
	out, n := slices.Clone(keys), 0
	for i, key := range out {
		if key == "[*]" && n < len(wild) {
			out[i] = "[" + strconv.Itoa(wild[n]) + "]"
			n++
		}
	}
	return out
}

// taken are the items in a filled path.
func taken(way []string) []int {
	var list []int
	for _, key := range way {
		if n, err := strconv.Atoi(strings.Trim(key, "[]")); err == nil && strings.HasPrefix(key, "[") {
			list = append(list, n)
		}
	}
	return list
}

// spelled is a path as rulesets spell it.
func spelled(way []string) string { return strings.ReplaceAll(strings.Join(way, "."), ".[", "[") }

// filledIn is text that another program fills in: of a shell, of fmt.Sprintf.
var filledIn = lazyregexp.New(`\$[A-Za-z_{(]|%[-+#0]*[0-9.]*[sdvqx]`)

// holds says whether a condition is met at a node, nil for one that is not there.
func (t *target) holds(n *node, wild []int, w *rules.When) bool {
	if w == nil {
		return true
	}
	var keys []string
	if w.Path != "" {
		var err error
		if keys, err = rules.ParsePath(w.Path); err != nil {
			return false
		}
		keys = filled(keys, wild)
		at, missing := t.walk(keys)
		if n = at; len(missing) > 0 {
			n = nil
		}
	}
	content := ""
	if n != nil {
		if content = n.val; !t.asks && (n.written || w.Path != "" && t.woven(keys)) {
			t.refuse(errWoven(t.about))
		}
	}
	return n.is(w.Is) && (len(w.In) == 0 || n != nil && slices.Contains(w.In, content)) && (n == nil || !slices.Contains(w.Not, content))
}

// is says whether a value has a form that conditions name; nil is for none.
func (n *node) is(form string) bool {
	if n == nil {
		return form == "" || form == "missing"
	}
	template := text.HasTemplate([]byte(n.val)) || filledIn.MatchString(n.val)
	number := n.plain && n.val != "" && strings.Trim(n.val, "0123456789") == ""
	switch form {
	case "missing":
		return false
	case "number":
		return number
	case "string":
		return n.scalar && !number && !template
	case "template":
		return template
	case "empty":
		return len(n.kids) == 0 && n.val == ""
	}
	return true
}

// quotes are the functions of Helm's templates that put quotes around a value.
var quotes = lazyregexp.New(`\bs?quote\b`)

// lost says what a step takes away.
func (s step) lost(way []string, n *node) string {
	value := n.val
	if !n.scalar {
		value = strings.Join(strings.Fields(n.value()), " ")
	}
	if len(value) > 60 {
		value = value[:57] + "..."
	}
	text := spelled(way) + ": " + value
	if s.name == "drop" {
		text += " has no place in " + s.conv.To
	}
	if s.Why != "" {
		text += ": " + s.Why
	}
	return text
}

// hint says what to do about what is lost.
func (s step) hint() string {
	if s.Run != "" {
		return s.Run
	}
	if s.To != "" || s.Drop == "" {
		return ""
	}
	return "look whether the value is needed elsewhere"
}
