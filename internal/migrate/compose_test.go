package migrate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// Real documents in every container, under every built-in ruleset. Whatever
// they are put together to:
//
//   - every word of the result is a word of the input or of the rules;
//   - bytes outside of edits are the same, and the edits are proven;
//   - what parsed before parses after;
//   - a second run changes nothing;
//   - the gate, the preview, the report's fixes, the patch and what is written
//     agree, and do so every time.

// documents are those of the rulesets' examples and of the trees, one each.
var documents = sync.OnceValue(func() []string {
	var list []string
	add := func(text string) {
		for _, doc := range regexp.MustCompile(`(?m)^---.*\n`).Split(text, -1) {
			if strings.TrimSpace(doc) != "" && !strings.Contains(doc, "{{") && isYAML([]byte(doc)) {
				list = append(list, strings.TrimSuffix(doc, "\n")+"\n")
			}
		}
	}
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			panic(err)
		}
		for _, e := range set.Examples {
			if strings.HasSuffix(e.Path, ".yaml") {
				add(e.In)
			}
		}
	}
	for _, root := range []string{"testdata/kubernetes", "testdata/trees/csv/before", "testdata/embedded/before"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(name)
			add(string(data))
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	return list
})

// A composition is a file and what is asked of it.
type composition struct {
	name, text string
	opts       migrate.Options
	rules      string // the text of the rulesets
}

// compose makes a composition of bytes: rulesets and mode, container, documents.
func compose(program []byte) composition {
	next := func(n int) int {
		if len(program) == 0 {
			return 0
		}
		x := int(program[0])
		program = program[1:]
		return x % n
	}
	var c composition
	mode, chosen := next(4), next(len(migrate.Builtin())+1)
	c.opts.Dual = mode == 3
	c.opts.Set = map[string]string{"queue": "user-queue"}
	for i, name := range migrate.Builtin() {
		if chosen == i || chosen == len(migrate.Builtin()) || mode == 1 && chosen == (i+1)%len(migrate.Builtin()) {
			set, err := migrate.BuiltinRuleset(name)
			if err != nil {
				panic(err)
			}
			text, err := migrate.BuiltinSource(name)
			if err != nil {
				panic(err)
			}
			c.opts.Rulesets = append(c.opts.Rulesets, set)
			c.rules += string(text)
		}
	}
	outer, inner := next(len(containers)), next(2*len(within))
	var docs []string
	for i := 0; i < 4 && (i == 0 || len(program) > 0); i++ {
		n := next(256)
		if len(program) > 0 {
			n = n<<8 | next(256)
		}
		docs = append(docs, documents()[n%len(documents())])
	}
	if inner < len(within) {
		docs = []string{containers[within[inner]].wrap(docs)}
		if outer == 1 || outer == 3 || outer == 4 || outer == 5 || outer == 9 { // these hold one document each
			docs[0], _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(docs[0], "# all\n"), "---\n"), "---\n")
		}
	}
	c.name, c.text = containers[outer].name, containers[outer].wrap(docs)
	return c
}

// An answer is all that a run says of a file.
type answer struct {
	out, to, findings string
	file              *migrate.File
}

func (c composition) answer(t testing.TB, opts migrate.Options) answer {
	t.Helper()
	m, err := migrate.New(opts)
	if err != nil {
		t.Skip(err) // rulesets that do not go together
	}
	return answerOf(t, m, c.name, c.text)
}

func answerOf(t testing.TB, m *migrate.Migration, name, text string) answer {
	t.Helper()
	data := []byte(text)
	p := m.One(name, bytes.Clone(data))
	if len(p.Files) == 0 {
		return answer{out: text, to: name}
	}
	f := p.Files[0]
	if err := p.Fault(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a := answer{out: text, to: f.To, file: f}
	found, err := json.Marshal(p.Report(migrate.ReportOptions{Kept: true}).Findings)
	if err != nil {
		t.Fatal(err)
	}
	a.findings = string(found)
	if f.Skip != nil {
		return a
	}
	out, err := source.Apply(data, f.Edits(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a.out = string(out)
	return a
}

var anyWord = regexp.MustCompile(`[A-Za-z0-9]+`)

// laws holds a composition to all laws; it returns what becomes of it.
func (c composition) laws(t testing.TB, runs int) answer {
	t.Helper()
	first := c.answer(t, c.opts)
	for range runs - 1 {
		if again := c.answer(t, c.opts); again.out != first.out || again.findings != first.findings || again.to != first.to {
			t.Fatalf("two runs differ:\n%s\n%s", first.findings, again.findings)
		}
	}
	known := map[string]bool{}
	for _, w := range anyWord.FindAllString(c.text+strings.ReplaceAll(c.text, `\n`, " ")+c.rules+c.opts.Set["queue"]+" ClusterRole", -1) {
		known[w], known[strings.ToLower(w)] = true, true
	}
	for _, w := range anyWord.FindAllString(first.out, -1) {
		if !known[w] && !known[strings.TrimPrefix(w, "n")] && !slices.Contains([]string{"list"}, w) {
			t.Fatalf("the word %q comes from nowhere:\n%s\nbecame\n%s", w, c.text, first.out)
		}
	}
	if isYAML([]byte(c.text)) && strings.HasSuffix(c.name, ".yaml") && !isYAML([]byte(first.out)) {
		t.Fatalf("the result does not parse:\n%s\nbecame\n%s", c.text, first.out)
	}
	if json.Valid([]byte(c.text)) && !json.Valid([]byte(first.out)) {
		t.Fatalf("the result is no JSON:\n%s\nbecame\n%s", c.text, first.out)
	}
	if first.file == nil || first.file.Skip != nil {
		return first
	}
	c.agree(t, first)
	second := composition{first.to, first.out, c.opts, c.rules}.answer(t, c.opts)
	if second.out != first.out {
		t.Fatalf("a second run makes\n%s\nof\n%s\nwhich came of\n%s", second.out, first.out, c.text)
	}
	return first
}

// agree holds the gate and the fixes of a report against what is written.
func (c composition) agree(t testing.TB, first answer) {
	t.Helper()
	gate := c.opts
	gate.Glance = true
	if a := c.answer(t, gate); a.out != first.out || (a.file != nil && a.file.Changes()) != first.file.Changes() {
		t.Fatalf("the gate sees another change than the preview:\n%s\nbecomes\n%s\nnot\n%s", c.text, a.out, first.out)
	}
	opts := c.opts
	opts.Fixes = true
	m, err := migrate.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	p := m.One(c.name, []byte(c.text))
	var edits []source.Edit
	for _, x := range p.Report(migrate.ReportOptions{}).Findings {
		for _, fix := range x.Fixes {
			edits = append(edits, source.Edit{Span: source.Span{Start: fix.Start, End: fix.Stop}, New: fix.Text})
		}
	}
	out, err := source.Apply([]byte(c.text), edits)
	if err != nil || string(out) != first.out {
		t.Fatalf("the fixes make (%v)\n%s\nnot\n%s", err, out, first.out)
	}
}

func FuzzCompose(f *testing.F) {
	racetest.OneGoroutine(f)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		program := make([]byte, 6+r.IntN(6))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 12 {
			t.Skip()
		}
		compose(program).laws(t, 3)
	})
}

// Every container once under every ruleset, and under all of them together, in
// both modes, 20 times over.
func TestCompose(t *testing.T) {
	racetest.OneGoroutine(t)
	r := rand.New(rand.NewPCG(3, 4))
	for outer := range containers {
		for i := range 2 {
			chosen := (2*outer + i) % (len(migrate.Builtin()) + 1)
			program := []byte{byte(3 * i), byte(chosen), byte(outer), byte(r.IntN(2 * len(within)))}
			for range 6 {
				program = append(program, byte(r.Uint32()))
			}
			t.Run(fmt.Sprintf("%s/%x", containers[outer].name, program), func(t *testing.T) { compose(program).laws(t, 20) })
		}
	}
}

// The patch of a tree, taken by git, and what is written are the same, and the
// plan says so.
func TestPatchIsWhatIsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	files := map[string]string{}
	for outer := range containers {
		program := []byte{0, byte(len(migrate.Builtin())), byte(outer), byte(r.IntN(2 * len(within)))}
		for range 6 {
			program = append(program, byte(r.Uint32()))
		}
		c := compose(program)
		files[c.name] = c.text
	}
	patched, written := t.TempDir(), t.TempDir()
	for name, text := range files {
		for _, dir := range []string{patched, written} {
			to := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	m, err := migrate.New(compose([]byte{0, byte(len(migrate.Builtin()))}).opts)
	if err != nil {
		t.Fatal(err)
	}
	patch := planIn(t, m, patched, func(p *migrate.Plan, tree *source.Tree) []byte {
		out, err := p.Diff(t.Context(), nil, tree)
		if err != nil {
			t.Fatal(err)
		}
		return out
	})
	git := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	git.Dir, git.Stdin = patched, bytes.NewReader(patch)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	planIn(t, m, written, func(p *migrate.Plan, tree *source.Tree) []byte {
		changes, err := p.Changes(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		return nil
	})
	changed := 0
	for name, text := range files {
		a, err := os.ReadFile(filepath.Join(patched, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(written, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the patch makes\n%s\nnot\n%s", name, a, b)
		}
		if text != string(b) {
			changed++
		}
	}
	if changed < len(files)/2 {
		t.Errorf("%d of %d files changed", changed, len(files))
	}
}

// planIn plans the migration of a folder.
func planIn(t *testing.T, m *migrate.Migration, dir string, do func(*migrate.Plan, *source.Tree) []byte) []byte {
	t.Helper()
	t.Chdir(dir)
	tree, err := source.Open([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	p, err := m.Plan(t.Context(), tree, source.WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return do(p, tree)
}
