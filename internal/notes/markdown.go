package notes

import (
	"fmt"
	"io"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
)

// maxCRDLines bounds how many changes of one CRD the notes list; the JSON form
// has all.
const maxCRDLines = 20

// WriteMarkdown writes the changelog as the text of a release.
func (l *Changelog) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n", report.Visible(l.Stack), l.Version)
	if l.Highlights != "" {
		b.WriteString(l.Highlights + "\n\n")
	}
	l.writeBreaking(&b)
	b.WriteString("## " + l.heading() + "\n\n")
	for i := range l.Components {
		l.Components[i].writeMarkdown(&b)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// heading is the matrix, whose first line is its heading; a stack whose tables
// have none gets one.
func (l *Changelog) heading() string {
	block := strings.TrimSpace(l.Matrix)
	if strings.HasPrefix(block, "|") {
		return "Compatibility matrix\n\n" + block
	}
	return block
}

// writeBreaking calls out what users must know before they update.
func (l *Changelog) writeBreaking(b *strings.Builder) {
	var lines []string
	for _, c := range l.Components {
		for _, change := range c.Changes {
			if change.Breaking {
				lines = append(lines, fmt.Sprintf("- **%s**: %s", c.Title, c.line(change)))
			}
		}
		for _, change := range c.CRDs {
			if change.Breaking {
				lines = append(lines, fmt.Sprintf("- **%s**: `%s`: %s", c.Title, change.CRD, change))
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	b.WriteString("## Breaking changes\n\n")
	writeCapped(b, lines, maxCRDLines)
	b.WriteString("\n")
}

func writeCapped(b *strings.Builder, lines []string, most int) {
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(b, "- … and %d more\n", len(lines)-i)
			return
		}
		b.WriteString(line + "\n")
	}
}

func (c *Component) writeMarkdown(b *strings.Builder) {
	if c.Before == c.Version {
		return
	}
	fmt.Fprintf(b, "## %s %s\n\n", report.Visible(c.Title), c.Version)
	switch {
	case c.Before == "":
		b.WriteString("New in this release.\n\n")
		return
	case c.Problem != "":
		fmt.Fprintf(b, "Since %s. What changed is not known: %s.\n\n", c.Before, c.Problem)
		return
	case c.Commits == 0:
		fmt.Fprintf(b, "The same commit as %s.\n\n", c.Before)
	case c.Compare != "":
		fmt.Fprintf(b, "[%s since %s](%s)\n\n", report.Plural(c.Commits, "commit"), c.Before, c.Compare)
	default:
		fmt.Fprintf(b, "%s since %s\n\n", report.Plural(c.Commits, "commit"), c.Before)
	}
	for _, group := range groups[:folded] {
		c.writeGroup(b, group)
	}
	c.writeFolded(b)
	c.writeCRDs(b)
}

// folded is the index of the first of groups that readers open if they want:
// what is of little interest to users of the component.
const folded = 3

// maxGroupLines bounds how many changes of one group the notes list.
const maxGroupLines = 40

func (c *Component) lines(group string) []string {
	var lines []string
	for _, change := range c.Changes {
		if change.Group == group {
			lines = append(lines, "- "+c.line(change))
		}
	}
	return lines
}

func (c *Component) writeGroup(b *strings.Builder, group string) {
	if lines := c.lines(group); len(lines) > 0 {
		b.WriteString("### " + group + "\n\n")
		writeCapped(b, lines, maxGroupLines)
		b.WriteString("\n")
	}
}

// writeFolded writes the other groups behind a line that opens them.
func (c *Component) writeFolded(b *strings.Builder) {
	var inner strings.Builder
	var names []string
	for _, group := range groups[folded:] {
		if n := len(c.lines(group)); n > 0 {
			names = append(names, fmt.Sprintf("%s (%d)", group, n))
			c.writeGroup(&inner, group)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "<details><summary>%s</summary>\n\n%s</details>\n\n", strings.Join(names, ", "), inner.String())
	}
}

// writeCRDs lists the changes of the schemas, CRD by CRD.
func (c *Component) writeCRDs(b *strings.Builder) {
	if len(c.CRDs) == 0 {
		return
	}
	b.WriteString("### Custom resources\n\n")
	for i := 0; i < len(c.CRDs); {
		crd := c.CRDs[i].CRD
		var lines []string
		for ; i < len(c.CRDs) && c.CRDs[i].CRD == crd; i++ {
			lines = append(lines, "- "+c.CRDs[i].String())
		}
		fmt.Fprintf(b, "`%s`\n\n", crd)
		writeCapped(b, lines, maxCRDLines)
		b.WriteString("\n")
	}
}

// line is one change with its pull request, or commit, and its author.
func (c *Component) line(change Change) string {
	web := strings.TrimSuffix(c.Compare, c.Compare[max(0, strings.Index(c.Compare, "/compare/")):])
	subject := escapeMarkdown(change.Subject)
	switch {
	case change.Pull != "" && web != "":
		subject += fmt.Sprintf(" ([#%s](%s/pull/%s))", change.Pull, web, change.Pull)
	case change.Pull != "":
		subject += " (#" + change.Pull + ")"
	case web != "":
		subject += fmt.Sprintf(" ([%.7s](%s/commit/%s))", change.Commit, web, change.Commit)
	default:
		subject += fmt.Sprintf(" (%.7s)", change.Commit)
	}
	return subject + ", " + escapeMarkdown(change.Author)
}

// String says the change in words: "v1beta2 spec.suspend: added (boolean)".
func (c CRDChange) String() string {
	what := strings.TrimSpace(c.Version + " `" + c.Field + "`")
	if c.Field == "" {
		what = c.Version
	}
	text := strings.TrimPrefix(what+": "+kindWords[c.Kind], ": ")
	switch {
	case c.Detail != "" && c.Kind == "changed":
		text = what + ": " + c.Detail
	case c.Detail != "":
		text += " (" + c.Detail + ")"
	}
	return text
}

var kindWords = map[string]string{
	"added": "added", "removed": "removed", "required": "is required now", "optional": "is no longer required", "changed": "changed",
}

// escapeMarkdown keeps a commit's words from being taken for markup, and from
// calling people or closing issues by themselves.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "<", "&lt;", "[", `\[`, "]", `\]`, "*", `\*`, "@", "@\u200b", "`", "\\`").Replace(s)
}
