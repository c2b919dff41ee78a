package objects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const firstLine = `{"ledger":"00112233445566aa","kind":"copies","schema":1}` + "\n"

func entryLine(id, more string) string {
	return `{"entry":{"state":"created","time":"2026-01-02T03:04:05Z","origin":{"id":"` + id + `","kind":"Thing","name":"a"},"new":{"apiVersion":"v1","kind":"Thing","name":"a"}` + more + "}}\n"
}

func writeLedger(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLedgerOfTwo: while the lock is another's nothing is read to be written
// after, and what that one wrote is known to the next.
func TestLedgerOfTwo(t *testing.T) {
	path := writeLedger(t, firstLine)
	first, err := OpenLedger(path, "copies", true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.record(Entry{State: Created, Origin: Origin{ID: "1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLedger(path, "copies", true, time.Now); err == nil || !strings.Contains(err.Error(), "another cfctl is using it") {
		t.Fatal(err)
	}
	first.Close()
	second, err := OpenLedger(path, "copies", true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if second.Entry("1") == nil {
		t.Error("the entry of the first is not known to the second")
	}
	if err := second.record(Entry{State: Created, Origin: Origin{ID: "2"}}); err != nil {
		t.Fatal(err)
	}
	second.Close()
	third, err := OpenLedger(path, "copies", false, time.Now)
	if err != nil || len(third.Entries()) != 2 {
		t.Fatalf("%v\n%s", err, readText(t, path))
	}
}

// TestLedgerOfSomethingElse: a file that is no ledger of this kind and form is
// neither read nor changed.
func TestLedgerOfSomethingElse(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"one line without an end":   {"the only copy of something", "not a ledger of cfctl"},
		"text":                      {"a\nb\n", "not a ledger of cfctl"},
		"JSON":                      {"{}\n", "not a ledger of cfctl"},
		"entries without a first":   {entryLine("1", ""), "not a ledger of cfctl"},
		"another kind":              {strings.Replace(firstLine, "copies", "jobs", 1), "the ledger of import jobs, not of copies"},
		"a newer form":              {strings.Replace(firstLine, `"schema":1`, `"schema":2`, 1), "ledger.jsonl:1: written in form 2 of ledgers, and this cfctl knows 1: use the version that wrote it"},
		"a newer form that says so": {strings.Replace(firstLine, `"schema":1`, `"schema":2,"needs":"v9.1"`, 1) + "x", "use v9.1"},
		"a newer line":              {firstLine + `{"schema":3,"group":{}}` + "\n", "ledger.jsonl:2: written in form 3"},
		"a line in the middle":      {firstLine + "x\n" + entryLine("1", ""), "ledger.jsonl:2: not a line of a ledger"},
		"an entry of nobody":        {firstLine + `{"entry":{"origin":null}}` + "\n", "ledger.jsonl:2: an entry without"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []bool{false, true} {
				path := writeLedger(t, tt.text)
				if _, err := OpenLedger(path, "copies", write, time.Now); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("write %v: %v", write, err)
				}
				if got := readText(t, path); got != tt.text {
					t.Errorf("write %v: it is now %q", write, got)
				}
			}
		})
	}
}

// TestLedgerLink: a link is not followed, neither to read nor to write.
func TestLedgerLink(t *testing.T) {
	path := writeLedger(t, firstLine)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, write := range []bool{false, true} {
		if _, err := OpenLedger(link, "copies", write, time.Now); err == nil || !strings.Contains(err.Error(), "link.jsonl: a symbolic link") {
			t.Errorf("write %v: %v", write, err)
		}
	}
}

// TestLedgerTornLines: half a line at the end is cut off.
func TestLedgerTornLines(t *testing.T) {
	half := entryLine("9", "")[:40]
	for name, tt := range map[string]struct {
		text    string
		entries int
		left    string
	}{
		"at the end":        {firstLine + entryLine("1", "") + half, 1, firstLine + entryLine("1", "")},
		"of the first line": {firstLine[:20], 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeLedger(t, tt.text)
			l, err := OpenLedger(path, "copies", true, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			got := readText(t, path)
			if tt.left == "" {
				got, _ = strings.CutPrefix(got, `{"ledger":"`+l.ID()+`","kind":"copies","schema":1}`+"\n")
			}
			if len(l.Entries()) != tt.entries || got != tt.left {
				t.Errorf("%d entries in %q", len(l.Entries()), got)
			}
		})
	}
}
