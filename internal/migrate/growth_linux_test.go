package migrate

import (
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

func TestEveryFormatGrows(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range growing {
		seen[syntax.FormatOf(g.file, []byte(g.text(1000)))] = true
	}
	for _, name := range Formats() {
		if !seen[name] {
			t.Errorf("no row of growing is a file of the format %s", name)
		}
	}
}

// renamedKinds are rules that give kinds another name.
const renamedKinds = `
name: renamed
rules:
  - {id: old, from: {group: old.example.com, kind: Thing, plural: things}, to: {group: new.example.org, kind: Gadget, plural: gadgets}}
  - {id: split, from: {group: split.example.com, kind: Apple, plural: apples}, to: {group: parts.example.org, kind: Fruit, plural: fruits}}
  - {id: same, from: {group: same.example.com, version: v1beta1, kind: Pear, plural: pears}, to: {version: v1, kind: Quince, plural: quinces}}
`

// Each kind of file takes at most six times as long as a plain one of its size: what grows
// with the square takes thirty times as long and more.
func TestGrowth(t *testing.T) {
	racetest.OneGoroutine(t)
	if testing.Short() {
		t.Skip("work is measured")
	}
	const size, most, plain = 128 << 10, 6, "keys.yaml"
	set, err := ParseRuleset("renamed.yaml", []byte(renamedKinds))
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := New(Options{Rulesets: []*Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	all := fuzzMigration(t)
	dual := *all
	dual.opts.Dual = true
	usual := work(all, plain, growing[0].text(size), 3)
	if growing[0].file != plain {
		t.Fatalf("the first row is not %s", plain)
	}
	for _, g := range growing {
		for name, m := range map[string]*Migration{"all": all, "dual": &dual, "renamed": renamed} {
			if m.opts.Dual && !strings.HasSuffix(g.file, ".yaml") {
				continue
			}
			text := g.text(size)
			if name != "all" {
				text = g.text(size / 2)
			}
			ratio := float64(most)
			for runs := 1; runs < 6 && ratio >= most; runs++ { // what is linear is so at once, mostly
				if runs > 1 { // the machine may be busier than it was
					usual = work(all, plain, growing[0].text(size), runs)
				}
				ratio = float64(work(m, g.file, text, runs)) / float64(usual) * size / float64(len(text))
			}
			if ratio >= most {
				t.Errorf("%s (%s): it takes %.1f times as long as a plain file", g.file, name, ratio)
			}
		}
	}
}

// What is found by many names in one file is found in one pass, also where it is too little to be seen in
// TestGrowth: eight times the text takes at most twenty times as long.
func TestGrowthOfManyNames(t *testing.T) {
	racetest.OneGoroutine(t)
	if testing.Short() {
		t.Skip("work is measured")
	}
	set, err := ParseRuleset("renamed.yaml", []byte(renamedKinds))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range growing {
		if !slices.Contains([]string{"built.go", "compared.go", "compared.yaml"}, g.file) {
			continue
		}
		text := g.text(256 << 10)
		if f := fileOf(m, g.file, []byte(text)); f == nil || len(f.Sites) < 1000 {
			t.Errorf("%s: few of its names are found", g.file)
		}
		ratio := 20.0
		for runs := 1; runs < 5 && ratio >= 20; runs++ {
			ratio = float64(work(m, g.file, g.text(2<<20), runs)) / float64(work(m, g.file, text, runs))
		}
		if ratio >= 20 {
			t.Errorf("%s: eight times the text takes %.0f times as long", g.file, ratio)
		}
	}
}

// work is the time that the processor works on a text, whatever else it does:
// the least of some runs, at least what the clock can tell.
func work(m *Migration, name, text string, runs int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Hour
	for range runs {
		before := processorTime()
		if f := fileOf(m, name, []byte(text)); f != nil && f.Skip == nil {
			if _, err := source.Apply([]byte(text), f.Edits([]byte(text))); err != nil {
				panic(err)
			}
		}
		least = min(least, processorTime()-before)
	}
	return max(least, 2*time.Millisecond)
}

func processorTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var r syscall.Rusage
	if err := syscall.Getrusage(thread, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
