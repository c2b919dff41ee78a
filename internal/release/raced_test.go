package release

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// raced are the tests with a world that run under the race detector as well:
// between them every step of a train looks and acts beside the others, waits, is
// killed, fails on the way, is aborted and verified, and is driven by two at once.
// The other worlds take the same steps one case after the other, which the detector
// makes twice as slow and finds nothing new in. `make test` runs the whole package
// without it.
var raced = []string{
	"TestAbort", "TestForgeThatCanDoLittle", "TestJournalOnARef", "TestKilledEverywhere", "TestPeopleAtRandom", "TestPinsComeBeforeTheTag",
	"TestPlanIsWhatRunDoes", "TestPreflightTellsOnlyWhatBinds", "TestTrainOverABadLine", "TestTwoJournalsAnnounceOnce", "TestVerifyFindsDrift", "TestWaitIsPatient",
}

// unlessRaced skips a test that the race detector is not for.
func unlessRaced(t testing.TB) {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); underRace && !slices.Contains(raced, name) {
		t.Skip("run without the race detector")
	}
}

// What the race detector skips is run without it, and what it is for is there.
func TestRacedTestsAreThere(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "\t$(GO) test ./internal/release ") {
		t.Error("the Makefile runs nothing of this package without the race detector")
	}
	files, _ := filepath.Glob("*_test.go")
	there := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				there[fn.Name.Name] = true
			}
		}
	}
	for _, name := range raced {
		if !there[name] {
			t.Errorf("there is no %s to run under the race detector", name)
		}
	}
}
