package migrate

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A pull request answers for the names that it brings, not for the past of its
// files: what the base said of a file as often is left out, wherever in the
// file it is now.

// Since is the plan without what the tree base, a whole work tree, has to say
// too. Now is the tree of the plan; moved maps files of the base to where they
// stand now, both from the top of the work tree.
func (m *Migration) Since(ctx context.Context, p *Plan, now Others, base fs.FS, moved map[string]string) (*Plan, error) {
	then := source.OpenFS(base, nil)
	before, err := m.Plan(ctx, then, source.WalkOptions{})
	if err != nil {
		return nil, err
	}
	was := map[string]*File{}
	for _, f := range before.Files {
		name := f.Path
		if to := moved[name]; to != "" && FormatOf(to) == FormatOf(name) { // else git takes it for the same: a page, and a manifest now
			name = to
		}
		was[name] = f
	}
	var pairs []string
	if m.concord != nil {
		for _, g := range m.rules.Groups() {
			if to := m.concord.pairs[g]; len(to) == 1 {
				pairs = append(pairs, g, to[0])
			}
		}
	}
	renames := strings.NewReplacer(pairs...)
	fresh := *p
	fresh.Files = nil
	for _, f := range p.Files {
		if f.Format == "link" && f.leads(base) {
			continue
		}
		if b := was[path.Join(p.Below, f.Path)]; b != nil {
			f = f.since(b, linesOf(now, f.Path), linesOf(then, b.Path), m.rules.Groups(), renames)
		}
		if f != nil {
			fresh.Files = append(fresh.Files, f)
		}
	}
	return &fresh, nil
}

// leads says whether a link to code of others led there in the base as well.
func (f *File) leads(base fs.FS) bool {
	target, err := fs.ReadFile(base, f.placeIn())
	return err == nil && slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Role() == roleProse && s.Old == path.Join(path.Dir(f.Path), string(target))
	})
}

// since is a file without what it had in the base, nil when nothing is left. What was asked about
// a name is asked about its new name, too.
func (f *File) since(base *File, lines, then, groups []string, renames *strings.Replacer) *File {
	if f.Skip != nil {
		if base.Skip != nil && base.Skip.Err.Error() == f.Skip.Err.Error() && named(lines, groups) <= named(then, groups) {
			return nil
		}
		return f
	}
	now := *f
	had := map[said]int{}
	for _, s := range base.Sites {
		k := saidBy(s, then)
		had[k]++
		if old := k.old; k.action == NeedsReview {
			if k.old, k.line = renames.Replace(k.old), renames.Replace(k.line); k.old != old {
				had[k]++
			}
		}
	}
	without := func(sites []Site, anywhere bool) (rest []Site) {
		for _, s := range sites {
			k := saidBy(s, lines)
			if anywhere {
				k.line = ""
			}
			if had[k] > 0 {
				had[k]--
			} else {
				rest = append(rest, s)
			}
		}
		return rest
	}
	rest := without(f.Sites, false) // what the base did not say on the same line
	for k, n := range maps.Clone(had) {
		if k.line != "" {
			k.line = ""
			had[k] += n
		}
	}
	now.Sites = without(rest, true)
	if base.To != base.Path {
		now.To = now.Path
	}
	if base.Twin != nil {
		now.Twin = nil
	}
	now.Drop = now.Drop && !base.Drop
	if len(now.Sites) == 0 && !now.Changes() {
		return nil
	}
	return &now
}

// named counts the lines with a group: of a file that cannot be read no more is known.
func named(lines, groups []string) (n int) {
	for _, line := range lines {
		if slices.ContainsFunc(groups, func(g string) bool { return strings.Contains(line, g) }) {
			n++
		}
	}
	return n
}

// said is what a plan says of a place, so that it is known again elsewhere.
type said struct {
	action    Action
	rule, old string
	comment   bool
	line      string // its text
}

func saidBy(s Site, lines []string) said {
	k := said{action: s.Action(), rule: s.Rule.ID, old: s.Old}
	if k.action == NeedsReview { // which rule it is may depend on the kinds in other files
		k.rule = ""
	}
	if i := s.Pos.Line - 1; i >= 0 && i < len(lines) {
		k.line = lines[i]
		t := strings.TrimLeft(k.line, " \t")
		k.comment = strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//")
	}
	return k
}

// linesOf are the lines of a file; one that cannot be read has none.
func linesOf(tree Others, name string) []string {
	data, err := tree.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}
