package train

import (
	"fmt"
	"sync/atomic"
)

// A Fact is a piece of evidence of a step that others read: the commit of a
// merge, the digest of an image. Whoever reads it got it from that step, so that
// there is no edge with a misspelt end. The zero Fact is of a step that the
// train does not have, and never known.
type Fact[T ~string] struct{ step, key string }

// FactOf is what a step says under a key of its observation.
func FactOf[T ~string, V, H any](s *Step[V, H], key string) Fact[T] {
	if s == nil {
		return Fact[T]{}
	}
	return Fact[T]{s.Name, key}
}

// In is the fact as the step of this run has seen it; empty = not known (yet).
// v is the view of a step, which must need that step, or of the whole train.
func (f Fact[T]) In(v interface{ Base() *View }) T {
	if f.step == "" {
		return ""
	}
	b := v.Base()
	b.reader.reads(f.step)
	return T(b.fact(f.step, f.key))
}

// Reached says whether the step was seen done in this run.
func (f Fact[T]) Reached(v interface{ Base() *View }) bool {
	if f.step == "" {
		return false
	}
	b := v.Base()
	b.reader.reads(f.step)
	return b.reached(f.step)
}

// A reader is a step that looks or acts, and what it may read.
type reader struct {
	step   string
	behind map[string]bool
	astray atomic.Pointer[string] // a step that it read of and does not need
}

// reads notes that the reader reads what a step has seen. No reader is the whole
// train, which reads all.
func (r *reader) reads(step string) {
	if r != nil && step != r.step && !r.behind[step] {
		r.astray.Store(&step)
	}
}

// err says which need is missing.
func (r *reader) err() error {
	if step := r.astray.Load(); step != nil {
		return fmt.Errorf("step %s reads what %s has seen, and does not need it", r.step, *step)
	}
	return nil
}
