package matrix

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
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
				p.Link = ""
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
// is there with the same versions needs no edit: ok is false. path is for errors.
func AddRow(path string, data []byte, row Release) (edit source.Edit, ok bool, err error) {
	before, err := rowsIn(path, data)
	if err != nil {
		return edit, false, err
	}
	for _, r := range before {
		if r.Version != row.Version {
			continue
		}
		exact := slices.DeleteFunc(slices.Clone(r.Components), func(p Pin) bool { return p.Version == "" }) // not a range
		if same := slices.EqualFunc(exact, row.Components, func(a, b Pin) bool { return a.Name == b.Name && a.Version == b.Version }); !same {
			return edit, false, &source.Error{Path: path, Err: fmt.Errorf("release %s %w: %s", row.Version, ErrDeclared, pinList(r))}
		}
		return edit, false, nil
	}
	higher := func(item *yaml.Node) bool {
		v := strict.Value(item, "version")
		return v != nil && semver.IsValid(v.Value) && semver.Compare(v.Value, row.Version) > 0
	}
	if edit, err = strict.AddItems(data, "matrix", "releases", []string{rowText(row)}, higher); err != nil {
		return edit, false, &source.Error{Path: path, Err: fmt.Errorf("release %s cannot be added: %w; add it by hand", row.Version, err)}
	}
	return edit, true, nil
}

// Declares says whether a configuration has a list matrix.releases.
func Declares(path string, data []byte) (bool, error) {
	list, err := rowsIn(path, data)
	return list != nil, err
}

func pinList(r Release) string {
	return strings.Join(lists.Of(r.Components, func(p Pin) string { return p.Name + " " + p.Version }), ", ")
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

// rowText writes a release as an item of a list, without its dash.
func rowText(row Release) string {
	var b strings.Builder
	WriteReleases(&b, []Release{row})
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			out.WriteString(rest[len("- "):])
		}
	}
	return out.String()
}

// FirstVersions adds to the versions that were given those of the table, where no release
// is declared from which they could be taken, and says so.
func (c *Config) FirstVersions(s *stack.Stack, tree fs.FS, given map[string]string, note func(format string, args ...any)) error {
	if len(c.Releases) > 0 {
		return nil
	}
	data, doc, err := TableOf(s, tree)
	if _, ok := errors.AsType[*stack.TableError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range ReadRelease(s, data, doc, "").Components {
		if p.Name != s.Root && given[p.Name] == "" && versions.IsVersion(p.Version) {
			given[p.Name] = p.Version
			note("%s is at %s, by the table of %s", p.Name, p.Version, s.Table.Path)
		}
	}
	return nil
}
