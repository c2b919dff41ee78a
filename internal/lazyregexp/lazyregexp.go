// Package lazyregexp has regular expressions that are compiled when they are
// asked first. cfctl has two hundred in tables and a run asks a few of them;
// compiled before main they were most of what a process did, and held, before
// its first word. The idea is that of the package of this name within Go's own
// tools.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Regexp is a regular expression; its methods are those of regexp.Regexp. It
// is safe for concurrent use.
type Regexp struct {
	expr string
	once sync.Once
	rx   *regexp.Regexp
}

// New is the expression, which is valid: one that is not panics when it is
// asked first, and in tests here.
func New(expr string) *Regexp {
	r := &Regexp{expr: expr}
	if inTest {
		r.get()
	}
	return r
}

// inTest says whether this process is a test, where an expression that is not
// valid is to be seen although nothing asks it.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.rx = regexp.MustCompile(r.expr) })
	return r.rx
}

// Match is as of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

// MatchString is as of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// Find is as of regexp.Regexp.
func (r *Regexp) Find(b []byte) []byte { return r.get().Find(b) }

// FindIndex is as of regexp.Regexp.
func (r *Regexp) FindIndex(b []byte) []int { return r.get().FindIndex(b) }

// FindString is as of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindSubmatch is as of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.get().FindSubmatch(b) }

// FindSubmatchIndex is as of regexp.Regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.get().FindSubmatchIndex(b) }

// FindStringSubmatch is as of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is as of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindAllIndex is as of regexp.Regexp.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.get().FindAllIndex(b, n) }

// FindAllString is as of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex is as of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }

// FindAllSubmatch is as of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.get().FindAllSubmatch(b, n) }

// FindAllSubmatchIndex is as of regexp.Regexp.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.get().FindAllSubmatchIndex(b, n)
}

// FindAllStringSubmatchIndex is as of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAll is as of regexp.Regexp.
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return r.get().ReplaceAll(src, repl) }

// ReplaceAllString is as of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.get().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is as of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.get().ReplaceAllStringFunc(src, repl)
}
