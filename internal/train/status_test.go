package train

import (
	"strings"
	"testing"
	"time"
)

// Times are told in UTC, wherever the clock is; a release that has no record
// is not said to have begun.
func TestStatusIsInUTC(t *testing.T) {
	s := newShelf()
	env := s.env(t, journalIn(t))
	tokyo := time.FixedZone("JST", 9*3600)
	env.Now = func() time.Time { return time.Date(2026, 3, 3, 2, 0, 0, 0, tokyo) }
	first := func() string {
		t.Helper()
		st, err := toys(s).Refresh(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteStatus(&b, "text", st, env.Now()); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(b.String(), "\n")
		return line
	}
	if line := first(); !strings.Contains(line, "not begun here") {
		t.Error(line)
	}
	if _, err := toys(s).Run(t.Context(), env, Choices{Until: "one"}); err != nil {
		t.Fatal(err)
	}
	if line := first(); !strings.Contains(line, "begun 2026-03-02 17:00 UTC") {
		t.Error(line)
	}
}
