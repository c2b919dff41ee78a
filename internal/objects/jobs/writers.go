package jobs

import (
	"context"
	"strings"

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
