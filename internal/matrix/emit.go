package matrix

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// WriteReleases writes releases as the `matrix` section of .cfctl.yaml, one
// component a line.
func WriteReleases(b *strings.Builder, releases []Release) {
	b.WriteString("matrix:\n  releases:\n")
	for _, r := range releases {
		fmt.Fprintf(b, "    - version: %s\n", scalar(r.Version))
		field(b, "      date: ", r.Date)
		field(b, "      notes: ", r.Notes)
		writeLayout(b, r.Layout)
		b.WriteString("      components:\n")
		for _, p := range r.Components {
			key := "version"
			if p.Version == "" && p.Range != "" {
				key = "range"
			}
			fmt.Fprintf(b, "        - {name: %s, %s: %s", scalar(p.Name), key, scalar(p.Says()))
			for _, f := range []struct{ key, value string }{{"tested", p.Tested}, {"link", p.Link}, {"line", p.Line}} {
				if f.value != "" {
					fmt.Fprintf(b, ", %s: %s", f.key, scalar(f.value))
				}
			}
			if p.Width != 0 {
				fmt.Fprintf(b, ", width: %d", p.Width)
			}
			b.WriteString("}\n")
		}
	}
}

func field(b *strings.Builder, key, value string) {
	if value != "" {
		b.WriteString(key + scalar(value) + "\n")
	}
}

func writeLayout(b *strings.Builder, l *Layout) {
	if l == nil {
		return
	}
	var parts []string
	add := func(key, value string) { parts = append(parts, key+": "+value) }
	if l.Name != 0 {
		add("name", strconv.Itoa(l.Name))
	}
	if l.Version != 0 {
		add("version", strconv.Itoa(l.Version))
	}
	if l.Plain {
		add("plain", "true")
	}
	if l.Before != nil {
		add("before", strconv.Quote(*l.Before))
	}
	if l.Head != "" {
		add("head", strconv.Quote(l.Head))
	}
	if l.After != "" {
		add("after", strconv.Quote(l.After))
	}
	if l.CRLF {
		add("crlf", "true")
	}
	fmt.Fprintf(b, "      layout: {%s}\n", strings.Join(parts, ", "))
}

// WriteStack writes an adopted stack as the `stack` section of .cfctl.yaml.
func WriteStack(b *strings.Builder, s *stack.Stack) {
	b.WriteString("stack:\n")
	field(b, "  name: ", s.Name)
	field(b, "  root: ", s.Root)
	b.WriteString("  table:\n")
	for _, f := range []struct{ key, value string }{
		{"path", s.Table.Path}, {"component", s.Table.Component}, {"version", s.Table.Version},
		{"start", s.Table.Start}, {"end", s.Table.End}, {"heading", s.Table.Heading}, {"link", s.Table.Link},
	} {
		field(b, "    "+f.key+": ", f.value)
	}
	b.WriteString("  components:\n")
	for _, c := range s.Components {
		fmt.Fprintf(b, "    - {name: %s, title: %s", scalar(c.Name), scalar(c.Title))
		if c.Repository != "" {
			fmt.Fprintf(b, ", repository: %s", scalar(c.Repository))
		}
		b.WriteString("}\n")
	}
	b.WriteString("  places:\n")
	for _, p := range s.Places {
		fmt.Fprintf(b, "    - {component: %s, kind: %s}\n", scalar(p.Component), p.Kind)
	}
}

// scalar writes a text as a YAML flow scalar: plain where that is safe in any
// place, else quoted as JSON is.
func scalar(text string) string {
	plain := text != ""
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		plain = plain && (letter || i > 0 && strings.ContainsRune(" ._/+-", r) || i > 0 && r == ':' && i+1 < len(text) && text[i+1] == '/')
	}
	if plain && !strings.HasSuffix(text, " ") && !looksTyped(text) {
		return text
	}
	return strconv.Quote(text)
}

// looksTyped says whether YAML would read a plain text as a number, a date, a
// boolean or null.
func looksTyped(text string) bool {
	if text[0] >= '0' && text[0] <= '9' {
		return true
	}
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return true
	}
	return false
}
