package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// counted counts what is read of a tree.
type counted struct {
	fs.FS
	reads map[string]int
}

func (c counted) ReadFile(name string) ([]byte, error) {
	c.reads[name]++
	return fs.ReadFile(c.FS, name)
}

func (c counted) ReadDir(name string) ([]fs.DirEntry, error) {
	c.reads[name]++
	return fs.ReadDir(c.FS, name)
}

// Whatever a configuration of a tree declares, each folder and file is read once, and
// the work of all places is bounded.
func TestWorkOfPlacesIsBounded(t *testing.T) {
	tree := fstest.MapFS{}
	for i := range 100 {
		tree[fmt.Sprintf("d%d/f", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("x", 5000))}
	}
	find := func(places int, key func(i int) string) (map[string]int, error) {
		c := counted{tree, map[string]int{}}
		x := NewIndex(c)
		s := Default()
		for i := range places {
			p := &Place{Component: "mcad", Kind: "pattern", Path: []string{"*/f", "d*/f"}[i%2], Key: key(i)}
			if err := p.Complete(s); err != nil {
				return nil, err
			}
			if _, err := p.Find(x); err != nil {
				return nil, err
			}
		}
		return c.reads, nil
	}
	plain := func(i int) string { return fmt.Sprintf("y%d(v[0-9.]+)", i) }
	reads, err := find(30, plain)
	if err != nil || len(reads) != 201 {
		t.Errorf("%d paths, %v", len(reads), err)
	}
	for path, n := range reads {
		if n != 1 {
			t.Errorf("%s was read %d times", path, n)
		}
	}
	if _, err := find(1000, plain); !errors.Is(err, errWork) {
		t.Errorf("a thousand patterns in a hundred files: %v", err)
	}
	if _, err := find(1, func(int) string { return "(?:(?:a?){30}){30}(v[0-9.]+)" }); err == nil || !strings.Contains(err.Error(), "repeats too much") {
		t.Errorf("repeats of repeats: %v", err)
	}
}
