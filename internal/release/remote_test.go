package release

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestGitReadsAreRepeated asks a server of repositories that breaks, and one
// that refuses: the one may get through the next time, the other will not.
func TestGitReadsAreRepeated(t *testing.T) {
	for code, test := range map[int]struct {
		asked   int32
		transit bool
	}{http.StatusBadGateway: {3, true}, http.StatusForbidden: {1, false}} {
		var asked atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(code)
		}))
		_, q, _ := queuedTo(t, s.URL)
		r := &ports.Remotes{Base: s.URL, Cache: &git.Cache{Dir: t.TempDir()}, Queue: q}
		_, err := r.Heads(context.Background(), "o/r")
		var transit *wire.TransitError
		if errors.As(err, &transit) != test.transit || err == nil || asked.Load() != test.asked {
			t.Errorf("%d: %v after %d requests", code, err, asked.Load())
		}
		s.Close()
	}
}
