package chain

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A user is a component below, with what it uses of the changed one.
type user struct {
	of   *stack.Component
	crds map[string]use // by the name of the CRD
}

// A use is the first place that names a CRD's group and kind.
type use struct {
	place    string
	versions []string // that are named with the group in any file; none = it is named without
}

// maxRead is the size of the largest file that is read, in bytes.
const maxRead = 1 << 20

// notRead are folders of what is not a component's own.
var notRead = []string{".git", "vendor", "node_modules", "third_party"}

// read finds what a component uses in its tree. Documents count as nothing, and
// neither do copies of CRDs.
func (p *pass) read(c *stack.Component, tree fs.FS) (*user, error) {
	u := &user{of: c, crds: map[string]use{}}
	document := func(name string) bool {
		return slices.Contains([]string{".md", ".rst", ".adoc", ".sum"}, path.Ext(name))
	}
	err := eachText(tree, document, func(name string, data []byte) error {
		u.addCRDs(p, name, data)
		return nil
	})
	return u, err
}

// eachText visits the files of text of a tree, but those that are skipped by name.
func eachText(tree fs.FS, skip func(name string) bool, visit func(name string, data []byte) error) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(notRead, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || skip(name):
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil || len(data) > maxRead || bytes.IndexByte(data, 0) >= 0 {
			return err
		}
		return visit(name, data)
	})
}

// addCRDs adds the CRDs whose group and kind a file names.
func (u *user) addCRDs(p *pass, name string, data []byte) {
	if bytes.Contains(data, []byte("kind: CustomResourceDefinition")) {
		return
	}
	for _, c := range p.crds {
		plural, group, _ := strings.Cut(c.CRD, ".")
		at, versions := named(data, group)
		if at < 0 || !bytes.Contains(data, []byte(plural)) && (c.Object == "" || !bytes.Contains(data, []byte(c.Object))) {
			continue
		}
		have, ok := u.crds[c.CRD]
		if !ok {
			have.place = fmt.Sprintf("%s:%d", name, source.PositionAt(data, at).Line)
		}
		have.versions = append(have.versions, versions...)
		u.crds[c.CRD] = have
	}
}

// named is where a file names a group as a whole, -1 = nowhere, and the versions
// that follow it after a slash.
func named(data []byte, group string) (first int, versions []string) {
	first = -1
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(group))
		if i < 0 {
			return first, versions
		}
		start := at + i
		at = start + len(group)
		if start > 0 && inName(data[start-1]) || at < len(data) && inName(data[at]) {
			continue
		}
		if first < 0 {
			first = start
		}
		if m := version.FindSubmatch(data[at:min(len(data), at+20)]); m != nil {
			versions = append(versions, string(m[1]))
		}
	}
}

var version = lazyregexp.New(`^/(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)\b`)

// inName says whether a character continues the name of a group. A full stop
// before it does not: "appwrappers.workload.codeflare.dev" names the group.
func inName(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
