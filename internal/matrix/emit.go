package matrix

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/strict"
)

// WriteReleases writes releases as the `matrix` section of .cfctl.yaml, one
// component a line.
func WriteReleases(b *strings.Builder, releases []Release) {
	b.WriteString("matrix:\n  releases:\n")
	for _, r := range releases {
		fmt.Fprintf(b, "    - version: %s\n", strict.Scalar(r.Version))
		field(b, "      date: ", r.Date)
		field(b, "      notes: ", r.Notes)
		b.WriteString("      components:\n")
		for _, p := range r.Components {
			key := "version"
			if p.Version == "" && p.Range != "" {
				key = "range"
			}
			fmt.Fprintf(b, "        - {name: %s, %s: %s", strict.Scalar(p.Name), key, strict.Scalar(p.Says()))
			for _, f := range []struct{ key, value string }{{"tested", p.Tested}, {"link", p.Link}} {
				if f.value != "" {
					fmt.Fprintf(b, ", %s: %s", f.key, strict.Scalar(f.value))
				}
			}
			b.WriteString("}\n")
		}
	}
}

func field(b *strings.Builder, key, value string) {
	if value != "" {
		b.WriteString(key + strict.Scalar(value) + "\n")
	}
}
