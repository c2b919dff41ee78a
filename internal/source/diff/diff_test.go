package diff

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// gitApply lets git make of old what the diff says.
func gitApply(t *testing.T, name string, old, diff []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), old, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "-c", "core.autocrlf=false", "-c", "core.eol=lf", "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = bytes.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n--- diff\n%s\n--- old\n%q", err, out, diff, old)
	}
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDiffIsWhatGitApplies(t *testing.T) {
	long := strings.Repeat("line\n", 30)
	for _, tt := range []struct {
		name, old string
		edits     []source.Edit
	}{
		{"one word", "a\nb\nc\n", []source.Edit{{Span: source.Span{Start: 2, End: 3}, New: "B"}}},
		{"no final newline", "a\nb", []source.Edit{{Span: source.Span{Start: 2, End: 3}, New: "B"}}},
		{"final newline added", "a\nb", []source.Edit{{Span: source.Span{Start: 3, End: 3}, New: "\n"}}},
		{"final newline removed", "a\nb\n", []source.Edit{{Span: source.Span{Start: 3, End: 4}, New: ""}}},
		{"crlf", "a\r\nb\r\nc\r\n", []source.Edit{{Span: source.Span{Start: 3, End: 4}, New: "B"}}},
		{"line deleted", "a\nb\nc\n", []source.Edit{{Span: source.Span{Start: 2, End: 4}, New: ""}}},
		{"line inserted", "a\nb\nc\n", []source.Edit{{Span: source.Span{Start: 2, End: 2}, New: "x\n"}}},
		{"appended", "a\n", []source.Edit{{Span: source.Span{Start: 2, End: 2}, New: "x\ny\n"}}},
		{"two far apart", long, []source.Edit{{Span: source.Span{Start: 0, End: 4}, New: "top"}, {Span: source.Span{Start: 140, End: 144}, New: "low\nlower"}}},
		{"two on one line", "abc def\n", []source.Edit{{Span: source.Span{Start: 0, End: 1}, New: "A"}, {Span: source.Span{Start: 4, End: 5}, New: "D"}}},
		{"lines glued", "a\nb\nc\n", []source.Edit{{Span: source.Span{Start: 1, End: 2}, New: ""}}},
		{"everything goes", "a\nb\n", []source.Edit{{Span: source.Span{Start: 0, End: 4}, New: ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, err := source.Apply([]byte(tt.old), tt.edits)
			if err != nil {
				t.Fatal(err)
			}
			diff, err := File{From: "f.txt", To: "f.txt", Data: []byte(tt.old), Edits: tt.edits}.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := gitApply(t, "f.txt", []byte(tt.old), diff); !bytes.Equal(got, want) {
				t.Errorf("got %q, want %q\n%s", got, want, diff)
			}
		})
	}
}

func TestDiffRenameAndQuotedPath(t *testing.T) {
	old := []byte("one\ntwo\n")
	diff, err := File{From: "grün \"x\".txt", To: "new name.txt", Data: old, Edits: []source.Edit{{Span: source.Span{Start: 0, End: 3}, New: "ONE"}}}.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "grün \"x\".txt"), old, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(diff)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s\n%s", err, out, diff)
	}
	got, err := os.ReadFile(filepath.Join(dir, "new name.txt"))
	if err != nil || string(got) != "ONE\ntwo\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// FuzzApply holds the laws of edits: bytes outside stay, the inverse takes
// back, overlap is refused.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), 2, 3, "x", 4, 5, "y\n")
	f.Add([]byte("a\nb\nc\n"), 0, 2, "", 2, 4, "") // side by side
	f.Add([]byte("\xef\xbb\xbfa\r\n\u0085\u2028"), 0, 3, "", 3, 3, "q")
	f.Fuzz(func(t *testing.T, data []byte, a, b int, x string, c, d int, y string) {
		edits := []source.Edit{{Span: source.Span{Start: a, End: b}, New: x}, {Span: source.Span{Start: c, End: d}, New: y}}
		out, err := source.Apply(data, edits)
		if err != nil {
			return
		}
		sorted, _ := source.Sort(data, edits)
		if !bytes.Equal(data[:sorted[0].Start], out[:sorted[0].Start]) {
			t.Fatal("bytes before the first edit changed")
		}
		if tail := data[sorted[1].End:]; !bytes.HasSuffix(out, tail) {
			t.Fatal("bytes after the last edit changed")
		}
		back, err := source.Apply(out, source.Invert(data, sorted))
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("inverse gives %q, %v, want %q", back, err, data)
		}
		diff, err := File{From: "f", To: "f", Data: data, Edits: edits}.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(data, out) != (len(diff) == 0) && len(diff) == 0 {
			t.Fatal("a change without a diff")
		}
	})
}
