package migrate

import (
	"bytes"
	gofmt "go/format"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// TestMovesLayout edits words all over the standard library: where no edit
// might move the layout, gofmt has nothing to say about the result.
func TestMovesLayout(t *testing.T) {
	racetest.OneGoroutine(t)
	dir := filepath.Join(runtime.GOROOT(), "src") //nolint:staticcheck // tests run where Go is installed
	if _, err := os.Stat(dir); err != nil {
		t.Skip(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	files, still := 0, 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.Contains(p, "testdata") || rnd.IntN(120) != 0 {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if before, err := gofmt.Source(data); err != nil || !bytes.Equal(before, data) {
			return nil //nolint:nilerr // nothing to say about this file
		}
		files++
		edits := wordEdits(data, rnd)
		for i := 0; i < len(edits); i += 3 {
			some := edits[i:min(i+3, len(edits))]
			fresh, err := source.Apply(data, some)
			if err != nil {
				return err
			}
			after, err := gofmt.Source(fresh)
			if err == nil && !bytes.Equal(after, fresh) {
				t.Errorf("%s: after %+v gofmt differs", p, some)
			}
			still++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sets of edits in %d files", still, files)
	if still < 100 {
		t.Error("too few edits to tell")
	}
}

// wordEdits makes words longer or shorter that are said to move nothing.
func wordEdits(data []byte, rnd *rand.Rand) []source.Edit {
	var edits []source.Edit
	for at := 0; at < len(data) && len(edits) < 60; {
		end := at
		for end < len(data) && text.IsIdent(data[end]) {
			end++
		}
		if end-at < 4 || data[at] < 'A' || at > 0 && data[at-1] == '.' || rnd.IntN(4) != 0 {
			at = end + 1
			continue
		}
		word := string(data[at:end])
		e := source.Edit{Span: source.Span{Start: at, End: end}, Old: word, New: word + strings.Repeat("x", rnd.IntN(50))}
		if rnd.IntN(2) == 0 {
			e.New = word[:2]
		}
		if !movesLayout(data, e) {
			edits = append(edits, e)
		}
		at = end + 1
	}
	return edits
}

// A file that gofmt has laid out is so afterwards; one that it has not keeps its
// layout.
func TestGoStaysLaidOut(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	for _, tt := range []struct{ name, in, want string }{
		{"laid out", "package a\n\nconst (\n\tA = \"split.example.com/v1, Kind=Apple\" // one\n\tB = \"bbbbbbbbbbbbbbbbbb\"               // two\n)\n",
			"package a\n\nconst (\n\tA = \"a.example.org/v1, Kind=Apple\" // one\n\tB = \"bbbbbbbbbbbbbbbbbb\"           // two\n)\n"},
		{"not laid out", "package a\n\nconst (\n A = \"split.example.com/v1, Kind=Apple\" // one\n\tB   = 1 // two\n)\n",
			"package a\n\nconst (\n A = \"a.example.org/v1, Kind=Apple\" // one\n\tB   = 1 // two\n)\n"},
	} {
		fresh, err := source.Apply([]byte(tt.in), m.One("a.go", []byte(tt.in)).Files[0].Edits([]byte(tt.in)))
		if err != nil || string(fresh) != tt.want {
			t.Errorf("%s: %v\n%s", tt.name, err, fresh)
		}
	}
}
