package release

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

func written(t *testing.T) (path string, data []byte) {
	path = filepath.Join(t.TempDir(), ".cfctl", "v1.0.0.jsonl")
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{recBegin, recIntent, recEffect, recDone} {
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
		if err := j.Append(context.Background(), Record{Kind: recEnd}); err != nil {
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

// A release that was begun on one machine goes on on another, and two cannot
// drive it at once.
func TestJournalOnARef(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	open := func() (*Env, *GitJournal) {
		env, _ := w.env(filepath.Join(t.TempDir(), "unused"))
		j, err := OpenGitJournal(ctx, env.Git.(*Remotes), "orchard/operator", "v0.2.0")
		if err != nil {
			t.Fatal(err)
		}
		env.Journal = j
		return env, j
	}
	for range 12 {
		env, _ := open() // a new machine each time: nothing local is left
		r, err := Run(ctx, w.train("v0.2.0"), env, yes)
		if err != nil || r.Trouble() != nil {
			t.Fatal(err, r.Trouble())
		}
		if r.Complete() {
			break
		}
		w.play()
	}
	env, here := open()
	if s, _ := ReadStatus("v0.2.0", here.Records()); s == nil || s.State != "done" {
		t.Fatalf("status %v", s)
	}
	_, there := open()
	if err := here.Append(ctx, Record{Kind: recEnd, Time: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := there.Append(ctx, Record{Kind: recEnd, Time: time.Unix(1, 0)}); !errors.Is(err, ErrLocked) {
		t.Errorf("the slower driver gets %v", err)
	}
	heads, err := env.Git.Heads(ctx, "orchard/operator")
	if err != nil || len(heads.Branches) != 2 {
		t.Errorf("the journal is among the branches: %v %v", git.Sorted(heads.Branches), err)
	}
}
