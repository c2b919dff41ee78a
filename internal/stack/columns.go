package stack

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Column of a table of releases says whose versions stand in it.
type Column struct {
	Component string   `yaml:"component"` // name of the component
	Header    string   `yaml:"header"`    // of the column, default the component's title; with {version} a column for each version, whose cells are marks
	Marks     []string `yaml:"marks"`     // with {version}: cells that mean yes; default ✓ and its like
	Forms     []string `yaml:"forms"`     // schemes of versions in the cells, when they are not as people write versions
}

// yes are the cells that mean yes, when a column does not say which do.
var yes = []string{"✓", "✔", "✅", "☑", "✔️", "☑️", "yes", "y", ":white_check_mark:", ":heavy_check_mark:", ":ballot_box_with_check:"}

// titles are the headers that the table must have, for errors.
func (t *Table) titles() []string {
	var list []string
	for _, f := range t.fields() {
		f = cmp.Or(f, "(the release)")
		list = append(list, f)
	}
	return list
}

// A place of a column in a sheet.
type columnAt struct {
	column   *Column
	index    int
	versions *versions.Range // of the header, for columns of marks
	text     string
}

// columns finds the release's column and those that are declared; not ok when
// one is missing.
func (t *Table) columns(data []byte, header []box) (found []columnAt, ok bool) {
	release := 0
	if t.Release != "" {
		release = headed(data, header, t.Release)
	}
	if release < 0 {
		return nil, false
	}
	found = append(found, columnAt{index: release})
	for i := range t.Columns {
		c := &t.Columns[i]
		if strings.Contains(c.Header, versions.Placeholder) {
			at := c.versionColumns(data, header, release)
			if len(at) == 0 {
				return nil, false
			}
			found = append(found, at...)
			continue
		}
		at := columnAt{column: c, index: headed(data, header, c.Header)}
		if at.index < 0 {
			return nil, false
		}
		found = append(found, at)
	}
	return found, true
}

// headed is the column with a header, in any case; -1 = none.
func headed(data []byte, header []box, title string) int {
	title = versions.WithoutMarkup(title)
	return slices.IndexFunc(header, func(b box) bool { return strings.EqualFold(b.plain(data), title) })
}

// versionColumns are the columns whose header is a version in the scheme.
func (c *Column) versionColumns(data []byte, header []box, release int) []columnAt {
	prefix, suffix, _ := strings.Cut(c.Header, versions.Placeholder)
	re := regexp.MustCompile(`(?i)^` + regexp.QuoteMeta(prefix) + `(.+)` + regexp.QuoteMeta(suffix) + `$`)
	var found []columnAt
	for i, b := range header {
		m := re.FindStringSubmatch(b.plain(data))
		if m == nil || i == release {
			continue
		}
		text := strings.TrimSpace(m[1])
		r, err := versions.Read([]byte(text), c.Forms, source.Span{End: len(text)})
		if err != nil || r.None || r.Tip {
			continue
		}
		found = append(found, columnAt{column: c, index: i, versions: &r.Range, text: text})
	}
	return found
}

// completeColumns fills in and checks a table of releases.
func (t *Table) completeColumns(s *Stack) error {
	for _, v := range []string{t.From, t.Until} {
		if v != "" && !semver.IsValid(v) {
			return fmt.Errorf("table %s: era %q is not a semantic version", t.Path, v)
		}
	}
	if t.Rows != RowsReleases {
		if len(t.Columns) > 0 || t.Flip || t.Key != "" || t.Release != "" {
			return fmt.Errorf("table %s: columns, flip, key and release are for rows: %s", t.Path, RowsReleases)
		}
		return nil
	}
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %s: rows: %s needs columns", t.Path, RowsReleases)
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		comp, err := s.Lookup(c.Component)
		if err != nil {
			return fmt.Errorf("table %s: column %d: %w", t.Path, i+1, err)
		}
		c.Header = cmp.Or(c.Header, comp.Title)
		if len(c.Marks) > 0 && !strings.Contains(c.Header, versions.Placeholder) {
			return fmt.Errorf("table %s: column of %s: marks are for a header with %s", t.Path, comp.Name, versions.Placeholder)
		}
		if len(c.Forms) == 0 && !strings.Contains(comp.Tag, versions.Placeholder) {
			c.Forms = comp.tagSchemes()
		}
		if err := checkSchemes(c.Forms); err != nil {
			return fmt.Errorf("table %s: column of %s: %w", t.Path, comp.Name, err)
		}
	}
	if root := s.RootComponent(); len(t.Forms) == 0 && !strings.Contains(root.Tag, versions.Placeholder) {
		t.Forms = root.tagSchemes()
	}
	return checkSchemes(t.Forms)
}

func checkSchemes(forms []string) error {
	for _, f := range forms {
		if err := versions.CheckScheme(f); err != nil {
			return err
		}
	}
	return nil
}
