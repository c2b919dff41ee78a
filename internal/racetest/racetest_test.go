package racetest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsSkippedIsRun: a package that keeps tests from the race detector is in
// the line of `make test` that runs without it.
func TestWhatIsSkippedIsRun(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\t\$\(GO\) test -vet=off \$\(PATIENT\) (\./.*)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile runs nothing without the race detector")
	}
	plain := strings.Fields(string(line[1]))
	kept := 0
	err = filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel("../..", file)
		pkg := "./" + path.Dir(filepath.ToSlash(rel))
		if !strings.Contains(string(data), "\"github.com/project-codeflare/cfctl/internal/racetest\"\n") {
			return err
		}
		kept++
		if !slices.ContainsFunc(plain, func(p string) bool {
			tree, all := strings.CutSuffix(p, "/...")
			return p == pkg || all && (pkg == tree || strings.HasPrefix(pkg, tree+"/"))
		}) {
			t.Errorf("%s keeps tests from the race detector, and the Makefile does not run %s without it", rel, pkg)
		}
		return err
	})
	if err != nil || kept == 0 {
		t.Fatal(kept, err)
	}
}
