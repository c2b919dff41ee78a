package stack

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
)

func TestMakefileValues(t *testing.T) {
	m := ParseMakefile("Makefile", []byte("A ?= 1.$(B)\nB := ${C}-x # why\nC = 2\nC = 3\nSELF ?= a$(SELF)\nX = $(Y)\nY = ${X}\nOTHER = $(shell x)$(C)\n"))
	for name, want := range map[string]string{"A": "1.2-x", "B": "2-x", "SELF": "a$(SELF)", "X": "$(X)", "OTHER": "$(shell x)2", "NONE": ""} {
		if got, err := m.Value(name); err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
}

// TestMakefilesAreBounded has variables of few bytes that make make busy for
// ever: what is too much is said of the variable, at its line.
func TestMakefilesAreBounded(t *testing.T) {
	doubling, chain, wide := "TOP = $(V0)\n", "TOP = $(V0)\n", "BIG = "+strings.Repeat("x", 60<<10)+"\nTOP = "
	for i := range 1000 {
		doubling += fmt.Sprintf("V%d = $(V%d)$(V%d)\n", i, i+1, i+1)
		chain += fmt.Sprintf("V%d = $(V%d)\n", i, i+1)
		wide += fmt.Sprintf("$(W%d)", i)
	}
	doubling += "V1000 = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
	doubling = strings.Replace(doubling, "V100 = $(V101)$(V101)", "V100 = x", 1)
	for i := range 1000 {
		wide += fmt.Sprintf("\nW%d = $(BIG)", i)
	}
	for want, text := range map[string]string{
		"Makefile:85: variable V83 expands to more than 64 KiB":                    doubling,
		"Makefile:202: variable V200 is more than 200 variables within each other": chain,
		"Makefile:2: variable TOP expands to more than 64 KiB":                     wide,
	} {
		_, err := ParseMakefile("Makefile", []byte(text)).Value("TOP")
		var placed *source.Error
		if !errors.As(err, &placed) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	m := ParseMakefile("Makefile", []byte(wide))
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		_, err = m.Value(fmt.Sprintf("W%d", i))
	}
	if err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("%v", err)
	}
	if got, err := ParseMakefile("Makefile", []byte("A = "+strings.Repeat("$(A)", 1000))).Value("A"); err != nil || len(got) != 4000 {
		t.Errorf("a variable within itself: %d bytes, %v", len(got), err)
	}
}

// TestHitsAreBounded finds places more often than any file has one: in text,
// and through aliases that make many of few.
func TestHitsAreBounded(t *testing.T) {
	bomb := "a0: &a0 [v1.0.0, v1.0.0, v1.0.0, v1.0.0, v1.0.0, v1.0.0, v1.0.0, v1.0.0, v1.0.0]\n"
	for i := range 11 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	s := Default()
	for _, tt := range []struct{ kind, key, text string }{
		{"pattern", "x(v[0-9.]+)", strings.Repeat("xv1.0.0 ", maxHits+1)},
		{"yaml", "a11" + strings.Repeat("[*]", 12), bomb},
	} {
		p := &Place{Component: "mcad", Kind: tt.kind, Path: "f", Key: tt.key}
		if err := p.Complete(s); err != nil {
			t.Fatal(err)
		}
		_, err := p.Find(fstest.MapFS{"f": {Data: []byte(tt.text)}})
		if err == nil || !strings.Contains(err.Error(), "more than 10000 times") {
			t.Errorf("%s: %v", tt.kind, err)
		}
	}
}

// TestPositions walks over text in both directions.
func TestPositions(t *testing.T) {
	data := []byte("aä\nb\r\n\n\xff日c\nlast")
	p := positionsOf(data)
	for _, at := range []int{0, 1, 3, 4, 5, 5, 9, 8, 0, 12, len(data), len(data) + 3, 2} {
		if got, want := p.of(at), source.PositionAt(data, at); got != want {
			t.Errorf("%d: %v, want %v", at, got, want)
		}
	}
	for line, start := range lineStarts(data) {
		if got := source.PositionAt(data, start); got != (source.Position{Line: line + 1, Column: 1}) {
			t.Errorf("line %d begins at %v", line+1, got)
		}
	}
}
