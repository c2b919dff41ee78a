package judge

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// doubled says why an object of a list cannot move: another one of the list is what
// it would become, or becomes it and stands before it.
func (c *asked) doubled() string {
	t := c.Tree
	if c.Place != find.APIVersion || t == nil || c.answer.To.Group == c.known.Group {
		return ""
	}
	item := t.Nodes[c.Node].Parent
	if item < 0 || !t.Nodes[item].Seq {
		return ""
	}
	id := t.ObjectID(item)
	if id == "" {
		return ""
	}
	for _, other := range t.Objects(t.Nodes[item].Parent)[id] {
		group, version, _ := strings.Cut(strings.ReplaceAll(t.Text(t.Value(other, "apiVersion")), `\/`, "/"), "/")
		if group == c.known.Group {
			continue
		}
		kind, _, _ := strings.Cut(id, " ")
		ver := c.table.Ask(rules.GVK{Group: group, Version: version, Kind: kind})
		if group == c.answer.To.Group || other < item && ver.Outcome == rules.Moves && ver.To.Group == c.answer.To.Group {
			return "it would become the same object as the " + group + " one of this list: " + strings.Join(strings.Fields(id), " ")
		}
	}
	return ""
}
