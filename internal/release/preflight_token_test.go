package release

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// jobForge is a forge whose token is an app's: the job's own, or another.
type jobForge struct {
	forge.Forge
	own bool
}

func (f jobForge) Account(context.Context) (forge.Account, error) {
	return forge.Account{}, &forge.Error{Op: "GET /user", Status: 403}
}
func (f jobForge) JobToken(context.Context) (bool, error) { return f.own, nil }

// The job's own token is found before the first effect: the train would wait
// for images for ever. Another app's is taken.
func TestOwnTokenIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, own := range []bool{true, false} {
		env, _ := w.env(journalIn(t))
		env.Forge = jobForge{env.Forge, own}
		findings, err := lookAhead(t.Context(), newView(w.train("v0.2.0"), env))
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, f := range findings {
			if f.Rule == "token-own" {
				found += f.Severity.String() + " " + f.Message
			}
		}
		if strings.Contains(found, "error the token is the job's own") != own {
			t.Errorf("own %v: %q", own, found)
		}
	}
}
