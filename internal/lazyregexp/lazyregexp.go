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

// A Regexp is a regular expression, with the methods of regexp.Regexp that are asked
// for most. It is safe for concurrent use.
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
		r.Get()
	}
	return r
}

// inTest says whether this process is a test, where an expression that is not
// valid is to be seen although nothing asks it.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// Get is the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.rx = regexp.MustCompile(r.expr) })
	return r.rx
}

// Match is as of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.Get().Match(b) }

// MatchString is as of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.Get().MatchString(s) }

// FindSubmatch is as of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.Get().FindSubmatch(b) }

// FindSubmatchIndex is as of regexp.Regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.Get().FindSubmatchIndex(b) }

// FindStringSubmatch is as of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.Get().FindStringSubmatch(s) }

// FindAllSubmatch is as of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.Get().FindAllSubmatch(b, n) }

// ReplaceAllString is as of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.Get().ReplaceAllString(src, repl)
}
