package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

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
	edit, err := keepEdit(file.data, keep)
	if err != nil {
		return source.Change{}, &source.Error{Path: name, Err: err, Hint: "write the entries by hand, in lines of their own:\n" + keepLines("  ", keep)}
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

// keepEdit is the edit that adds entries to a configuration: below
// migrate.keep, else below migrate, else at the end. What is in one line
// stays as it is, and is an error.
func keepEdit(data []byte, keep []migrate.Keep) (source.Edit, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return source.Edit{}, err
	}
	insert := func(line int, text string) source.Edit {
		at := 0
		for range line {
			if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
				at += n + 1
			} else {
				at, text = len(data), "\n"+strings.TrimSuffix(text, "\n")
			}
		}
		return source.Edit{Span: source.Span{Start: at, End: at}, New: text}
	}
	var top *yaml.Node
	if len(doc.Content) > 0 {
		top = doc.Content[0]
	}
	key, section := strict.Entry(top, "migrate")
	if section == nil {
		text := "migrate:\n  keep:\n" + keepLines("  ", keep)
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			text = "\n" + text
		}
		return source.Edit{Span: source.Span{Start: len(data), End: len(data)}, New: text}, nil
	}
	if section.Kind != yaml.MappingNode || section.Style&yaml.FlowStyle != 0 || len(section.Content) == 0 || section.Line == key.Line {
		return source.Edit{}, errors.New("migrate is written in one line")
	}
	indent := strings.Repeat(" ", section.Content[0].Column-1)
	under, list := strict.Entry(section, "keep")
	switch {
	case list == nil:
		return insert(key.Line, indent+"keep:\n"+keepLines(indent, keep)), nil
	case list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0:
		return source.Edit{}, errors.New("migrate.keep is written in one line")
	}
	return insert(under.Line, keepLines(strings.Repeat(" ", list.Column-1), keep)), nil
}

// keepLines are the entries as lines of YAML.
func keepLines(indent string, keep []migrate.Keep) string {
	var b strings.Builder
	for _, k := range keep {
		fmt.Fprintf(&b, "%s- {path: %s", indent, strconv.Quote(k.Path))
		if k.Value != "" {
			fmt.Fprintf(&b, ", value: %s", strconv.Quote(k.Value))
		}
		fmt.Fprintf(&b, ", why: %s}\n", strconv.Quote(k.Why))
	}
	return b.String()
}
