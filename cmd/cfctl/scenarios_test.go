package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A scenario is something that happens to a release, a campaign, an import or a
// matrix, and what plays it.
type scenario struct {
	N       int      `yaml:"n"`
	What    string   `yaml:"what"`
	Tests   []string `yaml:"tests"`
	Scripts []string `yaml:"scripts"`
}

// TestScenarios: the table has all seventy scenarios, and the tests and scripts that it
// names exist.
func TestScenarios(t *testing.T) {
	var table struct {
		Scenarios []scenario `yaml:"scenarios"`
	}
	readTable(t, "scenarios.yaml", &table)
	if len(table.Scenarios) != 70 {
		t.Errorf("%d scenarios, want 70", len(table.Scenarios))
	}
	tests := goTests{}
	for i, s := range table.Scenarios {
		if s.N != i+1 || s.What == "" || len(s.Tests)+len(s.Scripts) == 0 {
			t.Errorf("scenario %d: nothing plays %+v", i+1, s)
		}
		for _, name := range s.Tests {
			if err := tests.has(name); err != nil {
				t.Errorf("scenario %d: %v", s.N, err)
			}
		}
		for _, name := range s.Scripts {
			if err := scriptExists(name); err != nil {
				t.Errorf("scenario %d: %v", s.N, err)
			}
		}
	}
	for _, wrong := range []string{"release", "release TestNothing", "release TestAdversaries/nothing happens", "nowhere TestAdversaries"} {
		if tests.has(wrong) == nil {
			t.Errorf("%s exists", wrong)
		}
	}
}

// goTests are the texts of test files, by package.
type goTests map[string]string

// has checks that there is a test "PACKAGE TEST/CASE"; the case is optional.
func (g goTests) has(name string) error {
	of, name, _ := strings.Cut(name, " ")
	if _, read := g[of]; !read {
		files, err := filepath.Glob(filepath.Join("../../internal", of, "*_test.go"))
		if err != nil {
			return err
		}
		var all strings.Builder
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			all.Write(data)
		}
		g[of] = all.String()
	}
	test, play, nested := strings.Cut(name, "/")
	if !strings.HasPrefix(test, "Test") || !strings.Contains(g[of], "\nfunc "+test+"(t ") || nested && !strings.Contains(g[of], "\""+play+"\"") {
		return fmt.Errorf("package %s has no test %q", of, name)
	}
	return nil
}
