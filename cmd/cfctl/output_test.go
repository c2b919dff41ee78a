package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/report"
)

// A fullDisk takes some bytes, and no more.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	if d.room -= n; n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

// TestAnswerThatIsNotWholeIsTrouble has no room for findings: in each form the exit
// code is that of trouble, and the reason is printed.
func TestAnswerThatIsNotWholeIsTrouble(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, form := range append([]string{"text"}, report.Formats...) {
		for _, room := range []int{0, 10} {
			var errs bytes.Buffer
			code := run([]string{"migrate", "--check", "-o", form}, os.Environ(), strings.NewReader(""), &fullDisk{room}, &errs)
			if code != exitTrouble || !strings.Contains(errs.String(), "no space left on device") {
				t.Errorf("%s with room for %d bytes: exit %d\n%s", form, room, code, &errs)
			}
		}
		var out, errs bytes.Buffer
		if code := run([]string{"migrate", "--check", "-o", form}, os.Environ(), strings.NewReader(""), &out, &errs); code != exitPending {
			t.Errorf("%s: exit %d\n%s", form, code, &errs)
		}
	}
}
