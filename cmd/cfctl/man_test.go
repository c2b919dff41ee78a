//go:build man

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestManualPages writes the pages: one for each command that help lists, the
// table of exit codes line by line, and the same bytes for the same date.
func TestManualPages(t *testing.T) {
	dirs := []string{t.TempDir(), filepath.Join(t.TempDir(), "new")}
	for _, dir := range dirs {
		var out, errs bytes.Buffer
		if code := run([]string{"man", dir}, []string{"SOURCE_DATE_EPOCH=1700000000"}, nil, &out, &errs); code != 0 || out.Len()+errs.Len() > 0 {
			t.Fatalf("exit %d, %s%s", code, out.String(), errs.String())
		}
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		a, err := os.ReadFile(filepath.Join(dirs[0], name))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(filepath.Join(dirs[1], name)); !bytes.Equal(a, b) {
			t.Errorf("%s differs from run to run", name)
		}
		if !bytes.Contains(a, []byte(`"Nov 2023"`)) {
			t.Errorf("%s is not of SOURCE_DATE_EPOCH", name)
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
	}
	walk(newRoot(newTerminal(nil, nil, nil, nil)))
	page, _ := os.ReadFile(filepath.Join(dirs[0], "cfctl.1"))
	if !bytes.Contains(page, []byte("\n0  success\n1  findings or")) {
		t.Errorf("the exit codes are no table:\n%s", page)
	}
}

func TestManText(t *testing.T) {
	for text, want := range map[string]string{
		"a *b* <c> _d_":            `a \*b\* \<c> \_d\_`,
		"codes:\n  0  x\n  1  *\n": "codes:\n\n    0  x\n    1  *\n",
		"  x\n\nthen y":            "\n    x\n\n\nthen y",
	} {
		if got := manText(text); strings.TrimRight(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
