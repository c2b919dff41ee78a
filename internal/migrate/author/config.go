package author

import (
	"context"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Configure is the migrate section of a .cfctl.yaml for the repository in the
// working directory, and the command that uses it first.
func Configure(ctx context.Context, p report.Progress) (text, next string, r *Project, err error) {
	v, err := takeInventory(ctx)
	if err != nil {
		return "", "", nil, err
	}
	r = v.project(p)
	found, err := findRulesets(ctx, v, p)
	if err != nil {
		return "", "", nil, err
	}
	var b strings.Builder
	b.WriteString("migrate:\n")
	if len(found) == 0 {
		b.WriteString("  rulesets: [] # cfctl migrate rules new adds one; cfctl migrate rules list shows those that are built in\n")
		return b.String(), r.next(), r, nil
	}
	b.WriteString("  rulesets:\n")
	for _, f := range found {
		fmt.Fprintf(&b, "    - %s # %s\n", strict.Scalar(f.Name), f.What)
	}
	return b.String(), "cfctl migrate", r, nil
}
