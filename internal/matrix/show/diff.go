package show

import (
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Delta is what became of one component between two releases.
type Delta struct {
	Component string `json:"component"` // its title
	Name      string `json:"name"`
	From      string `json:"from,omitempty"` // empty = added
	To        string `json:"to,omitempty"`   // empty = removed
	Kind      string `json:"kind"`           // added, removed, upgraded, downgraded, changed, same
	Compare   string `json:"compare,omitempty"`
}

// Diff lists the components of both releases in the stack's order.
func Diff(s *stack.Stack, a, b *matrix.Release) []Delta {
	var deltas []Delta
	for i := range s.Components {
		c := &s.Components[i]
		pa, ina := a.Pin(c.Name)
		pb, inb := b.Pin(c.Name)
		if !ina && !inb {
			continue
		}
		d := Delta{Component: c.Title, Name: c.Name, From: pa.Says(), To: pb.Says(), Kind: kindOf(pa.Says(), pb.Says())}
		if ina && inb && d.Kind != "same" {
			d.Compare = compareURL(c, pa.Version, pb.Version)
		}
		deltas = append(deltas, d)
	}
	return deltas
}

func kindOf(from, to string) string {
	switch {
	case from == to:
		return "same"
	case from == "":
		return "added"
	case to == "":
		return "removed"
	case !versions.IsVersion(from) || !versions.IsVersion(to):
		return "changed"
	case semver.Compare(from, to) < 0:
		return "upgraded"
	case semver.Compare(from, to) > 0:
		return "downgraded"
	}
	return "changed"
}

// compareURL is GitHub's view of the commits between two releases; empty for
// repositories elsewhere and versions that can be no tags.
func compareURL(c *stack.Component, from, to string) string {
	url := c.URL()
	if !strings.HasPrefix(url, "https://github.com/") || !versions.IsVersion(from) || !versions.IsVersion(to) {
		return ""
	}
	return url + "/compare/" + c.TagOf(from) + "..." + c.TagOf(to)
}
