package core

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// keepRest keeps what dual mode does not write twice. What has to name both, and
// is no item of a list, needs review until it does.
func (t *Tree) keepRest(f *File, data []byte) {
	taken := judge.Because(judge.Taken, "").ID()
	for i := range f.Sites {
		s := &f.Sites[i]
		if s.both || s.Action == judge.Keep || s.ID == taken {
			continue
		}
		v := judge.Because(judge.DualKept, "")
		switch {
		case !isRewrite(*s) || data == nil:
		case s.Role == "crd-file" && !bytes.Contains(linesNear(data, s.Start), []byte(s.New)):
			v = judge.Because(judge.NameBoth, s.New+" exists too, and is not mentioned here")
		case f.Format == "helm" && isFilledGroup(data[text.LineStart(data, s.Start):s.Start]) && !grantsGroup(data, s.New):
			v = judge.Because(judge.NameBoth, "a template fills it into a permission, and both groups need one")
		}
		*s = s.kept(v)
	}
}

// linesNear is the line of an offset with those before and behind it.
func linesNear(data []byte, at int) []byte {
	from, to := text.LineStart(data, at), lineEnd(data, at)
	if from > 0 {
		from = text.LineStart(data, from-1)
	}
	if to < len(data) {
		to = lineEnd(data, to+1)
	}
	return data[from:to]
}

// isFilledGroup says whether a line begins as the groups of a permission do, up to
// a name in an action of a template.
func isFilledGroup(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " -"), []byte("apiGroups:")) && bytes.LastIndex(line, []byte("{{")) > bytes.LastIndex(line, []byte("}}"))
}

// grantsGroup says whether a line with the groups of a permission has a group.
func grantsGroup(data []byte, group string) bool {
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte("apiGroups")) && bytes.Contains(line, []byte(group)) {
			return true
		}
	}
	return false
}

// patches lets the patches of CRDs that have a twin need review, once for a CRD in
// a file, until the twin is patched too.
// Source: https://book.kubebuilder.io/multiversion-tutorial/deployment, config/crd/patches.
func (t *Tree) patches(files []*File) {
	for _, f := range files {
		told := map[string]bool{}
		for i := range f.Sites {
			s := &f.Sites[i]
			fresh := t.twinned[s.Old]
			if fresh == "" || f.defines || told[s.Old] || s.ID != judge.Because(judge.DualKept, "").ID() || !t.patchesAlone(f, fresh) {
				continue
			}
			told[s.Old] = true
			*s = s.kept(judge.Because(judge.TwinPatch, "this patch is only for this CRD, and "+fresh+" needs the same one"))
		}
	}
}

// patchesAlone says whether a file that does not name the twin of a CRD is a
// kustomization, or one that a kustomization names, in which nothing patches the twin.
func (t *Tree) patchesAlone(f *File, fresh string) bool {
	data, ok := t.read(f, baseOf(f.Path))
	if slices.Contains(kustomizations, baseOf(f.Path)) || bytes.Contains(data, []byte(fresh)) {
		return ok && !bytes.Contains(data, []byte(fresh))
	}
	up := ""
	for dir := path.Dir(f.Path); ; dir, up = path.Dir(dir), up+"../" {
		for _, base := range kustomizations {
			data, ok := t.read(f, up+base)
			if list := textsOf(base, data); ok && slices.ContainsFunc(list, func(x string) bool { return path.Join(dir, x) == f.Path }) {
				return !bytes.Contains(data, []byte(fresh)) && !slices.ContainsFunc(list, func(x string) bool {
					patch, ok := t.read(f, up+x)
					return ok && (strings.HasSuffix(x, ".yaml") || strings.HasSuffix(x, ".yml")) && isPatch(patch, fresh)
				})
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

// isPatch says whether a file has a part of a definition of a name.
func isPatch(data []byte, name string) bool {
	return bytes.Contains(data, []byte(name)) && slices.ContainsFunc(syntax.Read("a.yaml", data, nil).Kids, func(doc *syntax.Node) bool {
		x := doc.Find("metadata", "name")
		return x != nil && x.String() == name && !isDefinition(doc)
	})
}

// textsOf are the texts of a file.
func textsOf(name string, data []byte) []string {
	var list []string
	if data != nil {
		syntax.Read(name+".yaml", data, nil).Leaves(func(n *syntax.Node) { list = append(list, n.String()) })
	}
	return list
}
