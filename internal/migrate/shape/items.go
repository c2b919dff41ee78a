package shape

import (
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
	if n == 0 || n == len(keys) {
		return false
	}
	list := keys[:n]
	within, ok := ofItems(name, list, s)
	if !ok {
		return false
	}
	t, obj, ok := c.object()
	if !ok {
		return true
	}
	var fresh []splice
	for _, h := range slices.Backward(t.Find(obj, list)) {
		if t.Nodes[h.Node].Last < 0 {
			continue
		}
		item, ok := c.item(t, h, list)
		if !ok {
			return false
		}
		item.step(name, keys[n:], within)
		c.notes = append(c.notes, item.notes...)
		fresh = append(fresh, splice{t.Block(h.Node), string(item.text)})
	}
	if len(fresh) > 0 {
		c.splice(fresh...)
	}
	return true
}

// ofItems is a step as one of the items of a list; false for one that leads out
// of them, or asks for what stands elsewhere.
func ofItems(name string, list []string, s rules.Step) (rules.Step, bool) {
	if name == "tell" || name == "require-input" {
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
	piece := t.Block(h.Node)
	content := piece.Of(c.text)
	first := int(t.Nodes[t.Children(h.Node)[0]].Pos)
	way, ok := text.ScanPart(content, source.Span{End: len(content)}, c.json, c.templated).WayTo(first - piece.Start)
	return &converter{set: c.set, due: Due{Conversion: c.due.Conversion, path: way}, json: c.json, templated: c.templated, text: content,
		at: slices.Concat(c.at, text.Filled(list, h.Wild))}, ok
}
