package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsWhatTryPrints: what the README says that `make try` prints is
// what the preview of the example prints here.
func TestReadmeShowsWhatTryPrints(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "$ cfctl migrate testdata/example\n")
	shown, _, _ = strings.Cut(shown, "```")
	var out, errs bytes.Buffer
	if code := run([]string{"migrate", "testdata/example"}, []string{"HOME=" + t.TempDir()}, strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	printed := out.String() + errs.String()
	for _, part := range strings.Split(shown, "...\n") {
		if part == "" || !strings.Contains(printed, part) {
			t.Errorf("the README shows\n%sand that is not printed:\n%s", part, printed)
		}
	}
}
