package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// keepRests is how often keepRest looks again at most: what is kept may show what was
// told of by it.
const keepRests = 8

// keepRest acknowledges all that a plan leaves, and looks again: what is left
// then is not for an acknowledgement.
func (t *terminal) keepRest(ctx context.Context, o *migrateOptions, m *migrate.Migration, plan *migrate.Plan, tree *source.Tree) error {
	rest, err := m.In(tree).KeepRest(plan, tree, o.keepRest)
	if err != nil {
		return err
	}
	var again *migrate.Plan
	configured := t.keep
	for round := range keepRests {
		changes := slices.Clone(rest.Changes)
		if len(rest.Keep) > 0 {
			change, err := t.keepInConfig(tree, rest.Keep)
			if err != nil {
				return err
			}
			changes = append(changes, change)
		}
		t.keep = slices.Concat(configured, rest.Keep)
		if err := tree.Commit(ctx, changes); err != nil {
			return err
		}
		if m, err = o.migration(ctx, t); err != nil {
			return err
		}
		if again, err = m.Plan(ctx, tree, source.WalkOptions{Jobs: o.jobs, Exclude: o.exclude}); err != nil {
			return err
		}
		more, err := m.In(tree).KeepMore(rest, again, tree, o.keepRest)
		if err != nil {
			return err
		}
		if !more || round == keepRests-1 {
			for _, c := range changes {
				report.Fprintf(t.out, "%s\n", renamed(c.From, c.To))
			}
			break
		}
		if _, err := tree.Undo(ctx); err != nil {
			return err
		}
	}
	t.sayPerson(t.out, again)
	t.note("%s acknowledged, %d of them in %s; to undo it: cfctl migrate undo", report.Plural(rest.Places, "place"), len(rest.Keep), configName)
	t.sayMigrated(o, again)
	if again.Summary().Left() {
		return errPending
	}
	return nil
}

// keepInConfig adds entries to migrate.keep of the configuration, or writes one
// at the top of the work tree.
func (t *terminal) keepInConfig(tree *source.Tree, keep []migrate.Keep) (source.Change, error) {
	file, err := t.findConfig()
	if err != nil {
		return source.Change{}, err
	}
	at := filepath.Join(file.dir, configName)
	if file.path == "" {
		at = filepath.Join(tree.Base(), configName)
		if tree.TopLevel() != "" {
			at = filepath.Join(tree.TopLevel(), configName)
		}
	}
	name, ok := tree.Rel(tree.Base(), at)
	if !ok {
		return source.Change{}, hinted{fmt.Errorf("%s is outside of what was named", filepath.ToSlash(at)), "run it at the top of the work tree, with paths"}
	}
	items := keepItems(keep)
	edit, err := strict.AddItems(file.data, "migrate", "keep", items, nil)
	if err != nil {
		return source.Change{}, &source.Error{Path: name, Err: err, Hint: "write the entries by hand, in lines of their own:\n- " + strings.Join(items, "\n- ")}
	}
	if file.path == "" {
		return source.Change{To: name, Edits: []source.Edit{edit}}, nil
	}
	after, err := source.Apply(file.data, []source.Edit{edit})
	if err != nil {
		return source.Change{}, err
	}
	var c config
	if err := strict.Decode(name, after, &c); err != nil {
		return source.Change{}, err
	}
	return source.Change{From: name, To: name, Edits: []source.Edit{edit}, Before: source.SumOf(file.data)}, nil
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
