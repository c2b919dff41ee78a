package migrate

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Where a ruleset moves some kinds of a group or of a version, and the tree has another
// one of it, a name of the group or version that tells no kind may be that of either. Only the
// whole tree tells: such files are looked at once more.

// gatherMixed looks again at the files that name what a kind of the tree stays
// in, and puts what they become in the place of what they were. The migration is that
// of the tree alone, which knows of it from then on.
func (m *Migration) gatherMixed(w walk, files []*File, needles []string) error {
	mixed := m.mixedVersions(files)
	defer clientsStay(files, mixed)
	again, parted := map[string]int{}, m.parted(mixed)
	for i, f := range files {
		if slices.ContainsFunc(f.Sites, func(s Site) bool {
			group, version := s.Of()
			return s.Action() == Change && (parted || mixed.In(group, version) != "" || len(mixed.Stays) > 0 && (s.Role == find.RoleWebhook || s.Role == find.RoleClient)) // these names are longer
		}) {
			again[f.Path] = i
		}
	}
	if len(again) == 0 {
		return nil
	}
	m.mixed = mixed
	return m.lookAgain(w, files, needles, again)
}

// parted says whether rules move a version of a kind to another group, of which another
// version of the tree stays: any name of it without a version is then that of both.
func (m *Migration) parted(mixed judge.Mixed) bool {
	return slices.ContainsFunc(m.rules.Groups(), func(group string) bool {
		return slices.ContainsFunc(m.rules.RulesOf(group), func(r rules.Rule) bool {
			return r.From.Version != "" && r.To.Group != group && !r.Gone() && mixed.Stays[group+" "+r.From.Kind] != ""
		})
	})
}

// lookAgain puts what files of a list become by now in the place of what they were;
// again has their places in the list, by path.
func (m *Migration) lookAgain(w walk, files []*File, needles []string, again map[string]int) error {
	if len(again) == 0 {
		return nil
	}
	var mu sync.Mutex
	return w(search{needles: needles, always: []string{projectName}, among: slices.Sorted(maps.Keys(again))}, func(name string, data []byte) {
		f := m.look(name, data, true)
		mu.Lock()
		defer mu.Unlock()
		if f != nil {
			files[again[name]] = f
		}
	})
}

// clientsStay takes back that files are of a generated client that follows its group:
// one of which a kind stays has its client for that one. The calls for a kind that
// moves are for a person then.
func clientsStay(files []*File, mixed judge.Mixed) {
	for _, f := range files {
		maps.DeleteFunc(f.clients, func(name string, _ bool) bool {
			group, _, _ := strings.Cut(name, "/")
			return mixed.Stays[group] != ""
		})
	}
}

// mixedVersions are the groups, and their versions, of which manifests or CRDs have a
// kind that no rule moves, with the first such kind, each such kind, and the versions of kinds that move.
func (m *Migration) mixedVersions(files []*File) judge.Mixed {
	mixed := judge.Mixed{Stays: map[string]string{}, Moves: map[string]bool{}}
	add := func(is rules.GVK) {
		at := is.Group + "/" + is.Version
		if m.rules.Ask(is).Outcome == rules.Moves {
			mixed.Moves[at] = true
		}
		if m.rules.Ask(is).Outcome != rules.NoRule || m.rules.Arrived(is) {
			return
		}
		for _, key := range []string{is.Group, at, is.Group + " " + is.Kind} {
			if mixed.Stays[key] == "" || is.Kind < mixed.Stays[key] {
				mixed.Stays[key] = is.Kind
			}
		}
	}
	for _, f := range files {
		kinds := f.kinds
		if f.facts != nil {
			kinds = slices.Concat(kinds, f.facts.kinds)
		}
		for _, is := range kinds {
			if rules.ServedKind.MatchString(is.Kind) && !strings.HasSuffix(is.Kind, "List") { // no name that something fills in
				add(is)
			}
		}
	}
	if m.hidden != nil && m.hidden() {
		m.mixWithHidden(mixed)
	}
	return mixed
}

// mixWithHidden notes what may stay of the groups and versions of which rules move some
// kinds alone, where files that may have others are not checked out.
func (m *Migration) mixWithHidden(mixed judge.Mixed) {
	note := func(key string) {
		if mixed.Stays[key] == "" {
			mixed.Stays[key] = judge.Hidden
		}
	}
	for _, group := range m.rules.Groups() {
		list := m.rules.RulesOf(group)
		if !slices.ContainsFunc(list, func(r rules.Rule) bool { return r.From.Kind != "" }) || slices.ContainsFunc(list, func(r rules.Rule) bool { return r.From.Kind == "" }) {
			continue
		}
		note(group)
		for _, at := range slices.Sorted(maps.Keys(mixed.Moves)) {
			if of, _, _ := strings.Cut(at, "/"); of == group {
				note(at)
			}
		}
	}
}

// hides says whether something that is not checked out may be of CRDs or objects.
func (m *Migration) hides(skipped []source.Skip) bool {
	return slices.ContainsFunc(skipped, func(s source.Skip) bool {
		if _, kept := m.opts.Keep.Of(m.placeOf(s.Path), ""); kept || s.Reason != source.SkipSparse {
			return false
		}
		return s.Dir || find.FormatOf(s.Path, nil).Is(find.Objects)
	})
}
