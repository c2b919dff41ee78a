package migrate

import (
	"fmt"
	"slices"
	"sync"
)

// faults are the files at which cfctl failed while it gathered what a tree
// holds. One of them does not stop the others.
type faults struct {
	mu   sync.Mutex
	list []*File
}

// try does something that is about a file, and notes it when that fails.
func (x *faults) try(m *Migration, name string, data []byte, do func()) {
	defer func() {
		if cause := recover(); cause != nil {
			f := m.newFile(name, data)
			f.fail(fmt.Errorf("internal error: %v", cause))
			x.mu.Lock()
			x.list = append(x.list, f)
			x.mu.Unlock()
		}
	}()
	do()
}

// each is a walk in which a file at which a visit fails is noted.
func (x *faults) each(m *Migration, w walk) walk {
	return func(s search, visit func(name string, data []byte)) error {
		return w(s, func(name string, data []byte) { x.try(m, name, data, func() { visit(name, data) }) })
	}
}

// among puts the files at which cfctl failed in the place of what is known of them.
func (x *faults) among(files []*File) []*File {
	for _, f := range x.list {
		if i := slices.IndexFunc(files, func(g *File) bool { return g != nil && g.Path == f.Path }); i >= 0 {
			files[i] = f
		} else {
			files = append(files, f)
		}
	}
	return files
}
