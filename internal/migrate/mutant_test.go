package migrate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/migrate/prove"
	"github.com/project-codeflare/cfctl/internal/racetest"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A trial is a right plan of one file, as the proof gets it.
type trial struct {
	name  string
	rules *prove.Rules
	file  *prove.File
}

// trials are the plans of the torture file, of the trees, of every built-in
// ruleset's examples, and of an object of every kind that Kubernetes removed,
// in both modes.
func trials(t *testing.T) []trial {
	t.Helper()
	var list []trial
	add := func(what string, m *Migration, name string, data []byte) {
		f := m.File(name, data)
		if f == nil || f.Skip != nil {
			return
		}
		what += "/" + name
		if m.opts.Dual {
			what += "/dual"
		}
		if f.Twin != nil {
			list = append(list, trial{what + "/twin", m.proof, f.twinCase(data)})
		}
		if c := f.proofCase(data); len(c.Edits) > 0 {
			list = append(list, trial{what, m.proof, c})
		}
	}
	each := func(what string, opts Options, files memory) {
		for _, dual := range []bool{false, true} {
			opts.Dual = dual
			m, err := New(opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range sortedNames(files) {
				add(what, m, name, []byte(files[name]))
			}
		}
	}
	add("torture", fuzzMigration(t), "torture.yaml", []byte(torture))
	for _, c := range trees {
		if c.name != "stream" { // the others have all that it has
			each(c.name, Options{Rulesets: builtins(t, c.rulesets...)}, readTree(t, filepath.Join("testdata", "trees", c.name, "before")))
		}
	}
	for _, name := range Builtin() {
		set := builtins(t, name)
		for _, e := range set[0].Examples {
			each(name, Options{Rulesets: set, Set: e.Set}, memory{e.Path: e.In})
		}
	}
	each("kubernetes", Options{Rulesets: builtins(t, "kubernetes-removed")}, readTree(t, filepath.Join("testdata", "kubernetes")))
	return list
}

func builtins(t testing.TB, names ...string) []*rules.Ruleset {
	t.Helper()
	var sets []*rules.Ruleset
	for _, name := range names {
		set, err := BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}

// A mutant makes a wrong plan of a right one: false where there is no place for it.
type mutant struct {
	name string
	make func(r *rand.Rand, f *prove.File) bool
}

// mutants are mistakes of each kind that a migration could make.
var mutants = []mutant{
	{"shifted by one", onEdit(func(f *prove.File, e *source.Edit) bool {
		e.Start, e.End, e.Old = e.Start+1, e.End+1, ""
		return e.End <= len(f.Before)
	})},
	{"shifted back by one", onEdit(func(_ *prove.File, e *source.Edit) bool {
		e.Start, e.End, e.Old = e.Start-1, e.End-1, ""
		return e.Start >= 0
	})},
	{"span cut short", onEdit(func(_ *prove.File, e *source.Edit) bool { e.End, e.Old = e.End-1, ""; return e.Start <= e.End })},
	{"text cut short", onEdit(func(_ *prove.File, e *source.Edit) bool {
		if e.New == "" {
			return false
		}
		e.New = e.New[:len(e.New)-1]
		return true
	})},
	{"doubled", onEdit(func(_ *prove.File, e *source.Edit) bool { e.New += e.New; return strings.TrimSpace(e.New) != "" })},
	{"a spelling that no rule says", onEdit(func(_ *prove.File, e *source.Edit) bool {
		e.New = swapLetter(e.New)
		return e.New != ""
	})},
	{"another group", onEdit(func(_ *prove.File, e *source.Edit) bool { e.New = "elsewhere.example.net"; return true })},
	{"at another place", elsewhere},
	{"swapped", swapped},
	{"a line less", onLine(nil, func(string) string { return "" })},
	{"a list item less", onLine(isItem, func(string) string { return "" })},
	{"a verb less", onLine(isVerbs, func(line string) string {
		at, end := strings.IndexByte(line, '[')+1, strings.IndexAny(line, ",]")
		if line[end] == ',' {
			end++
		}
		return line[:at] + line[end:]
	})},
	{"indented", func(r *rand.Rand, f *prove.File) bool {
		// Where shapes change, whole blocks are indented: one that means the same is not told from them.
		return !f.Shaped && onLine(isEntry, func(line string) string { return "  " + line })(r, f)
	}},
	{"quoted", onLine(isPlainNumber, func(line string) string {
		key, value, _ := strings.Cut(line, ": ")
		return key + `: "` + strings.TrimSpace(value) + `"` + line[len(strings.TrimRight(line, "\r\n")):]
	})},
}

// Every wrong plan is refused, and every right one taken.
func TestProofRefusesMutants(t *testing.T) {
	racetest.OneGoroutine(t)
	list := trials(t)
	tried := map[string]int{}
	for i, x := range list {
		if err := x.rules.Check(x.file); err != nil {
			t.Errorf("%s: the right plan is refused: %v", x.name, err)
			continue
		}
		for _, m := range mutants {
			for round := range 3 {
				r := rand.New(rand.NewPCG(uint64(i), uint64(round)))
				wrong := copied(x.file)
				if !m.make(r, wrong) {
					continue
				}
				after, err := source.Apply(wrong.Before, wrong.Edits)
				if err == nil && bytes.Equal(after, x.file.After) {
					continue // right by chance
				}
				wrong.After = after
				tried[m.name]++
				if x.rules.Check(wrong) == nil {
					t.Errorf("%s: %s: the proof takes\n%s", x.name, m.name, changesOf(x.file, wrong))
				}
			}
		}
	}
	for _, m := range mutants {
		if tried[m.name] < 10 {
			t.Errorf("%s was tried %d times", m.name, tried[m.name])
		}
	}
	t.Log(len(list), "plans,", tried)
}

func copied(f *prove.File) *prove.File {
	c := *f
	c.Edits, c.Decisions = slices.Clone(f.Edits), slices.Clone(f.Decisions)
	for i := range c.Decisions {
		c.Decisions[i].Edits = slices.Clone(c.Decisions[i].Edits)
	}
	return &c
}

// changesOf shows the lines in which a wrong result differs from the right one.
func changesOf(right, wrong *prove.File) string {
	var b strings.Builder
	old, fresh := text.SplitLines(right.After), text.SplitLines(wrong.After)
	for _, h := range text.DiffLines(old, fresh) {
		fmt.Fprintf(&b, "-%s+%s", bytes.Join(old[h.A1:h.A2], []byte("-")), bytes.Join(fresh[h.B1:h.B2], []byte("+")))
	}
	return b.String()
}

// onEdit is a mutant that changes one edit, with the decision that asks for it:
// what decides is mistaken as well.
func onEdit(change func(f *prove.File, e *source.Edit) bool) func(*rand.Rand, *prove.File) bool {
	return func(r *rand.Rand, f *prove.File) bool {
		i := r.IntN(len(f.Edits))
		was := f.Edits[i]
		if !change(f, &f.Edits[i]) {
			return false
		}
		retell(f, was, f.Edits[i], r.IntN(2) == 0)
		return true
	}
}

// retell makes the decision about an edit say another one and, when wholly,
// the spellings and the place too.
func retell(f *prove.File, was, is source.Edit, wholly bool) {
	for i := range f.Decisions {
		d := &f.Decisions[i]
		for j := range d.Edits {
			if d.Edits[j].Span != was.Span || d.Edits[j].New != was.New {
				continue
			}
			d.Edits[j] = is
			if wholly && len(d.Edits) == 1 && d.New != "" {
				d.Span, d.Old, d.New = is.Span, string(is.Of(f.Before)), is.New
			}
		}
	}
}

// swapLetter makes another name of one.
func swapLetter(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] >= 'a' && text[i] <= 'y' {
			return text[:i] + string(text[i]+1) + text[i+1:]
		}
	}
	return ""
}

// elsewhere moves an edit to another place that has the same spelling.
func elsewhere(r *rand.Rand, f *prove.File) bool {
	i := r.IntN(len(f.Edits))
	was := f.Edits[i]
	old := was.Of(f.Before)
	if len(old) < 3 || bytes.ContainsAny(old, "\n") || f.Format != "yaml" && f.Format != "json" {
		return false
	}
	for at := 0; ; {
		n := bytes.Index(f.Before[at:], old)
		if n < 0 {
			return false
		}
		is := source.Edit{Span: source.Span{Start: at + n, End: at + n + len(old)}, New: was.New}
		at = is.End
		if slices.ContainsFunc(f.Edits, func(e source.Edit) bool { return e.Start < is.End && is.Start < e.End }) {
			continue
		}
		f.Edits[i] = is
		retell(f, was, is, true)
		return true
	}
}

// swapped gives each of two edits the text of the other.
func swapped(r *rand.Rand, f *prove.File) bool {
	if f.Format != "yaml" && f.Format != "json" {
		return false
	}
	i, j := r.IntN(len(f.Edits)), r.IntN(len(f.Edits))
	a, b := f.Edits[i], f.Edits[j]
	if a.New == b.New || string(a.Of(f.Before)) == string(b.Of(f.Before)) && !strings.Contains(a.New, ".") {
		return false
	}
	f.Edits[i].New, f.Edits[j].New = b.New, a.New
	retell(f, a, f.Edits[i], true)
	retell(f, b, f.Edits[j], true)
	return true
}

// onLine is a mutant that changes a line which no edit touches, by a decision
// of its own.
func onLine(is func(line string) bool, change func(line string) string) func(*rand.Rand, *prove.File) bool {
	return func(r *rand.Rand, f *prove.File) bool {
		if is != nil && f.Format != "yaml" {
			return false
		}
		var list []source.Span
		at := 0
		for line := range bytes.Lines(f.Before) {
			s := source.Span{Start: at, End: at + len(line)}
			at = s.End
			touched := slices.ContainsFunc(f.Edits, func(e source.Edit) bool { return e.Start <= s.End && s.Start <= e.End })
			text := strings.TrimSpace(string(line))
			if text != "" && text[0] != '#' && text != "---" && text != "..." && !touched && (is == nil || is(string(line))) {
				list = append(list, s)
			}
		}
		if len(list) == 0 {
			return false
		}
		s := list[r.IntN(len(list))]
		e := source.Edit{Span: s, New: change(string(s.Of(f.Before)))}
		f.Edits = append(f.Edits, e)
		f.Decisions = append(f.Decisions, prove.Decision{Span: s, Old: string(s.Of(f.Before)), New: e.New, Edits: []source.Edit{e}})
		return true
	}
}

func isItem(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "- ") }

func isVerbs(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " -"), "verbs: [") && strings.Contains(line, "]") && !strings.Contains(line, "[]")
}

func isEntry(line string) bool {
	key, _, ok := strings.Cut(strings.TrimSpace(line), ":")
	return ok && !strings.ContainsAny(key, " -{}[]\"'#")
}

func isPlainNumber(line string) bool {
	_, value, _ := strings.Cut(line, ": ")
	value = strings.TrimSpace(value)
	return isEntry(line) && (value == "true" || value == "false" || value != "" && strings.Trim(value, "0123456789") == "")
}
