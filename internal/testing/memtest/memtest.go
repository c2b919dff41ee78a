// Package memtest keeps what tests write in memory.
package memtest

import "os"

// Run runs the tests of a package with their temporary folders in memory, where
// there is a gigabyte of it and TMPDIR names no other place: trees, repositories
// and journals are thousands of small files, each of them synced. It returns the
// exit code of the tests.
func Run(m interface{ Run() int }) int {
	if os.Getenv("TMPDIR") != "" {
		return m.Run()
	}
	memory := folder()
	if memory == "" {
		return m.Run()
	}
	defer func() { _ = os.RemoveAll(memory) }()
	if err := os.Setenv("TMPDIR", memory); err != nil {
		panic(err)
	}
	return m.Run()
}
