package campaign

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
)

// Body is the text of a pull request: what was changed and how it was proven,
// what is left for a maintainer, and whose it is.
func (p *Plan) Body(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d places in %d files move to new API groups, versions or kinds.\n", r.Proven, r.Files)
	fmt.Fprintf(&b, "Each was proven against the file as it was before it was changed: nothing else in these files differs.\n\n")
	fmt.Fprintf(&b, "| proven | needs review | could not be read |\n|---|---|---|\n| %d | %d | %d |\n", r.Proven, r.Review, r.Unread+r.Faults)
	if len(r.ToReview) > 0 {
		fmt.Fprintf(&b, "\nNeeds review:\n\n")
		for _, line := range r.ToReview {
			fmt.Fprintf(&b, "- %s\n", report.Code(line))
		}
		if more := r.Review + r.Unread + r.Faults - len(r.ToReview); more > 0 {
			fmt.Fprintf(&b, "- and %d more: `cfctl migrate` lists them\n", more)
		}
	}
	if len(r.Owners) > 0 {
		fmt.Fprintf(&b, "\nOwners: %s\n", strings.Join(r.Owners, ", "))
	}
	fmt.Fprintf(&b, "\nClose this pull request if you do not want it: it will not be opened again. After you push to its branch, the campaign does not change it any more.\n")
	fmt.Fprintf(&b, "\n<!-- cfctl-campaign %s %s -->\n", p.ID, p.Commit)
	return b.String()
}
