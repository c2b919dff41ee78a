package judge

import (
	"cmp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// doubled says why an object of a list cannot move: another one of the list is what
// it would become, or becomes it and stands before it.
func (c *asked) doubled() string {
	if c.Tree == nil || c.answer.To.Group == c.known.Group {
		return ""
	}
	switch c.Place {
	case find.APIVersion:
		return c.doubledObject()
	case find.CRDName, find.CRDNameOr, find.CRDGroup:
		return c.doubledCRD()
	}
	return ""
}

// doubledObject is doubled for the object of a group.
func (c *asked) doubledObject() string {
	t := c.Tree
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

// doubledCRD is doubled for a CRD that a list has in the new group as well.
func (c *asked) doubledCRD() string {
	t := c.Tree
	item := t.Nodes[c.Node].Parent // metadata: or spec:
	if item >= 0 {
		item = t.Nodes[item].Parent
	}
	if item < 0 || !t.Nodes[item].Seq || t.Text(t.Value(item, "kind")) != crdKind {
		return ""
	}
	plural, group, _ := strings.Cut(t.Text(t.Value(t.Value(item, "metadata"), "name")), ".")
	fresh := cmp.Or(c.answer.To.Plural, plural) + "." + c.answer.To.Group
	if group != c.known.Group || len(t.Objects(t.Nodes[item].Parent)[crdKind+"  "+fresh]) == 0 {
		return ""
	}
	return "it would become " + fresh + ", which is in this list already"
}

const crdKind = "CustomResourceDefinition"
