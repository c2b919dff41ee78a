package train

import (
	"sync"
	"time"
)

// A memo remembers what was read, so that no object is read twice in one pass,
// and so that steps which wait for the same object share one look at it.
type memo struct {
	mu    sync.Mutex
	mark  uint64 // grows with every act
	calls map[string]*call
}

type call struct {
	once sync.Once
	mark uint64    // of the memo when it was begun
	at   time.Time // when it was begun
	val  any
	err  error
}

func newMemo() *memo { return &memo{calls: map[string]*call{}} }

// next is a mark: what was read before it does not know what happened since.
func (m *memo) next() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark++
	return m.mark
}

// call is the call for a key: one that was made already, unless it is stale for
// the view.
func (m *memo) call(v *View, key string) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := v.Now()
	c := m.calls[key]
	// A clock that jumped back makes everything stale, which costs a request.
	if c == nil || c.mark < v.since || v.age > 0 && (now.Before(c.at) || now.Sub(c.at) >= v.age) {
		c = &call{mark: m.mark, at: now}
		m.calls[key] = c
	}
	return c
}

// forget makes the next reads observe the actual state again.
func (m *memo) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = map[string]*call{}
}

// Recall answers from the view's memo, or reads once. Steps that run at the
// same time share the one read.
func Recall[T any](v *View, key string, read func() (T, error)) (T, error) {
	c := v.memo.call(v, key)
	c.once.Do(func() { c.val, c.err = read() })
	val, _ := c.val.(T)
	return val, c.err
}

// Keep is Recall of what is the same for ever, as the content of a commit: it
// is read once, unless reading failed.
func Keep[T any](v *View, key string, read func() (T, error)) (T, error) {
	w := *v
	w.since, w.age = 0, 0
	val, err := Recall(&w, key, read)
	if err != nil {
		v.memo.mu.Lock()
		delete(v.memo.calls, key)
		v.memo.mu.Unlock()
	}
	return val, err
}
