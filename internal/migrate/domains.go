package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A PROJECT file need not list every group below its domain: the CRDs of the tree
// say which there are. The domain moves with the last of them.

// gatherDomains looks again at PROJECT files whose domain would move, though the
// group of a CRD below their folder stays in it.
func (m *Migration) gatherDomains(w walk, files []*File) error {
	moving := map[string][]string{} // domains, by the path of the PROJECT file
	again, needles := map[string]int{}, []string{}
	for i, f := range files {
		for _, s := range f.Sites {
			if path.Base(f.Path) == projectName && s.Action() == Change && strings.Contains(s.Old, ".") {
				moving[f.Path], again[f.Path] = append(moving[f.Path], s.Old), i
				needles = append(needles, "."+s.Old)
			}
		}
	}
	if len(again) == 0 {
		return nil
	}
	slices.Sort(needles)
	var mu sync.Mutex
	staying := map[string]map[string]string{}
	err := w(search{needles: slices.Compact(needles)}, func(name string, data []byte) {
		for _, group := range m.stayingGroups(data) {
			mu.Lock()
			m.noteStaying(staying, moving, name, group)
			mu.Unlock()
		}
	})
	if err != nil || len(staying) == 0 {
		return err
	}
	knowing := *m
	knowing.mixed, knowing.domains = m.mixedVersions(files), staying
	return w(search{needles: needles, always: []string{projectName}, among: slices.Sorted(maps.Keys(staying))}, func(name string, data []byte) {
		if f := knowing.look(name, data, true); f != nil {
			mu.Lock()
			defer mu.Unlock()
			files[again[name]] = f
		}
	})
}

// noteStaying notes for the PROJECT files around a file that a group stays in
// their domain: of several the first by name.
func (m *Migration) noteStaying(staying map[string]map[string]string, moving map[string][]string, name, group string) {
	for project, domains := range moving {
		if dir := path.Dir(m.placeOf(project)); m.rootOf(project) != m.rootOf(name) || dir != "." && !strings.HasPrefix(m.placeOf(name), dir+"/") {
			continue
		}
		for _, domain := range domains {
			if !strings.HasSuffix(group, "."+domain) {
				continue
			}
			if staying[project] == nil {
				staying[project] = map[string]string{}
			}
			if was := staying[project][domain]; was == "" || group < was {
				staying[project][domain] = group
			}
		}
	}
}

// stayingGroups are the groups of the CRDs of a file that no rule moves.
func (m *Migration) stayingGroups(data []byte) []string {
	if !bytes.Contains(data, crdWord) {
		return nil
	}
	var list []string
	for _, doc := range text.Documents(data, false) {
		t := text.ScanYAML(data[:doc.End], doc.Start, doc.End, text.HasTemplate(doc.Of(data)))
		spec := t.Value(-1, "spec")
		if spec < 0 || t.Text(t.Value(-1, "kind")) != string(crdWord) {
			continue
		}
		is := rules.GVK{Group: t.Text(t.Value(spec, "group"))}
		if names := t.Value(spec, "names"); names >= 0 {
			is.Kind = t.Text(t.Value(names, "kind"))
		}
		if m.rules.Ask(is).Outcome != rules.Moves && !m.rules.Arrived(is) {
			list = append(list, is.Group)
		}
	}
	return list
}
