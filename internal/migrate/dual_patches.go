package migrate

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// In dual mode a CRD gets a twin, and none of what kustomizations patch into the CRD:
// its conversion, the CA of its webhook. That is for a person, until there is such a
// patch of the twin, too.
// Source: https://book.kubebuilder.io/multiversion-tutorial/deployment, config/crd/patches.

// patches tells a person of the patches of CRDs that get a twin, once for a CRD in a file.
func (m *Migration) patches(files []*File, others Others) {
	twins := map[string]bool{} // names of CRDs that files define
	for _, f := range files {
		for _, s := range f.Sites {
			if s.Role == find.RoleCRDName && f.definesCRD() {
				twins[s.Old] = true
			}
		}
	}
	for _, f := range files {
		if f.Skip != nil || f.outside || f.definesCRD() {
			continue
		}
		told := map[string]bool{}
		for i, s := range f.Sites {
			if s.Role != find.RoleCRDName || s.Why != judge.DualWhy || !twins[s.Old] || told[s.Old] {
				continue
			}
			if fresh := m.freshCRD(s.Old); fresh != "" && patchesAlone(others, f.Path, s.Old, fresh) {
				o := s.Leave("twin-patch", "a patch of this CRD, and none of "+fresh+", which is served beside it", "write one for "+fresh+" as well, or keep it with a comment cfctl:keep REASON")
				f.Sites[i], told[s.Old] = s.with(m.opts.Keep.Kept(f.placeIn(), o)), true
			}
		}
	}
}

// filledGrants tells a person of the groups that a template fills into permissions: both are
// needed, and what is filled in is one. Nothing is said where the new group stands in the
// permissions of the file as well.
func (m *Migration) filledGrants(files []*File, others Others) {
	for _, f := range files {
		if f.Skip != nil || f.outside || f.format.Name != "helm" || !slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Why == judge.DualWhy }) {
			continue
		}
		data, err := others.ReadFile(f.Path)
		if err != nil {
			continue
		}
		for i, s := range f.Sites {
			line := text.LineAround(data, s.Span)
			fresh := m.rules.Ask(rules.GVK{Group: s.Old}).To.Group
			if s.Why == judge.DualWhy && grantFilled.Match(data[line.Start:s.Start]) && fresh != "" && !grantsGroup(data, fresh) {
				o := s.Leave("twin", "a template fills it into a permission, and both groups need one while both are served", "write a rule for "+fresh+" behind this one, or keep it with a comment cfctl:keep REASON")
				f.Sites[i] = s.with(m.opts.Keep.Kept(f.placeIn(), o))
			}
		}
	}
}

// grantFilled is the line of a permission up to a group in an action.
var grantFilled = lazyregexp.New(`^[\s-]*apiGroups:[^#]*\{\{[^{}]*$`)

// grantsGroup says whether a line with apiGroups has a group.
func grantsGroup(data []byte, group string) bool {
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte("apiGroups")) && bytes.Contains(line, []byte(group)) {
			return true
		}
	}
	return false
}

// definesCRD says whether a CRD of the rules stands in a file as a whole.
func (f *File) definesCRD() bool {
	for _, s := range f.Sites {
		if s.Role == find.RoleCRDGroup {
			return true
		}
	}
	return false
}

// freshCRD is what the name of a CRD becomes, "" for nothing.
func (m *Migration) freshCRD(name string) string {
	for _, tok := range m.names.Tokens([]byte(name)) {
		known := tok.Known
		if known.Plural == "" {
			known.Plural = tok.Prefix
		}
		if a := m.rules.Ask(known); a.Outcome == rules.Moves {
			return tok.Spell([]byte(name), a.To)
		}
	}
	return ""
}

// patchesAlone says whether a file is a kustomization that names one CRD and not the
// other, or a patch of the one that a kustomization names, without one of the other.
func patchesAlone(tree Others, name, old, fresh string) bool {
	data, err := tree.ReadFile(name)
	switch {
	case err != nil:
		return false
	case isKustomization(name):
		return !namesCRD(data, fresh)
	case !patchesCRD(data, old):
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, base := range kustomizations {
			at := path.Join(dir, base)
			if data, err := tree.ReadFile(at); err == nil && leadsTo(data, dir, name) {
				return !patchedIn(tree, at, data, fresh)
			}
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// kustomizations are the names that a kustomization may have.
// Source: sigs.k8s.io/kustomize/api, konfig.RecognizedKustomizationFileNames.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

func isKustomization(name string) bool {
	base := path.Base(name)
	return base == kustomizations[0] || base == kustomizations[1] || base == kustomizations[2]
}

// leadsTo says whether a kustomization of a folder names a file.
func leadsTo(data []byte, dir, name string) bool {
	for _, at := range scalars(data) {
		if path.Join(dir, at) == name {
			return true
		}
	}
	return false
}

// patchedIn says whether a kustomization patches a CRD, by itself or by a file.
func patchedIn(tree Others, at string, data []byte, name string) bool {
	if namesCRD(data, name) {
		return true
	}
	for _, file := range scalars(data) {
		if !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".yml") {
			continue
		}
		if data, err := tree.ReadFile(path.Join(path.Dir(at), file)); err == nil && patchesCRD(data, name) {
			return true
		}
	}
	return false
}

// namesCRD says whether a kustomization has a name, in a selector or a patch of its own.
func namesCRD(data []byte, name string) bool { return hasWord(data, name) }

// scalars are what the scalars of a document say.
func scalars(data []byte) []string {
	t := text.ScanYAML(data, 0, len(data), false)
	var list []string
	for i := range t.Nodes {
		if s := t.Text(int32(i)); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// patchesCRD says whether a document of a file is a part of a CRD of a name.
func patchesCRD(data []byte, name string) bool {
	for _, doc := range documentsOf(data) {
		if !bytes.Contains(doc.Of(data), crdWord) || !hasWord(doc.Of(data), name) {
			continue
		}
		if isPart(data, doc, name) {
			return true
		}
	}
	return false
}

// isPart says whether a document is a CRD of a name, and not the whole of it.
func isPart(data []byte, doc source.Span, name string) bool {
	t := text.ScanYAML(data, doc.Start, doc.End, false)
	top := t.Named(-1)
	kind, meta, spec := only(top["kind"]), only(top["metadata"]), only(top["spec"])
	return kind >= 0 && meta >= 0 && t.Text(kind) == string(crdWord) && t.Text(t.Child(meta, "name")) == name && (spec < 0 || t.Child(spec, "names") < 0)
}
