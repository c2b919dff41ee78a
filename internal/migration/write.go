package migration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migrate/author"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Recover undoes what a killed write left half done, and says so.
func Recover(ctx context.Context, u *project.User, tree *source.Tree) error {
	names, err := tree.Recover(ctx)
	if len(names) > 0 {
		u.Note("an interrupted write was undone first (%s)", report.Plural(len(names), "file"))
	}
	return err
}

// Ready refuses to write a plan of repositories with uncommitted changes, or of a sparse
// checkout. A plan that changes nothing is always ready.
func (o *Options) Ready(ctx context.Context, plan *migrate.Plan, tree *source.Tree) error {
	if err := o.readyClones(ctx, plan, tree); err != nil {
		return err
	}
	return o.readyWhole(plan)
}

// readyClones refuses uncommitted changes in the repositories that were named, and in those
// that the plan changes files of, below a folder that is in none: which these are, the plan says first.
func (o *Options) readyClones(ctx context.Context, plan *migrate.Plan, tree *source.Tree) error {
	if o.AllowDirty || o.Write && !slices.ContainsFunc(plan.Files, (*migrate.File).Changes) {
		return nil
	}
	asked := tree.GitTops()
	for _, f := range plan.Files {
		root := tree.Root(f.Path)
		top := filepath.Join(tree.Base(), filepath.FromSlash(root))
		if tree.TopLevel() == "" && root != "" && f.Changes() && !slices.Contains(asked, top) {
			asked = append(asked, top)
		}
	}
	for _, top := range asked {
		if err := refuseDirty(ctx, tree, top, o.Rulesets); err != nil {
			return err
		}
	}
	return nil
}

// readyWhole refuses to write what a sparse checkout decides by what it shows: the objects,
// CRDs and references that it hides might have it otherwise. git asks for the same word
// before it touches paths outside of one (git-add, git-mv, git-rm: --sparse).
func (o *Options) readyWhole(plan *migrate.Plan) error {
	hidden := plan.Hidden()
	if o.Sparse || hidden == nil || o.Write && !slices.ContainsFunc(plan.Files, (*migrate.File).Changes) {
		return nil
	}
	return source.Hinted(fmt.Errorf("nothing is written: %s: %w; files that are hidden there may affect the result", hidden.Path, hidden.Err),
		"git sparse-checkout disable brings it back; or add --sparse to write by what is seen")
}

// refuseDirty refuses a work tree with uncommitted changes, so that git shows
// what the write changed and can undo it. The configuration, the rulesets in use
// and a CI job as init wrote it do not count: a write never changes them. Neither does a repository in the
// work tree, which git shows as an untracked folder.
func refuseDirty(ctx context.Context, tree *source.Tree, top string, rulesets []string) error {
	repo, err := git.Open(ctx, top)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer repo.Close()
	if repo.Bare {
		return nil
	}
	dirty, err := repo.Status(ctx)
	dirty = slices.DeleteFunc(dirty, func(name string) bool {
		return strings.HasSuffix(name, "/") || path.Base(name) == config.Name || isOneOf(filepath.Join(repo.Dir, filepath.FromSlash(name)), rulesets) || isOwnJob(repo.Dir, name)
	})
	if err != nil || len(dirty) == 0 {
		return err
	}
	what := dirty[0]
	if rel := BesideBase(tree, repo.Dir); rel != "." { // a repository in the one that cfctl runs in
		what = rel + "/" + what
	}
	if len(dirty) > 1 {
		what = fmt.Sprintf("%s and %d more", what, len(dirty)-1)
	}
	return source.Hinted(fmt.Errorf("the git work tree has uncommitted changes: %s", what),
		"commit or stash them, or add --allow-dirty; cfctl migrate undo undoes only what cfctl wrote")
}

// isOwnJob says whether a file of a work tree is a CI job, as cfctl init --ci wrote it.
func isOwnJob(top, name string) bool {
	return slices.ContainsFunc(author.Jobs, func(job author.Job) bool {
		if job.To != name {
			return false
		}
		root, err := source.OpenRoot(top)
		if err != nil {
			return false
		}
		defer root.Close() //nolint:errcheck // was only read
		data, err := root.ReadFile(name)
		return err == nil && slices.ContainsFunc([]bool{false, true}, func(stack bool) bool {
			text, err := job.Text(stack)
			return err == nil && string(data) == text
		})
	})
}

// isOneOf says whether a file is one of the rulesets that are named as files.
func isOneOf(file string, rulesets []string) bool {
	return slices.ContainsFunc(rulesets, func(name string) bool { return IsRulesetFile(name) && source.Same(file, name) })
}

// WithoutOwn leaves the rulesets in use out of a plan, since they name the old groups
// by their nature, and the reports of an earlier run, which are written anew. What git
// tracks is no report: a change could name a manifest like one, or lead there by a link.
func WithoutOwn(plan *migrate.Plan, tree *source.Tree, rulesets, reports []string) {
	plan.Files = slices.DeleteFunc(plan.Files, func(f *migrate.File) bool {
		file := filepath.Join(tree.Base(), filepath.FromSlash(f.Path))
		return f.Skip == nil && !f.Changes() && isOneOf(file, rulesets) ||
			!tree.Tracks(f.Path) && slices.ContainsFunc(reports, func(name string) bool { return source.Same(file, name) })
	})
}

// BesideBase is the path of a work tree from the base of a tree, "." for one that is
// the base or above it.
func BesideBase(tree *source.Tree, top string) string {
	if rel, ok := tree.Rel(top, "."); ok {
		return rel
	}
	return "."
}

// keepInConfig adds entries to migrate.keep of the configuration, or writes one
// at the top of the work tree.
func keepInConfig(u *project.User, tree *source.Tree, keep []migrate.Keep) (source.Change, error) {
	file, err := u.Configs.Find()
	if err != nil {
		return source.Change{}, err
	}
	at := filepath.Join(file.Dir, config.Name)
	if file.Path == "" {
		at = filepath.Join(tree.Base(), config.Name)
		if tree.TopLevel() != "" {
			at = filepath.Join(tree.TopLevel(), config.Name)
		}
	}
	name, ok := tree.Rel(tree.Base(), at)
	if !ok {
		return source.Change{}, source.Hinted(fmt.Errorf("%s is outside of what was named", filepath.ToSlash(at)), "run it at the top of the work tree, with paths")
	}
	items := keepItems(keep)
	edit, err := strict.AddItems(file.Data, "migrate", "keep", items, nil)
	if err != nil {
		return source.Change{}, &source.Error{Path: name, Err: err, Hint: "write the entries by hand, in lines of their own:\n- " + strings.Join(items, "\n- ")}
	}
	if file.Path == "" {
		return source.Change{To: name, Edits: []source.Edit{edit}}, nil
	}
	after, err := source.Apply(file.Data, []source.Edit{edit})
	if err != nil {
		return source.Change{}, err
	}
	if _, err := (config.File{Path: name, Data: after}).Decode(); err != nil {
		return source.Change{}, err
	}
	return source.Change{From: name, To: name, Edits: []source.Edit{edit}, Before: source.SumOf(file.Data)}, nil
}

// keepItems are the entries as YAML.
func keepItems(keep []migrate.Keep) []string {
	var list []string
	for _, k := range keep {
		value := ""
		if k.Value != "" {
			value = ", value: " + strconv.Quote(k.Value)
		}
		list = append(list, fmt.Sprintf("{path: %s%s, why: %s}", strconv.Quote(k.Path), value, strconv.Quote(k.Why)))
	}
	return list
}

// others says which built-in rulesets find something in a tree.
func (o *Options) others(ctx context.Context, tree *source.Tree) (string, error) {
	type found struct {
		name string
		n    int
	}
	var list []found
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return "", err
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			return "", err
		}
		plan, err := m.Plan(ctx, tree, source.WalkOptions{Jobs: o.Jobs, Exclude: o.Exclude})
		if err != nil {
			return "", err
		}
		if s := plan.Summary(); s.Left() {
			list = append(list, found{name, s.Changes + s.Review + s.Unread})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return b.n - a.n })
	hint := "cfctl init selects rulesets for this repository; or name one: cfctl migrate --ruleset "
	if len(list) == 0 {
		return hint + "FILE", nil
	}
	names := lists.Of(list, func(f found) string { return fmt.Sprintf("%s (%s)", f.name, report.Plural(f.n, "reference")) })
	return hint + list[0].name + "\nbuilt-in rulesets that find something here: " + strings.Join(names, ", "), nil
}

// errOccurs ends the search for a name.
var errOccurs = errors.New("it occurs")

// Meant returns an error unless the preset ruleset is for this tree: one of its names,
// old or new, occurs in the work tree, or in what was named outside of one. A longer
// domain or a URL with such a name in it is none.
func (o *Options) Meant(ctx context.Context, m *migrate.Migration, plan *migrate.Plan, tree *source.Tree) error {
	for _, f := range plan.Files {
		if f.Skip != nil || slices.ContainsFunc(f.Sites, func(s migrate.Site) bool { return s.Action() != migrate.Stay || s.Role() != "domain" }) {
			return nil
		}
	}
	whole := tree
	if tree.TopLevel() != "" && tree.TopLevel() != tree.Base() {
		top, err := source.Open([]string{tree.TopLevel()})
		if err != nil {
			return err
		}
		defer top.Close()
		whole = top
	}
	names := m.Needles()
	_, _, err := whole.Walk(ctx, source.WalkOptions{Jobs: o.Jobs, Finder: find.New(names)}, func(f *source.File) error {
		if slices.ContainsFunc(names, func(name string) bool { return begins(f.Data, name) }) {
			return errOccurs
		}
		return nil
	})
	if errors.Is(err, errOccurs) {
		return nil
	}
	if err != nil {
		return err
	}
	hint, err := o.others(ctx, whole)
	if err != nil {
		return err
	}
	return source.Hinted(project.Usage("no ruleset selected"), hint)
}

// begins says whether a name occurs that is not the end of a longer domain.
func begins(data []byte, name string) bool {
	for {
		before, after, ok := bytes.Cut(data, []byte(name))
		if !ok {
			return false
		}
		if n := len(before); n == 0 || before[n-1] != '.' && before[n-1] != '-' && !text.IsWordByte(before[n-1]) {
			return true
		}
		data = after
	}
}

// keepRests is how often KeepRest looks again at most: what is kept may show what was
// told of by it.
const keepRests = 8

// KeepRest acknowledges all that a plan leaves in the configuration, and returns the plan of
// what remains then, with the change that was written.
func (o *Options) KeepRest(ctx context.Context, u *project.User, plan *migrate.Plan, tree *source.Tree) (*migrate.Plan, []source.Change, error) {
	configured := u.Keep
	keep, places := plan.KeepRest(o.Reason)
	for range keepRests {
		u.Keep = slices.Concat(configured, keep)
		m, err := o.Migration(ctx, u)
		if err != nil {
			return nil, nil, err
		}
		if plan, err = m.Plan(ctx, tree, source.WalkOptions{Jobs: o.Jobs, Exclude: o.Exclude}); err != nil {
			return nil, nil, err
		}
		more, n := plan.KeepRest(o.Reason)
		if more = slices.DeleteFunc(more, func(k migrate.Keep) bool { return slices.Contains(keep, k) }); len(more) == 0 {
			break
		}
		keep, places = append(keep, more...), places+n
	}
	var changes []source.Change
	if len(keep) > 0 {
		change, err := keepInConfig(u, tree, keep)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, change)
	}
	if err := tree.Commit(ctx, changes); err != nil {
		return nil, nil, err
	}
	u.Note("%s acknowledged in %s; to undo it: cfctl migrate undo", report.Plural(places, "place"), config.Name)
	return plan, changes, nil
}
