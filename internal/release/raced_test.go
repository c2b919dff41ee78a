package release

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// raced are the tests with a world that run under the race detector as well:
// between them every step of a train looks and acts next to the others, waits, is
// killed, fails on the way, is aborted and verified.
// The other worlds take the same steps one case after the other, which the detector
// makes twice as slow and finds nothing new in. `make test` runs the whole package
// without it.
var raced = []string{
	"TestAbort", "TestForgeThatCanDoLittle", "TestJournalOnARef", "TestKilledEverywhere", "TestPeopleAtRandom", "TestPinsComeBeforeTheTag",
	"TestPlanIsWhatRunDoes", "TestPreflightTellsOnlyWhatBinds", "TestTrainOverABadLine", "TestVerifyFindsDrift", "TestWaitIsPatient",
}

// unlessRaced skips a test that the race detector is not for.
func unlessRaced(t testing.TB) {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); racetest.On && !slices.Contains(raced, name) {
		t.Skip("run without the race detector")
	}
}

// What the race detector is for is there.
func TestRacedTestsAreThere(t *testing.T) {
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
