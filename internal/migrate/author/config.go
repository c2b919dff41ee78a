package author

import (
	"context"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Configure is the migrate section of a .cfctl.yaml for the repository in the
// working directory, and the command that uses it first.
func Configure(ctx context.Context, root *source.Root, p Progress) (text, next string, r *Project, err error) {
	if r, err = Look(root, p); err != nil {
		return "", "", nil, err
	}
	found, err := Rulesets(ctx, p)
	if err != nil {
		return "", "", nil, err
	}
	var b strings.Builder
	next = "cfctl migrate"
	b.WriteString("migrate:\n")
	if len(found) == 0 {
		next = "name a ruleset: cfctl migrate rules list"
		b.WriteString("  # None of the built-in rulesets finds anything here (cfctl migrate rules list);\n  # one of your own is a page of YAML: docs/rulesets.md.\n  rulesets: []\n")
	} else {
		b.WriteString("  rulesets: # each finds something here\n")
		for _, f := range found {
			fmt.Fprintf(&b, "    - %s # %s\n", f.Name, f.What)
		}
	}
	b.WriteString(r.moving())
	return b.String(), next, r, nil
}
