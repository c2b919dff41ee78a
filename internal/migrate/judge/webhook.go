package judge

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A Webhook is what a configuration says of the name of a webhook.
type Webhook struct {
	Stays    bool
	Resource string // that it is called for, "" for several
}

// asWebhook reads a name that a configuration of the tree has as that of a webhook,
// also where nothing else tells what it is.
func (f *Facts) asWebhook(s *find.Site) {
	is, ok := f.Webhooks[string(s.Word.Of(s.Doc.Data))]
	switch {
	case !ok || s.Place != find.WebhookName && s.Place != find.HookChosen && s.Place.Reason != "label-like":
	case is.Stays:
		s.Place = find.KeptWebhook
	case s.Place == find.HookChosen, s.Place != find.WebhookName && !f.Format.Is(find.Objects) && !f.Format.Is(find.Written):
		s.Place, s.Facts.Plural = find.WebhookName, is.Resource
	case s.Place == find.WebhookName && s.Facts.Plural == "":
		s.Facts.Plural = is.Resource
	}
}

// calledForOthers says why a webhook keeps its name: it is called for resources of the
// group that do not all go where the name would.
func calledForOthers(c *asked) string {
	for _, name := range c.Guarded {
		name, _, _ = strings.Cut(name, "/")
		if name == "*" {
			if c.answer.Rule.From.Kind != "" {
				return "its webhook is called for every resource of the group, and only " + c.answer.Rule.From.Kind + " moves"
			}
			continue
		}
		switch to := c.table.Ask(rules.GVK{Group: c.known.Group, Plural: name}); {
		case to.Outcome != rules.Moves:
			return "its webhook is called for " + name + " as well, which stays"
		case to.To.Group != c.answer.To.Group:
			return "its webhook is called for " + name + " as well, which goes to " + to.To.Group
		}
	}
	return ""
}
