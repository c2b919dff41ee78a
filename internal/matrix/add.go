package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// NewRow is the row of a new release: the versions that are given, by name of
// the component, and for the others of that era those of the newest release
// below it; kept names the latter. A component of which no version is known is
// left out.
func (c *Config) NewRow(s *stack.Stack, version string, given map[string]string) (row Release, kept []string) {
	row.Version = version
	var last *Release
	for i := range c.Releases {
		r := &c.Releases[i]
		if semver.IsValid(r.Version) && semver.Compare(r.Version, version) < 0 && (last == nil || semver.Compare(last.Version, r.Version) < 0) {
			last = r
		}
	}
	for _, x := range s.At(version) {
		p := Pin{Name: x.Name, Version: given[x.Name]}
		if x == s.RootComponent() {
			p.Version = version
		}
		if p.Version == "" && last != nil {
			if old, ok := last.Pin(x.Name); ok {
				p, kept = old, append(kept, x.Name)
				p.Link, p.Width, p.Line = "", 0, ""
			}
		}
		if p.Version != "" {
			row.Components = append(row.Components, p)
		}
	}
	return row, kept
}

// ErrDeclared is wrapped by the error of AddRow when the release is declared
// already, with other versions.
var ErrDeclared = errors.New("is declared with other versions")

// AddRow is the edit that adds a release to the list matrix.releases of a
// configuration: before the first release that is higher, else at the end, in
// the indentation of the others. Comments and everything else stay. A row that
// is there with the same versions needs no edit: ok is false. The edit is
// proven: with it, the list reads as before with the row in it. path is for
// errors.
func AddRow(path string, data []byte, row Release) (edit source.Edit, ok bool, err error) {
	before, err := rowsIn(path, data)
	if err != nil {
		return edit, false, err
	}
	for _, r := range before {
		if r.Version != row.Version {
			continue
		}
		if same := slices.EqualFunc(r.Components, row.Components, func(a, b Pin) bool { return a.Name == b.Name && a.Version == b.Version }); !same {
			return edit, false, &source.Error{Path: path, Err: fmt.Errorf("release %s %w: %s", row.Version, ErrDeclared, pinList(r))}
		}
		return edit, false, nil
	}
	if edit, err = insertRow(path, data, row); err != nil {
		return edit, false, err
	}
	after, err := source.Apply(data, []source.Edit{edit})
	if err != nil {
		return edit, false, &source.Error{Path: path, Err: err}
	}
	read, err := rowsIn(path, after)
	if err != nil || len(read) != len(before)+1 || !slices.ContainsFunc(read, func(r Release) bool { return r.Version == row.Version }) {
		return edit, false, &source.Error{Path: path, Err: fmt.Errorf("release %s cannot be added to matrix.releases as it is written there: add it by hand", row.Version)}
	}
	return edit, true, nil
}

// Declares says whether a configuration has a list matrix.releases.
func Declares(path string, data []byte) (bool, error) {
	n, err := releasesNode(path, data)
	return n != nil && n.Kind == yaml.SequenceNode, err
}

func pinList(r Release) string {
	var list []string
	for _, p := range r.Components {
		list = append(list, p.Name+" "+p.Version)
	}
	return strings.Join(list, ", ")
}

// rowsIn reads the list of a configuration, whatever else it has.
func rowsIn(path string, data []byte) ([]Release, error) {
	var doc struct {
		Matrix struct {
			Releases []Release `yaml:"releases"`
		} `yaml:"matrix"`
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &source.Error{Path: path, Err: err}
	}
	return doc.Matrix.Releases, nil
}

// releasesNode is the value of matrix.releases; nil = there is none.
func releasesNode(path string, data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &source.Error{Path: path, Err: err}
	}
	n := &doc
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, key := range []string{"matrix", "releases"} {
		if n = strict.Value(n, key); n == nil {
			return nil, nil
		}
	}
	return n, nil
}

// insertRow is the edit of AddRow.
func insertRow(path string, data []byte, row Release) (source.Edit, error) {
	list, err := releasesNode(path, data)
	if err != nil {
		return source.Edit{}, err
	}
	switch {
	case list == nil && !strings.Contains("\n"+string(data), "\nmatrix:"):
		return source.Edit{Span: source.Span{Start: len(data), End: len(data)}, New: closing(data) + "\nmatrix:\n  releases:\n" + rowText(row, "    ")}, nil
	case list == nil || list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0:
		return source.Edit{}, &source.Error{Path: path, Err: errors.New("matrix.releases is no list with one release an item: write the first one by hand")}
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	column := list.Content[0].Column - 1 // of the first key; the dash is before it
	first := list.Content[0].Line - 1
	dash := len(lines[first]) - len(bytes.TrimLeft(lines[first], " "))
	if dash >= column || lines[first][dash] != '-' {
		return source.Edit{}, &source.Error{Path: path, Pos: source.Position{Line: first + 1}, Err: errors.New("an item of matrix.releases does not begin with a dash")}
	}
	at := endOfItem(lines, list.Content[len(list.Content)-1].Line-1, dash)
	for _, item := range list.Content {
		if v := strict.Value(item, "version"); v != nil && semver.IsValid(v.Value) && semver.Compare(v.Value, row.Version) > 0 {
			at = item.Line - 1
			break
		}
	}
	offset := 0
	for _, l := range lines[:at] {
		offset += len(l)
	}
	return source.Edit{Span: source.Span{Start: offset, End: offset}, New: closing(data[:offset]) + rowText(row, strings.Repeat(" ", dash))}, nil
}

// closing is the line break that a text lacks at its end.
func closing(data []byte) string {
	if len(data) == 0 || bytes.HasSuffix(data, []byte("\n")) {
		return ""
	}
	return "\n"
}

// endOfItem is the line behind an item that begins at a line with its dash in a
// column: lines that are indented deeper belong to it, and so do blank lines
// and comments between them.
func endOfItem(lines [][]byte, begin, dash int) int {
	end := begin + 1
	for i := begin + 1; i < len(lines); i++ {
		text := bytes.TrimRight(lines[i], "\r\n")
		blanks := len(text) - len(bytes.TrimLeft(text, " "))
		switch {
		case blanks == len(text), text[blanks] == '#' && blanks <= dash:
			continue
		case blanks <= dash:
			return end
		}
		end = i + 1
	}
	return end
}

// rowText writes a release as an item of a list at an indentation.
func rowText(row Release, indent string) string {
	var b strings.Builder
	WriteReleases(&b, []Release{row})
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			out.WriteString(indent + rest)
		}
	}
	return out.String()
}
