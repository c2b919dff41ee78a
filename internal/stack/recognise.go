package stack

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Recognised is a table of releases that was found in a tree, as a stack that
// declares it.
type Recognised struct {
	Stack *Stack
	Path  string // of the file
	Pos   source.Position
	Rows  int // how many releases it has
}

// documents are the files in which people keep such a table.
var documents = lazyregexp.New(`(?i)^(readme[^/]*|(.*/)?[^/]*(compat|matrix|support|version)[^/]*)\.(md|markdown|mdx)$`)

// Recognise finds the first table of releases of a tree: one whose rows begin
// with versions, below a header, and that has versions in other columns. Its
// stack has the component root, whose releases the rows are, and one for each of
// those columns, called like its header. An empty root is called like
// the column of the releases. nil = there is no such table. Files
// that are no text are left out; what is in folders of other people's code, too.
func Recognise(tree fs.FS, root string) (*Recognised, error) {
	var files []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(notSearched, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && documents.MatchString(name):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(files, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, name := range files {
		data, err := fs.ReadFile(tree, name)
		if err != nil || len(data) > maxSearched {
			continue
		}
		sheets, err := (&Table{}).sheets(name, data)
		if err != nil {
			continue
		}
		for _, sheet := range sheets {
			if r := recognise(name, data, sheet, root, false); r != nil {
				return r, nil
			}
			if r := recognise(name, data, sheet.flipped(), root, true); r != nil {
				return r, nil
			}
		}
	}
	return nil, nil
}

// recognise declares a sheet, when it is a table of releases; flipped says that its
// rows and columns were exchanged, which only tables of marks are read with.
func recognise(name string, data []byte, sheet *sheet, root string, flipped bool) *Recognised {
	if len(sheet.rows) < 3 {
		return nil
	}
	at := -1 // the first column of releases that is called like the project, else the first one
	for i := range sheet.rows[0] {
		if (at < 0 || !ownReleases(rowsOf(data, sheet, at, flipped), root) && ownReleases(rowsOf(data, sheet, i, flipped), root)) && mostly(data, sheet, i, isRelease) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	marks, rows := marksOf(data, sheet, at, flipped), rowsOf(data, sheet, at, flipped)
	cornered := strings.Contains(sheet.rows[0][at].plain(data), `\`)
	if !ownReleases(rows, root) && (!flipped || marks == "" || cornered) || flipped && marks == "" {
		return nil
	}
	root = cmp.Or(root, strings.TrimSpace(rows))
	s := &Stack{Root: Slug(root), Components: []Component{{Name: Slug(root)}}}
	t := Table{Path: name, Rows: RowsReleases, Release: sheet.rows[0][at].plain(data), Flip: flipped}
	for i := range sheet.rows[0] {
		header := strings.TrimSpace(sheet.rows[0][i].plain(data))
		m := headerVersion.FindStringSubmatch(header)
		switch {
		case i == at || header == "":
		case m != nil && cmp.Or(m[1], marks) != "" && mostly(data, sheet, i, isMark):
			if header = m[1] + versions.Placeholder; !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Header == header }) {
				t.Columns = append(t.Columns, Column{Component: s.column(cmp.Or(strings.TrimSpace(m[1]), marks)), Header: header, Marks: crosses(data, sheet, at)})
			}
		case mostly(data, sheet, i, isVersions):
			t.Columns = append(t.Columns, Column{Component: s.column(header), Header: header})
		}
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Component == "" })
	if len(t.Columns) == 0 || s.Root == "" {
		return nil
	}
	s.Table = t
	if s.Complete("") != nil {
		return nil
	}
	if _, err := s.Table.Read(s, data); err != nil && len(sheet.headings) > 0 {
		s.Table.Under = sheet.headings[len(sheet.headings)-1] // another table has the same columns
	}
	if _, err := s.Table.Read(s, data); err != nil {
		return nil
	}
	return &Recognised{Stack: s, Path: path.Clean(name), Pos: source.PositionAt(data, sheet.start), Rows: len(sheet.rows) - 1}
}

// rowsOf is what a header says of its column, which may be in the corner of a table:
// "Gizmo \\ Kubernetes".
func rowsOf(data []byte, sheet *sheet, at int, flipped bool) string {
	rows, columns, _ := strings.Cut(sheet.rows[0][at].plain(data), `\`)
	if flipped {
		return columns
	}
	return rows
}

// ownReleases says whether a column with this header may hold the releases of
// the project root: it is called so, in part, by two words of it, or by no name at all.
func ownReleases(header, root string) bool {
	header = headerWords.ReplaceAllString(header, " ")
	name, shared := plain(header), 0
	for _, word := range strings.Split(Slug(header), "-") {
		if slices.Contains(strings.Split(Slug(root), "-"), word) {
			shared++
		}
	}
	return root == "" || name == "" || shared > 1 || strings.Contains(name, plain(root)) || strings.Contains(plain(root), name)
}

// headerVersion is a header that ends in a version, or is one.
var headerVersion = lazyregexp.New(`^(|.*?[A-Za-z].*?\s)v?[0-9]+(?:\.(?:[0-9]+|x))+$`)

// subjectWords are words of a heading that are no part of what the table is about.
var subjectWords = lazyregexp.New(`(?i)\b(compatibility|matrix|support|table|and|of|with|the)\b`)

// marksOf is whose versions the headers are, in a table that has a mark for each of
// them: what the heading above the table is about or, where rows and columns are
// exchanged, the first header. "" = it is no such table.
func marksOf(data []byte, sheet *sheet, release int, flipped bool) string {
	n := 0
	for i := range sheet.rows[0] {
		m := headerVersion.FindStringSubmatch(strings.TrimSpace(sheet.rows[0][i].plain(data)))
		if i != release && m != nil && m[1] == "" && mostly(data, sheet, i, isMark) {
			n++
		}
	}
	rows, columns, cornered := strings.Cut(sheet.rows[0][release].plain(data), `\`)
	switch {
	case n < 2:
		return ""
	case cornered && !flipped:
		return strings.TrimSpace(columns)
	case flipped:
		return strings.TrimSpace(rows)
	case len(sheet.headings) > 0:
		return strings.TrimSpace(subjectWords.ReplaceAllString(headerWords.ReplaceAllString(sheet.headings[len(sheet.headings)-1], " "), " "))
	}
	return ""
}

// crosses is the mark of a table that has an x and nothing else beside its releases: there
// it says yes. nil = the table has other marks.
func crosses(data []byte, sheet *sheet, release int) []string {
	var marks []string
	for _, row := range sheet.rows[1:] {
		for i := range sheet.rows[0] {
			text := strings.ToLower(strings.TrimSpace(boxAt(row, i).plain(data)))
			switch {
			case i == release || text == "":
			case text == "x":
				marks = []string{"x"}
			default:
				return nil
			}
		}
	}
	return marks
}

// column is the name of the component that a column is of, which is added when
// it is new. Empty: the header is no name, or one that is taken.
func (s *Stack) column(header string) string {
	name := Slug(headerWords.ReplaceAllString(header, " "))
	if name == "" || slices.ContainsFunc(s.Components, func(c Component) bool { return c.Name == name }) {
		return ""
	}
	title := header
	if strings.EqualFold(title, name) {
		title = ""
	}
	s.Components = append(s.Components, Component{Name: name, Title: title})
	return name
}

// headerWords are words of a header that are no part of a name.
var headerWords = lazyregexp.New(`(?i)\b(versions?|supported|required|minimum|maximum|min|max|tested|with|compatible|releases?|range|minor|major|branch|line|series|images?|tags?)\b`)

var notSlug = lazyregexp.New(`[^a-z0-9]+`)

// Slug is a name as components have them: "Cert Manager" is cert-manager.
func Slug(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// mostly says whether the cells of a column are of a kind: two of three, and two
// at the least.
func mostly(data []byte, sheet *sheet, column int, is func(*versions.Reading, string) bool) bool {
	yes, all := 0, 0
	for _, row := range sheet.rows[1:] {
		box := boxAt(row, column)
		text := strings.TrimSpace(box.plain(data))
		r, err := versions.Read(data, nil, box.parts...)
		if err != nil {
			r = nil
		}
		if r == nil || !r.None {
			all++
		}
		if is(r, text) {
			yes++
		}
	}
	return yes >= 2 && yes*3 >= all*2
}

var anyDigits = lazyregexp.New(`[0-9]\.[0-9xX*]`)

// isRelease is a version, a line of versions, or the branch that is worked on.
func isRelease(r *versions.Reading, text string) bool {
	return r != nil && !r.None && (r.Tip || isVersions(r, releasePrefix.ReplaceAllString(text, "")))
}

// isVersions is any cell that says versions and little else.
func isVersions(r *versions.Reading, text string) bool {
	return r != nil && !r.None && !r.Tip && anyDigits.MatchString(text) && beginsVersion.MatchString(text) && len(wordOnly.Get().FindAllString(text, 3)) < 3
}

var (
	beginsVersion = lazyregexp.New(`^(?:[<>=~^*≥≤ ]|from |up to )*v?[0-9]`)
	releasePrefix = lazyregexp.New(`^[A-Za-z][A-Za-z-]*[-/]`) // of "release-0.16"
	wordOnly      = lazyregexp.New(`[A-Za-z]{3,}`)
)

// isMark is a cell that says yes or no.
func isMark(_ *versions.Reading, text string) bool {
	return len([]rune(text)) <= 2 || slices.Contains(yes, strings.ToLower(text)) || strings.HasPrefix(text, ":") || strings.EqualFold(text, "no")
}

// Declaration is the section stack of .cfctl.yaml, without places.
func (r *Recognised) Declaration() string {
	var b strings.Builder
	s, t := r.Stack, r.Stack.Table
	b.WriteString("stack:\n")
	if s.Name != "" {
		fmt.Fprintf(&b, "  name: %s\n", strict.Scalar(s.Name))
	}
	fmt.Fprintf(&b, "  root: %s\n  tables:\n    - path: %s\n      rows: releases\n      release: %s\n",
		strict.Scalar(s.Root), strict.Quoted(t.Path), strict.Quoted(t.Release))
	if t.Flip {
		b.WriteString("      flip: true # a column is a release\n")
	}
	if t.Under != "" {
		fmt.Fprintf(&b, "      under: %s # another table has the same columns\n", strict.Quoted(t.Under))
	}
	b.WriteString("      columns:\n")
	for _, c := range t.Columns {
		marks := ""
		for _, m := range c.Marks {
			marks = ", marks: [" + strict.Quoted(m) + "]" // one at the most
		}
		fmt.Fprintf(&b, "        - {component: %s, header: %s%s}\n", strict.Scalar(c.Component), strict.Quoted(c.Header), marks)
	}
	s.writeComponents(&b)
	return b.String()
}

// writeComponents writes the components of a stack, as its declaration has them.
func (s *Stack) writeComponents(b *strings.Builder) {
	b.WriteString("  components:\n")
	for _, c := range s.Components {
		fmt.Fprintf(b, "    - {name: %s", strict.Scalar(c.Name))
		if c.Title != c.Name {
			fmt.Fprintf(b, ", title: %s", strict.Scalar(c.Title))
		}
		if c.Repository != "" {
			fmt.Fprintf(b, ", repository: %s", strict.Scalar(c.Repository))
		}
		if c.Reason != "" {
			fmt.Fprintf(b, ", tag: %s, reason: %s", strict.Quoted(c.Tag), strict.Scalar(c.Reason))
		}
		if c.Module.Path != "" {
			tag := ""
			if c.Module.Tag != "" && c.Module.Tag != c.Tag {
				tag = ", tag: " + strict.Quoted(c.Module.Tag)
			}
			fmt.Fprintf(b, ", module: {path: %s%s}", strict.Quoted(c.Module.Path), tag)
		}
		if len(c.Needs) > 0 {
			names := lists.Of(c.Needs, strict.Scalar)
			fmt.Fprintf(b, ", needs: [%s]", strings.Join(names, ", "))
		}
		if c.Built {
			b.WriteString(", built: true")
		}
		b.WriteString("}\n")
	}
}

// PlainForms are the spellings of versions without a "v".
var PlainForms = []string{"{version}"}

// Write writes an adopted stack, with one table, as the `stack` section of .cfctl.yaml.
func (s *Stack) Write(b *strings.Builder) {
	field := func(key, value string) {
		if value != "" {
			b.WriteString(key + strict.Scalar(value) + "\n")
		}
	}
	b.WriteString("stack:\n")
	field("  name: ", s.Name)
	field("  root: ", s.Root)
	b.WriteString("  table:\n")
	for _, f := range []struct{ key, value string }{
		{"path", s.Table.Path}, {"component", s.Table.Component}, {"version", s.Table.Version},
		{"start", s.Table.Start}, {"end", s.Table.End}, {"heading", s.Table.Heading}, {"link", s.Table.Link}, {"under", s.Table.Under},
	} {
		field("    "+f.key+": ", f.value)
	}
	s.writeComponents(b)
	b.WriteString("  places:\n")
	for _, p := range s.Places {
		forms := ""
		if slices.Equal(p.Forms, PlainForms) {
			forms = ", forms: [" + strict.Quoted(p.Forms[0]) + "]"
		}
		fmt.Fprintf(b, "    - {component: %s, kind: %s%s}\n", strict.Scalar(p.Component), p.Kind, forms)
	}
}
