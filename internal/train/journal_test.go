package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func written(t *testing.T) (path string, data []byte) {
	path = filepath.Join(t.TempDir(), ".cfctl", "v1.0.0.jsonl")
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{KindBegin, KindIntent, KindEffect, KindDone} {
		if err := j.Append(context.Background(), Record{Kind: kind, Step: "tag:x", Time: time.Unix(1, 0), Facts: map[string]string{"b": "2", "a": "1"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

// A journal that is cut anywhere gives the records that were written whole,
// and can be gone on with.
func TestTornJournal(t *testing.T) {
	path, data := written(t)
	for size := range data {
		if err := os.WriteFile(path, data[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(context.Background(), path, nil)
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		if got, want := len(j.Records()), strings.Count(string(data[:size]), "\n"); got != want {
			t.Fatalf("cut at %d: %d records, want %d", size, got, want)
		}
		if err := j.Append(context.Background(), Record{Kind: KindEnd}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if _, err := ReadJournal(path); err != nil {
			t.Fatalf("cut at %d and gone on: %v", size, err)
		}
	}
}

func TestEditedJournal(t *testing.T) {
	path, data := written(t)
	lines := strings.SplitAfter(string(data), "\n")
	for name, text := range map[string]string{
		"a fact":    strings.Replace(string(data), `"a":"1"`, `"a":"9"`, 1),
		"a line":    lines[0] + lines[2] + lines[3],
		"the order": lines[0] + lines[2] + lines[1] + lines[3],
		"garbage":   lines[0] + "garbage\n" + lines[1],
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadJournal(path); err == nil {
			t.Errorf("%s was changed, and the journal is taken", name)
		}
	}
}

// A journal of a later cfctl is read where it is only richer, and said to be of
// a later cfctl where it means something else.
func TestLaterJournal(t *testing.T) {
	path, data := written(t)
	add := func(line, field string) string {
		r := Record{}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		line = strings.Replace(strings.TrimSpace(line), `,"kind"`, `,`+field+`,"kind"`, 1)
		h := sha256.Sum256([]byte(strings.Replace(line, r.Hash, "", 1)))
		return strings.Replace(line, r.Hash, hex.EncodeToString(h[:]), 1) + "\n"
	}
	first, _, _ := strings.Cut(string(data), "\n")
	richer := add(first, `"runner":"ci-7","nested":{"hash":""}`)
	if err := os.WriteFile(path, []byte(richer), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatalf("a new field: %v", err)
	}
	if err := j.Append(context.Background(), Record{Kind: KindEnd}); err != nil {
		t.Fatal(err)
	}
	rs := j.Records()
	j.Close()
	if got := string(rs[0].Line()); got != richer {
		t.Errorf("what is not known is not kept:\n%s\nwant\n%s", got, richer)
	}
	if rs, err := ReadJournal(path); err != nil || len(rs) != 2 {
		t.Errorf("gone on with: %d records, %v", len(rs), err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(richer, "ci-7", "ci-8", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJournal(path); err == nil || !strings.Contains(err.Error(), "chain of hashes") {
		t.Errorf("an edited field that is not known: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(richer, `"schema":1`, `"schema":2`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJournal(path); err == nil || !strings.Contains(err.Error(), "later cfctl (schema 2") {
		t.Errorf("a later schema: %v", err)
	}
}

// TestFilesOfOthers puts something that is no journal where one belongs.
func TestFilesOfOthers(t *testing.T) {
	for name, text := range map[string]string{
		"one line": "https://me:secret@example.com\n", "no end": "https://me:secret@example.com", "lines": "a\nb\n", "json": `{"a":1}` + "\n",
		"cut json": `{"a":1`, "blank": "\n", "null": "null\n",
	} {
		path := JournalPath(t.TempDir(), "v1.0.0")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenJournal(context.Background(), path, nil); err == nil {
			t.Errorf("%s is taken for a journal", name)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s was changed to %q, %v", name, data, err)
		}
	}
}

// TestLinksForJournals puts links where files of a journal belong.
func TestLinksForJournals(t *testing.T) {
	const text = "somebody's\n"
	for _, name := range []string{".cfctl/releases/v1.0.0.jsonl", ".cfctl/releases/v1.0.0.jsonl.lock", ".cfctl/releases/v1.0.0.jsonl.lock.holder", ".cfctl/releases", ".cfctl"} {
		tree, outside := t.TempDir(), t.TempDir()
		file := filepath.Join(outside, "file")
		link := filepath.Join(tree, filepath.FromSlash(name))
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o644), os.MkdirAll(filepath.Dir(link), 0o755)); err != nil {
			t.Fatal(err)
		}
		target := file
		if !strings.Contains(name, "jsonl") {
			target = outside
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		j, err := OpenJournal(context.Background(), JournalPath(tree, "v1.0.0"), nil)
		if err == nil {
			err = errors.Join(j.Append(context.Background(), Record{Kind: KindBegin}), j.Close())
			if !strings.HasSuffix(name, ".holder") { // it is replaced
				t.Errorf("%s: a link is followed, %v", name, err)
			}
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != text {
			t.Errorf("%s: the file that it leads to is %q, %v", name, data, err)
		}
		if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
			t.Errorf("%s: %d files outside of the tree, %v", name, len(list), err)
		}
	}
}

func TestTwoDrivers(t *testing.T) {
	path, _ := written(t)
	first, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(context.Background(), path, nil); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("a second driver gets %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	told := ""
	if _, err := OpenJournal(ctx, path, func(holder string) { told = holder }); err == nil || told == "" {
		t.Errorf("a waiting driver: %v, told %q", err, told)
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		first.Close()
	}()
	second, err := OpenJournal(context.Background(), path, func(string) {})
	if err != nil {
		t.Fatalf("the lock was given back: %v", err)
	}
	second.Close()
}
