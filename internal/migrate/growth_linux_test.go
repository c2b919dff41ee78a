package migrate

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/racetest"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Inputs of which each byte may cost what all bytes before it cost: the work on
// four times as much is about four times the work, in every format.
var growing = []struct {
	file string
	text func(n int) string
}{
	{"keys.yaml", numbered("", "k%d: old.example.com/v1\n", "")},
	{"crds.yaml", numbered("", "kind: CustomResourceDefinition\nmetadata:\n  name: t%d.old.example.com\nspec:\n  group: old.example.com\n---\n", "")},
	{"a.properties", repeated("", "group=old.example.com\n", "")},
	{"comments.yaml", repeated("", "# apiVersion: old.example.com/v1\n", "")},
	{"flow.yaml", repeated("x: [", "old.example.com/v1, ", "a]\n")},
	{"dashes.yaml", repeated("", "- ", "old.example.com\n")},
	{"kustomization.yaml", numbered("resources:\n", "- old.example.com_a%d.yaml\n", "")},
	{"resources.yaml", numbered("rules:\n- apiGroups: [old.example.com, split.example.com]\n  resources:\n", "  - r%d\n", "")},
	{"role.yaml", repeated("kind: Role\nrules:\n", "- {apiGroups: [old.example.com], resources: [things], verbs: [get]}\n", "")},
	{"roles.yaml", numbered("kind: Role\nrules:\n", "- apiGroups: [old.example.com]\n  resources: [things]\n  resourceNames: [r%d]\n", "")},
	{"owned.yaml", numbered("spec:\n  customresourcedefinitions:\n    owned:\n", "    - {name: t%d.old.example.com}\n", "")},
	{"pears.yaml", repeated("", "---\napiVersion: same.example.com/v1beta1\nkind: Pear\nmetadata: {name: x}\nspec: {colour: green, worm: 1}\n", "")},
	{"items.yaml", repeated("apiVersion: same.example.com/v1beta1\nkind: Pear\nmetadata: {name: x}\nspec:\n  seeds:\n", "  - kind: a\n", "")},
	{"list.yaml", repeated("kind: List\nitems:\n", "- apiVersion: same.example.com/v1beta1\n  kind: Pear\n  spec: {colour: green, size: 1}\n", "")},
	{"string.yaml", repeated("data:\n  x: |\n", "    ---\n    apiVersion: same.example.com/v1beta1\n    kind: Pear\n    spec: {colour: green}\n", "")},
	{"list.json", repeated(`{"items": [`, `{"apiVersion": "same.example.com/v1beta1", "kind": "Pear", "spec": {"colour": "green"}},`+"\n", `{}]}`)},
	{"PROJECT", repeated("domain: example.com\nresources:\n", "- group: old\n  kind: Thing\n", "")},
	{"plain.tpl", repeated("{{ x }}\ny: old.example.com ", "{{ ", "\n")},
	{"keys.json", numbered("{", `"k%d":"old.example.com/v1",`, `"z":1}`)},
	{"comments.json", repeated(`{"a":"old.example.com", `, "/*old.example.com*/", `"b":1}`)},
	{"fences.md", repeated("", "```yaml\napiVersion: old.example.com/v1\n", "")},
	{"heredocs.sh", numbered("", "cat <<EOF%d\nold.example.com\n", "")},
	{"heredocs2.sh", repeated("# old.example.com\n", "<<x ", "\n")},
	{"sessions.txt", numbered("", "$ cat <<W%d old.example.com\n", "")},
	{"comments.go", repeated("package a\n", "/*old.example.com*/", "\n")},
	{"concat.go", repeated("package a\nvar x = \"\"", "+ \"old.example.com\"", "\n")},
	{"texts.kt", numbered("", "val x%d = \"\"\"old.example.com\n", "")},
	{"joined.js", repeated("x = \"\"", "+ \"a: old.example.com\\n\"", "\n")},
	{"escaped.md", repeated("", "\\\"old.example.com\\\" ", "\n")},
	{"escaped.yaml", repeated("a: '", "\\\"old.example.com\\\" ", "'\n")},
	{"strings.md", repeated("", "\"a: old.example.com\\n\" {\"old.example.com ", "\n")},
	{"quotes.sh", repeated("", "echo 'old.example.com \"\n", "")},
	{"joined.sh", repeated("x", "+ \"a: old.example.com\\n\"", "\n")},
	{"objects.txt", repeated("", "x 'apiVersion: old.example.com/v1\n", "")},
	{"raw.rs", numbered("", "r%[1]d r##\"old.example.com\n", "")},
	{"quotes.py", numbered("", "x%d = \"\"\"old.example.com\n", "")},
	{"literals.ts", repeated("x = [", "`old.example.com`, ", "]\n")},
	{"Comments.java", repeated("", "/* old.example.com */ '", "\n")},
	{"comments.groovy", repeated("", "/* old.example.com */ '", "\n")},
	{"comments.lua", repeated("", "x = 'old.example.com' -- \"\n", "")},
	{"quotes.toml", repeated("x = ", "'old.example.com' \"", "\n")},
	{"names.txt", repeated("", "old.example.com-", "")},
	{"files.txt", repeated("", "old.example.com_", "")},
	{"metadata.ipynb", numbered(`{"metadata":{`, `"k%d":"old.example.com",`, `"z":1},"cells":[]}`)},
}

func repeated(head, part, tail string) func(int) string {
	return func(n int) string { return head + strings.Repeat(part, n/len(part)+1) + tail }
}

func numbered(head, part, tail string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, part, i)
		}
		return b.String() + tail
	}
}

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

func TestGrowth(t *testing.T) {
	racetest.OneGoroutine(t)
	if testing.Short() {
		t.Skip("work is measured")
	}
	m := fuzzMigration(t)
	dual := *m
	dual.opts.Dual = true
	for _, g := range growing {
		for _, m := range []*Migration{m, &dual} {
			if m.opts.Dual && !strings.HasSuffix(g.file, ".yaml") {
				continue
			}
			const most = 9.0 // four is linear, sixteen quadratic
			base := 8 << 10
			if work(m, g.file, g.text(base/4), 1) > 16*time.Millisecond {
				base /= 4 // what looks far around each name is told by less of it
			}
			ratio := most
			for runs := 1; runs < 7 && ratio >= most; runs++ { // what is linear is so at once, mostly
				ratio = float64(work(m, g.file, g.text(4*base), runs)) / float64(work(m, g.file, g.text(base), runs+1))
			}
			if ratio >= most {
				t.Errorf("%s (dual %v): four times the input is %.1f times the work", g.file, m.opts.Dual, ratio)
			}
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
