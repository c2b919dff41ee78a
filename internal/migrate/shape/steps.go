package shape

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"sigs.k8s.io/yaml"
)

// A step is one that a converter does.
type step struct {
	*converter
	rules.Step
	name string
	keys []string // its path
}

// do does a step at every place that its path leads to.
func (s step) do() {
	s.asks, s.about = s.name == "tell", spelled(s.keys)
	switch s.name {
	case "set", "require-input":
		s.provide()
		return
	case "tell":
		s.advise()
		return
	}
	// From the last to the first, so that dropping an item does not renumber those still to come.
	for _, h := range slices.Backward(s.find(s.keys)) {
		if s.refused == nil {
			s.doAt(filled(s.keys, h.wild), h)
		}
	}
}

// doAt does a step at one place, where its condition is met.
func (s step) doAt(way []string, h hit) {
	if !s.holds(h.node, h.wild, s.When) {
		return
	}
	if s.When != nil && s.When.Is == "template" && s.When.Path == "" && s.name == "move" && (!h.plain || quotes.MatchString(h.val)) {
		s.refuse(fmt.Errorf("a template fills in the text of %s, and nothing tells whether a number belongs there", spelled(way)))
		return
	}
	if s.Report {
		s.tell(s.lost(way, h.node), s.hint())
	}
	to, err := rules.ParsePath(s.To)
	if to = filled(to, h.wild); s.woven(way) || s.name != "rename" && err == nil && len(to) > 1 && s.woven(to) {
		s.refuse(errPieces)
	}
	if s.refused != nil {
		return
	}
	switch s.name {
	case "drop":
		up := h.up
		h.cut()
		s.prune(up)
	case "rename":
		h.key = strings.Replace(h.key, strings.Trim(h.key, `"'`), s.To, 1)
		h.name = s.To
	case "map-values":
		s.mapValue(h.node, way)
	case "wrap":
		s.wrap(h.node, s.To)
	case "move", "copy":
		if slices.Contains(to, "[*]") {
			s.spread(h.node, way, to, s.name == "copy")
		} else {
			s.move(h.node, way, to, s.name == "copy")
		}
	}
}

// advise reports every place that a path stands for; without a condition, those that are there.
func (s step) advise() {
	for _, way := range s.places(s.keys) {
		n, missing := s.walk(way)
		if len(missing) > 0 {
			n = nil
		}
		if (s.When != nil || n != nil) && s.holds(n, taken(way), s.When) {
			s.tell(spelled(way)+": "+s.Why, s.Run)
		}
	}
}

// prune takes away a node and those above it that a step left empty.
func (s step) prune(n *node) {
	for s.Prune && n != s.obj && n.key != "" && n.val == "" && len(n.kids) == 0 {
		up := n.up
		n.cut()
		n = up
	}
}

// mapValue replaces a scalar.
func (s step) mapValue(n *node, way []string) {
	fresh, ok := s.Values[n.val]
	switch {
	case n.written:
		s.refuse(errWoven(spelled(way)))
	case !ok && !slices.Contains(slices.Collect(maps.Values(s.Values)), n.val):
		s.cannot(fmt.Sprintf("%s: no new value is known for %q", spelled(way), n.val), "add it to the values of the step, or "+byHand)
	case !ok:
	case fresh == "":
		n.cut()
	default:
		n.val = fresh
	}
}

// wrap puts a value under one more key, or makes it the one item of a list.
func (c *converter) wrap(n *node, key string) {
	value, list := n.value(), key == "[*]"
	switch {
	case n.flow || c.JSON:
		blank := value[:len(value)-len(strings.TrimLeft(value, " "))]
		open, end := blank+"{"+c.quote(key)+": ", "}"
		if list {
			open, end = blank+"[", "]"
		}
		c.rewrite(n, open+strings.TrimLeft(value, " ")+end)
	case n.key == "" && (!n.scalar || strings.Contains(n.val, "\n")):
		c.refuse(errors.New("an item of " + n.up.name + " is no scalar of one line"))
	case n.key == "":
		c.rewrite(n, key+": "+value)
	default:
		pad := strings.Repeat(" ", n.indent+2)
		first, more, _ := strings.Cut(value, "\n")
		if more = shift(more, 2); list {
			c.rewrite(n, listOfOne(first, more, pad))
		} else {
			c.rewrite(n, "\n"+pad+key+":"+first+"\n"+more)
		}
	}
}

// quote is a key as JSON wants it, in JSON.
func (c *converter) quote(key string) string {
	if c.JSON {
		return strconv.Quote(key)
	}
	return key
}

// listOfOne is a block value, a mapping below its key or a scalar behind it, as the one
// item of a list.
func listOfOne(first, more, pad string) string {
	if strings.TrimSpace(first) != "" && !strings.HasPrefix(strings.TrimSpace(first), "#") {
		return "\n" + pad + "-" + first + "\n" + more
	}
	at := 0 // the line of the first entry, behind comments
	for line := range strings.Lines(more) {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			break
		}
		at += len(line)
	}
	if strings.HasPrefix(more[at:], pad+"  ") {
		more = more[:at] + pad + "- " + more[at+len(pad)+2:]
	}
	return first + "\n" + more
}

// shift re-indents the lines of a block; blank lines stay.
func shift(content string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(content) {
		if blank := len(line) - len(strings.TrimLeft(line, " ")); by < 0 {
			line = line[min(-by, blank):]
		} else if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", by))
		}
		b.WriteString(line)
	}
	return b.String()
}

// move takes an entry to another path of the object, or copies it there. What cannot be
// written there stays where it is.
func (s step) move(n *node, way, to []string, keep bool) {
	parent, missing := s.walk(to)
	if len(missing) == 0 {
		if !keep {
			s.occupied(way, to)
		}
		return
	}
	up := n.up
	below := !keep && len(to) > len(way) && slices.Equal(to[:len(way)], way)
	if below { // it goes before it is written
		parent, missing = up, to[len(way)-1:]
	}
	flow := s.JSON || parent.inFlow || below && len(up.kids) == 1 && n.shares
	value, comments, movable := s.movable(n, flow)
	switch {
	case !movable:
		s.cannot(spelled(way)+" is written in another style than its new place", "write both in one style, or "+byHand)
	case !below && !parent.takes():
		s.cannot(spelled(to)+" has no mapping to hold it, and "+spelled(way)+" would move there", byHand)
	case below:
		n.cut()
		s.insert(parent, missing, comments, value, n.indent)
	default:
		if s.insert(parent, missing, comments, value, n.indent); !keep {
			n.cut()
			s.prune(up)
		}
	}
}

// occupied refuses a move to where something else is.
func (s step) occupied(way, to []string) {
	s.cannot(spelled(to)+" exists already, and "+spelled(way)+" would move there", "merge the two, or "+byHand)
}

// movable is the value of an entry as text for another place, with the comments above it. It
// says false when the value cannot stand there.
func (s step) movable(n *node, toFlow bool) (value, comments string, ok bool) {
	moved := *n
	if s.Quote && n.plain {
		moved.val = strconv.Quote(n.val)
	}
	if value = moved.value(); !n.flow && !toFlow {
		if !n.shares {
			_, comments = n.comments()
		}
		return value, comments, true
	}
	value = strings.TrimSpace(value)
	switch {
	case n.flow && toFlow:
		return value, "", true
	case n.flow:
		return " " + value + "\n", "", value != "" && !strings.Contains(value, "\n")
	}
	_, comments = n.comments()
	return value, "", n.scalar && !n.block && value != "" && (n.shares || comments == "") && !strings.ContainsAny(value, "\n#,[]{}|>")
}

// spread copies an entry to every item that a path with wildcards leads to, and takes it
// away from where it stood.
func (s step) spread(n *node, way, to []string, keep bool) {
	places := s.places(to)
	if len(places) == 0 {
		s.cannot(spelled(way)+" has nowhere to go: "+spelled(to)+" has no item", byHand)
		return
	}
	free := func(place []string) bool { _, missing := s.walk(place); return len(missing) > 0 }
	if !keep && !slices.ContainsFunc(places, free) {
		s.occupied(way, to)
		return
	}
	for _, place := range places {
		if s.refused == nil {
			s.move(n, way, place, true)
		}
	}
	if up := n.up; !keep {
		n.cut()
		s.prune(up)
	}
}

// insert writes an entry below a node, with the parents that are missing. Column is where
// its key stood.
func (c *converter) insert(parent *node, missing []string, comments, value string, column int) {
	if c.JSON || parent.inFlow {
		content := strings.TrimSpace(value)
		for i, key := range slices.Backward(missing) {
			if key = c.quote(key); len(parent.kids) > 0 && strings.HasPrefix(parent.kids[0].key, `"`) {
				key = `"` + strings.Trim(key, `"`) + `"`
			}
			if content = key + ": " + content; i > 0 {
				content = "{" + content + "}"
			}
		}
		if top := c.read("{" + content + "}"); len(top.kids) > 0 && len(top.kids[0].kids) > 0 {
			if len(parent.kids) > 0 {
				top.kids[0].kids[0].gap = ", "
			}
			parent.adopt(top.kids[0].kids...)
		}
		return
	}
	indent := parent.indent + 2
	if len(parent.kids) > 0 {
		indent = parent.kids[0].indent
	} else {
		parent.open, parent.tail = parent.open+parent.tail, ""
	}
	var b strings.Builder
	for i, key := range missing {
		by := indent + 2*i - column
		if i < len(missing)-1 {
			b.WriteString(strings.Repeat(" ", column+by) + key + ":\n")
			continue
		}
		first, more, _ := strings.Cut(value, "\n")
		b.WriteString(shift(comments, by) + strings.Repeat(" ", column+by) + key + ":" + first + "\n" + shift(more, by))
	}
	parent.adopt(c.read(b.String()).kids...)
}

// read reads what a step writes.
func (c *converter) read(content string) *node {
	if *c.Left -= len(content); *c.Left < 0 {
		c.refuse(errors.New("the steps write more than 32 times its size, or 32 MiB"))
		return &node{}
	}
	top, _, err := read([]byte(content), c.Options)
	if err != nil {
		c.refuse(err)
		return &node{}
	}
	return top
}

// rewrite gives a node a value that is written another way.
func (c *converter) rewrite(n *node, value string) {
	flow := n.flow || c.JSON
	if flow {
		value = "{x:" + value + "}"
	} else {
		value = strings.Repeat(" ", n.indent) + n.key + n.colon + value
	}
	top := c.read(value)
	if flow && len(top.kids) > 0 {
		top = top.kids[0]
	}
	if len(top.kids) > 0 {
		n.become(top.kids[0])
	}
}

// provide writes a value where none is.
func (s step) provide() {
	value := s.Value
	if s.name == "require-input" {
		given, ok := s.given()
		if !ok {
			return
		}
		value = given
	}
	for _, way := range s.places(s.keys) {
		if s.refused == nil {
			s.provideAt(way, value)
		}
	}
}

// given is the value that the user gave for a step; false where none is needed, or none is
// given, which is reported.
func (s step) given() (string, bool) {
	if len(s.find(s.keys)) > 0 {
		return "", false
	}
	value, ok := s.Options.Set[s.Name]
	if !ok {
		why := strings.Join(s.keys, ".") + " needs a value"
		if s.Why != "" {
			why += ": " + s.Why
		}
		s.cannot(why, fmt.Sprintf("run again with --set %s=VALUE", s.Name))
	}
	return value, ok
}

// provideAt writes a value at one place, where none is and the condition is met.
func (s step) provideAt(way []string, value string) {
	parent, missing := s.walk(way)
	switch {
	case len(missing) > 0 && !s.holds(parent, taken(way), s.When):
	case s.woven(way): // what is there may be missing all the same
		s.refuse(errPieces)
	case len(missing) == 0:
	case !parent.takes():
		s.cannot(spelled(way)+" has no mapping to hold it", byHand)
	default:
		if s.Report {
			s.tell(spelled(way)+" is "+value+" now: "+s.Why, "")
		}
		s.insert(parent, missing, "", " "+s.scalarText(value)+"\n", 0)
	}
}

// scalarText is a value as JSON wants it, in JSON.
func (c *converter) scalarText(value string) string {
	if !c.JSON || value == "true" || value == "false" || value == "null" || strings.HasPrefix(value, `"`) {
		return value
	}
	if strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
		if b, err := yaml.YAMLToJSON([]byte(value)); err == nil {
			return string(b)
		}
	}
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return strconv.Quote(value)
}
