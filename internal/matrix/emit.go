package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/stack"
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

// WriteStack writes an adopted stack as the `stack` section of .cfctl.yaml.
func WriteStack(b *strings.Builder, s *stack.Stack) {
	b.WriteString("stack:\n")
	field(b, "  name: ", s.Name)
	field(b, "  root: ", s.Root)
	b.WriteString("  table:\n")
	for _, f := range []struct{ key, value string }{
		{"path", s.Table.Path}, {"component", s.Table.Component}, {"version", s.Table.Version},
		{"start", s.Table.Start}, {"end", s.Table.End}, {"heading", s.Table.Heading}, {"link", s.Table.Link}, {"under", s.Table.Under},
	} {
		field(b, "    "+f.key+": ", f.value)
	}
	s.WriteComponents(b)
	b.WriteString("  places:\n")
	for _, p := range s.Places {
		forms := ""
		if slices.Equal(p.Forms, plainForms) {
			forms = ", forms: [" + strict.Quoted(p.Forms[0]) + "]"
		}
		fmt.Fprintf(b, "    - {component: %s, kind: %s%s}\n", strict.Scalar(p.Component), p.Kind, forms)
	}
}
