package shape

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A step on the items of a list is done on each of them alone, cut out of the
// object: the work is as large as the object, however many items it has.

// inItems does a step that stays within the items of a list. It says false for
// any other one.
func (c *converter) inItems(name string, keys []string, s rules.Step) bool {
	n := slices.Index(keys, "[*]") + 1
	if n == 0 || n == len(keys) || c.templated { // what belongs to an item may stand behind it
		return false
	}
	list := keys[:n]
	t, obj := c.object()
	items := t.Find(obj, list)
	if len(items) == 0 && !looksAround[name] {
		return true
	}
	within, ok := ofItems(name, list, s)
	if !ok {
		return false
	}
	var fresh []splice
	for _, h := range slices.Backward(items) {
		if t.Nodes[h.Node].Last < 0 {
			continue
		}
		item, ok := c.item(t, h, list)
		if !ok {
			c.items = nil
			return false
		}
		item.step(name, keys[n:], within)
		c.notes = append(c.notes, item.notes...)
		if at := t.Block(h.Node); !bytes.Equal(item.text, at.Of(c.text)) {
			fresh = append(fresh, splice{at, string(item.text)})
		}
	}
	if len(fresh) > 0 {
		c.splice(fresh...)
		c.items = nil
	}
	return true
}

// looksAround are the steps that say something of more than the places of their path.
var looksAround = map[string]bool{"tell": true, "require-input": true}

// ofItems is a step as one of the items of a list; false for one that leads out
// of them, or asks for what is elsewhere.
func ofItems(name string, list []string, s rules.Step) (rules.Step, bool) {
	if looksAround[name] {
		return s, false
	}
	if s.When != nil && s.When.Path != "" {
		when := *s.When
		s.When = &when
		if !below(&when.Path, list) {
			return s, false
		}
	}
	return s, name != "move" && name != "copy" || below(&s.To, list)
}

// below makes a path one from the items of a list on. It says false when it
// leads elsewhere.
func below(path *string, list []string) bool {
	keys, _ := text.ParsePath(*path) // none of a path that is wrong
	if len(keys) <= len(list) || !slices.Equal(keys[:len(list)], list) {
		return false
	}
	rest := spelledPath(keys[len(list):])
	if again, _ := text.ParsePath(rest); !slices.Equal(again, keys[len(list):]) {
		return false
	}
	*path = rest
	return true
}

// item is the conversion of one item of a list, on its own text.
func (c *converter) item(t *text.Tree, h text.Hit, list []string) (*converter, bool) {
	if known := c.items[h.Node]; known != nil {
		known.notes = nil
		return known, true
	}
	piece := t.Block(h.Node)
	content := piece.Of(c.text)
	first := int(t.Nodes[t.Children(h.Node)[0]].Pos)
	tree := text.ScanPart(content, source.Span{End: len(content)}, c.json, c.templated)
	way, ok := tree.WayTo(first - piece.Start)
	item := &converter{set: c.set, due: Due{Conversion: c.due.Conversion, path: way}, json: c.json, templated: c.templated, text: content, tree: tree,
		at: slices.Concat(c.at, text.Filled(list, h.Wild)), left: c.left}
	if ok {
		if c.items == nil {
			c.items = map[int32]*converter{}
		}
		c.items[h.Node] = item
	}
	return item, ok
}
