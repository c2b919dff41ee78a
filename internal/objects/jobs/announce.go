package jobs

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Tool is the tool that a namespace belongs to, or "".
func (k *Kind) Tool(namespace string) string {
	tool, found := strings.CutPrefix(namespace, "tool-")
	if !found || !objects.ValidName(tool) {
		return ""
	}
	return tool
}

// Check implements objects.Checker: only Writers may write the stored jobs.
// Without Cluster nothing is checked.
func (k *Kind) Check(ctx context.Context) ([]report.Finding, error) {
	if k.Cluster == nil {
		return nil, nil
	}
	return objects.Writers(ctx, k.Cluster, stored(), k.Writers)
}

// Role is the ClusterRole with which users only read the stored jobs.
func Role(name string) objects.Object { return objects.ReadOnlyRole(name, stored()) }

// stored are all kinds of stored jobs.
func stored() []objects.Resource { return (&Kind{OneOff: true}).Resources() }

// An Announcement tells the maintainers of one tool which of its jobs cannot
// be stored. Those that belong to no tool are under the empty name.
type Announcement struct {
	Tool string
	Jobs []report.Finding // why each is refused
	list []*objects.Item
}

// Announcements are the refused jobs of a source, sorted by tool.
func Announcements(ctx context.Context, k *Kind) ([]*Announcement, error) {
	tools := map[string]*Announcement{}
	err := k.Items(ctx, func(it *objects.Item) error {
		if it.Refused == nil {
			return nil
		}
		tool := k.Tool(it.Origin.Namespace)
		if tools[tool] == nil {
			tools[tool] = &Announcement{Tool: tool}
		}
		f := it.Origin.Finding(it.Refused.Reason, report.Error, it.Refused.Message)
		f.Hint = it.Refused.Hint
		tools[tool].Jobs = append(tools[tool].Jobs, f)
		tools[tool].list = append(tools[tool].list, it)
		return nil
	})
	var all []*Announcement
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		all = append(all, tools[tool])
	}
	return all, err
}

// Text is the announcement as a letter, with the day after which the jobs API
// does not show these jobs any more.
func (a *Announcement) Text(deadline time.Time) string {
	day := deadline.Format("2 January 2006")
	var b bytes.Buffer // takes all
	line := func(format string, args ...any) { _, _ = report.Fprintf(&b, format, args...) }
	line("Subject: %s: %s of your tool must be created again by %s\n\n", a.Tool, report.Plural(len(a.list), "job"), day)
	line("The jobs API will keep jobs in its own storage. It cannot store these objects of\ntool %s. After %s neither the API nor `toolforge jobs list` shows them.\n\n", a.Tool, day)
	for _, it := range a.list {
		line("  %s %s (%s)\n    %s\n", it.Origin.Kind, it.Origin.Name, it.Refused.Reason, it.Refused.Message)
		if it.Refused.Hint != "" {
			line("    what to do: %s\n", it.Refused.Hint)
		}
	}
	return b.String()
}
