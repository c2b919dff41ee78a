package matrix

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// Eight times the components, with their rows and variables, allocate about eight times the
// memory: in the checks, and where a version of each is set.
func TestWorkGrowsWithTheComponents(t *testing.T) {
	racetest.OneGoroutine(t)
	one, eight := allocatedFor(t, 100), allocatedFor(t, 800)
	for i, what := range []string{"checks", "changes"} {
		if ratio := float64(eight[i]) / float64(one[i]); ratio > 2.2*2.2*2.2 {
			t.Errorf("eight times the components: the %s allocate %.1f times as much", what, ratio)
		}
	}
}

// allocatedFor is what the checks of some components allocate, and what setting all of them does.
func allocatedFor(t *testing.T, components int) (list [2]uint64) {
	t.Helper()
	var readme, makefile, names, places strings.Builder
	for i := range components {
		fmt.Fprintf(&readme, "| Lib%d | v0.3.%d |\n", i, i)
		fmt.Fprintf(&makefile, "LIB%d_VERSION ?= v0.3.%d\n", i, i)
		fmt.Fprintf(&names, "- {name: lib%d, title: Lib%d}\n", i, i)
		fmt.Fprintf(&places, "- {component: lib%d, kind: make-var, path: Makefile, key: LIB%d_VERSION}\n", i, i)
	}
	s := stackOf(t, []byte("name: F\nroot: lib0\ncomponents:\n"+names.String()+"places:\n"+places.String()))
	tree := fstest.MapFS{
		"README.md": {Data: []byte("| Component | Version |\n|---|---|\n" + readme.String())},
		"Makefile":  {Data: []byte(makefile.String())},
	}
	var bumps []Bump
	for i := range s.Components {
		bumps = append(bumps, Bump{&s.Components[i], fmt.Sprintf("v0.4.%d", i)})
	}
	for i, run := range []func() (int, error){
		func() (int, error) {
			findings, err := Run(context.Background(), &Input{Stack: s, Config: &Config{}, Tree: tree})
			return len(findings), err
		},
		func() (int, error) {
			changes, _, err := Set(s, tree, bumps)
			return len(changes) - 2*components, err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if n, err := run(); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		runtime.ReadMemStats(&after)
		list[i] = after.TotalAlloc - before.TotalAlloc
	}
	return list
}
