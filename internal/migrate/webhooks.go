package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// The name of a webhook is said in its configuration, in the marker that this is made
// of, in messages, in commands and in tests: the configuration says what becomes of it.

// gatherWebhooks looks again at the files that name webhooks of the tree otherwise
// than their configurations do.
func (m *Migration) gatherWebhooks(w walk, files []*File, needles []string) error {
	hooks := map[string]judge.Webhook{}
	for _, f := range files {
		for _, s := range f.Sites {
			if s.Role != find.RoleWebhook || !f.format.Is(find.Objects) || strings.HasPrefix(s.Old, "/") {
				continue
			}
			is, known := hooks[s.Old]
			switch {
			case s.Reason == "kept-webhook":
				is.Stays = true
			case s.Action() != Change:
				continue
			case !known:
				is.Resource = s.Told()
			case is.Resource != s.Told():
				is.Resource = ""
			}
			hooks[s.Old] = is
		}
	}
	if len(hooks) == 0 || m.opts.Dual {
		return nil
	}
	again := map[string]int{}
	for i, f := range files {
		if slices.ContainsFunc(f.Sites, func(s Site) bool {
			is, known := hooks[s.Old]
			return known && (s.Action() == Change && is.Stays || !is.Stays && f.mayName(s))
		}) {
			again[f.Path] = i
		}
	}
	m.hooks = hooks
	return m.lookAgain(w, files, needles, again)
}

// mayName says whether a name that stays may be that of a webhook: in the path to a field
// of one, and in source, where nothing tells what it is.
func (f *File) mayName(s Site) bool {
	return s.Reason == find.HookChosen.Reason || s.Reason == "label-like" && !f.format.Is(find.Objects) && !f.format.Is(find.Written)
}
