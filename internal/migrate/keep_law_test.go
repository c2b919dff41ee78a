package migrate

import (
	"bytes"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// What is acknowledged is left no more: neither is anything else of the tree. The comments
// change nothing of what the files say, a second acknowledgement has nothing to do, and what
// is written below a comment is found.
func TestKeptRest(t *testing.T) {
	racetest.OneGoroutine(t)
	scripts, err := filepath.Glob("../../testdata/migrate/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		tree, sets := scriptTree(t, script)
		maps.DeleteFunc(tree, func(name, _ string) bool { return path.Ext(name) == ".txt" }) // what a run is to print
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			keptRest(t, path.Base(script)+" "+name, tree, sets[name])
		}
	}
	for what, tree := range secondTrees(t, 200) {
		keptRest(t, what, tree.files, tree.set)
		k := &keeper{t: t, opts: Options{Rulesets: []*Ruleset{tree.set}}}
		if _, p := k.plan(tree.files, nil); !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Skip != nil }) {
			keptRest(t, "written: "+what, tree.files.written(t, p), tree.set)
		}
	}
}

// A keeper acknowledges what is left of a tree, as the command does.
type keeper struct {
	t    *testing.T
	opts Options
}

// plan is the plan of a tree with what the configuration keeps.
func (k *keeper) plan(tree memory, keep []Keep) (*Migration, *Plan) {
	k.t.Helper()
	opts := k.opts
	opts.Keep = keep
	m, err := New(opts)
	if err != nil {
		k.t.Fatal(err)
	}
	p, err := m.planFS(k.t.Context(), mapOf(tree))
	if err != nil {
		k.t.Fatal(err)
	}
	return m, p
}

// acknowledge is the tree with the comments for what is left of it, and what goes to the
// configuration.
func (k *keeper) acknowledge(tree memory, configured []Keep) (memory, []Keep) {
	k.t.Helper()
	m, p := k.plan(tree, configured)
	rest, err := m.KeepRest(p, tree, "ours")
	if err != nil {
		k.t.Fatal(err)
	}
	for range 8 {
		after := maps.Clone(tree)
		for _, c := range rest.Changes {
			data, err := source.Apply([]byte(tree[c.From]), c.Edits)
			if err != nil {
				k.t.Fatal(err)
			}
			after[c.To] = string(data)
		}
		keep := slices.Concat(configured, rest.Keep)
		m, p := k.plan(after, keep)
		if more, err := m.KeepMore(rest, p, after, "ours"); err != nil {
			k.t.Fatal(err)
		} else if !more {
			return after, keep
		}
	}
	k.t.Fatal("no end of it")
	return nil, nil
}

// keptFaults are trees with a file whose change is refused: templates of permissions in
// both modes, kinds with a dash, alternatives of kinds.
var keptFaults = []string{"dual-renamed.txtar rules.yaml", "kind-names.txtar pear.yaml", "matched-kinds.txtar rules.yaml"}

// keptRest holds the acknowledgement of a tree to the law.
func keptRest(t *testing.T, what string, tree memory, set *Ruleset) {
	t.Helper()
	if slices.Contains(keptFaults, what) {
		return
	}
	k := &keeper{t: t, opts: Options{Rulesets: []*Ruleset{set}}}
	if _, err := New(k.opts); err != nil {
		return // rules in a circle
	}
	after, keep := k.acknowledge(tree, nil)
	_, p := k.plan(after, keep)
	for _, f := range p.Files {
		if f.Skip != nil {
			t.Errorf("%s\n%s: not read: %v", what, f.Path, f.Skip)
		}
		for _, s := range f.Sites {
			if s.Action() != Stay && !(s.Old == Suppression && strings.Contains(tree[f.Path], Suppression)) { // a person takes that away
				t.Errorf("%s\n%s:%d: still left: %s: %s", what, f.Path, s.Pos.Line, s.Old, s.Why())
			}
		}
	}
	for name, now := range after {
		if was := tree[name]; now != was {
			sayTheSame(t, what+"\n"+name, was, now)
		}
	}
	again, more := k.acknowledge(after, keep)
	if !maps.Equal(again, after) || len(more) != len(keep) {
		t.Errorf("%s\nacknowledged again, %d more in the configuration:\n%v", what, len(more)-len(keep), again)
	}
}

// sayTheSame holds a file with comments to what it said before: only lines of it are longer, or
// new, and it reads as before.
func sayTheSame(t *testing.T, what, was, now string) {
	t.Helper()
	lines := strings.Split(was, "\n")
	for line := range strings.SplitSeq(now, "\n") {
		code, mark, marked := line, "", false
		if i := strings.LastIndex(line, Suppression); i >= 0 {
			code, mark, marked = line[:i], line[i+len(Suppression):], true
		}
		switch {
		case len(lines) > 0 && line == lines[0]:
			lines = lines[1:]
		case !marked || mark != " ours" && mark != " ours\r":
			t.Errorf("%s: %q is new", what, line)
		case len(lines) > 0 && strings.TrimRight(code, " #/") == strings.TrimRight(lines[0], " \r"):
			lines = lines[1:]
		case strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(code), "//")) != "":
			t.Errorf("%s: %q is new", what, line)
		}
	}
	if len(lines) > 0 {
		t.Errorf("%s: %q is gone", what, lines[0])
	}
	switch path.Ext(what) {
	case ".yaml", ".yml":
		if !text.HasTemplate([]byte(was)) && !prove.Same([]byte(was), []byte(now)) {
			t.Errorf("%s says something else:\n%s", what, now)
		}
	case ".go":
		if !slices.Equal(goTokens(was), goTokens(now)) {
			t.Errorf("%s says something else:\n%s", what, now)
		}
	}
}

// goTokens are the tokens of Go source, without comments.
func goTokens(data string) []string {
	var list []string
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(data)), bytes.Clone([]byte(data)), nil, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return list
		}
		list = append(list, tok.String()+lit)
	}
}
