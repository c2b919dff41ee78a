package core

import (
	"bytes"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// keepRest keeps what dual mode does not write twice. What has to name both, and
// is no item of a list, needs review until it does.
func (t *Tree) keepRest(f *File, data []byte) {
	taken := judge.Because(judge.Taken, "").ID()
	patched := map[string]bool{}
	for i := range f.Sites {
		s := &f.Sites[i]
		if s.both || s.Action() == judge.Keep || s.ID() == taken {
			continue
		}
		v := judge.Because(judge.DualKept, "")
		switch {
		case !isRewrite(*s) || data == nil:
		case f.twin == "" && s.Role() == "crd-name" && !patched[s.Old] && !bytes.Contains(data, []byte(s.New)) && !t.isUnused(f):
			patched[s.Old] = true
			v = judge.Because(judge.TwinPatch, "this patch is only for this CRD, and "+s.New+" needs the same one")
		case s.Role() == "crd-file" && !bytes.Contains(linesNear(data, s.Start), []byte(s.New)):
			v = judge.Because(judge.NameBoth, s.New+" exists too, and is not mentioned here")
		case f.Format == "helm" && isFilledGroup(data[text.LineStart(data, s.Start):s.Start]) && !grantsGroup(data, s.New):
			v = judge.Because(judge.NameBoth, "a template fills it into a permission, and both groups need one")
		}
		*s = s.As(v)
	}
}

// isUnused says whether the kustomization of a patch, in its folder or the one above it, names the
// file in comments alone. Kustomize reads no patch from another folder.
func (t *Tree) isUnused(f *File) bool {
	if slices.Contains(Kustomizations, baseOf(f.Path)) {
		return false // it has the patch itself
	}
	found := false
	for _, dir := range []string{"", ".."} {
		for _, base := range Kustomizations {
			data, ok := t.read(f, path.Join(dir, base))
			if ok && bytes.Contains(withoutNotes(data), []byte(baseOf(f.Path))) {
				return false
			}
			found = found || ok
		}
	}
	return found
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
