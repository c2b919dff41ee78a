package release

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
)

// trip is how a request is answered.
type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// breaks runs once and wants an error of a step that says so, and nothing done.
func (a *adversary) breaks(step, says string) {
	a.t.Helper()
	before := a.witness()
	r := a.run(2)
	if err := r.Trouble(); err == nil || !strings.Contains(err.Error(), says) || r.Of(step).State == Done {
		a.t.Errorf("want %q of %s: %v; %s", says, step, err, at(r))
	}
	if a.witness() != before {
		a.t.Errorf("%s: something was done", says)
	}
}

// renames gives a repository another name, as a forge does: git finds it by both, and the
// API sends who asks by the old one to its number.
func (a *adversary) renames(repo, to string) {
	a.t.Helper()
	f := a.forge.(*fakeForge)
	f.Rename(f.Repo(repo), to)
	if err := os.Symlink(a.bare(to), a.bare(repo)); err != nil {
		a.t.Fatal(err)
	}
	number := fmt.Sprintf("/repositories/%d", f.Repo(to).ID)
	f.Handle(number+"/", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/repos/" + to + strings.TrimPrefix(r.URL.Path, number)
		f.ServeHTTP(w, r)
	})
	before := f.Fault
	f.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		rest, old := strings.CutPrefix(r.URL.Path, "/repos/"+repo)
		if !old || rest != "" && rest[0] != '/' {
			return before != nil && before(w, r)
		}
		status := http.StatusMovedPermanently
		if r.Method != http.MethodGet {
			status = http.StatusTemporaryRedirect
		}
		w.Header().Set("Location", f.URL+number+rest+"?"+r.URL.RawQuery)
		reply(w, status, map[string]any{"message": "Moved Permanently"})
		return true
	}
}

// serverAdversaries are cases of TestAdversaries.
var serverAdversaries = map[string]func(t *testing.T, a *adversary){
	"servers fail and lie one after the other": func(t *testing.T, a *adversary) {
		f := a.forge.(*fakeForge)
		byHand := a.world.run(a.bare("orchard/picker"), "sh", "-c", "git tag -m 'by hand' v1.1.0 main && git rev-parse v1.1.0")
		a.until(2, "operator-merged", Waiting)

		// The token is withdrawn, and the forge is down for good.
		f.Tokens = map[string]bool{"another": true}
		a.breaks("operator-merged", "401 Bad credentials")
		f.Tokens = nil
		f.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
			wiretest.Status(502, "Bad Gateway")(w)
			return true
		}
		a.breaks("operator-merged", "502 Bad Gateway")
		f.Fault = nil

		// The next machine's clock is behind the journal.
		a.until(2, "approve:publish", Waiting)
		a.approve(2, "approve:publish", false)
		a.clock.Pass(-5 * time.Hour)
		a.until(2, "catalog-merged", Waiting)
		a.play()

		// The registry accepts what it does not store, and names wrong digests.
		a.base = trip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/manifests/stable") {
				return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
			}
			return http.DefaultTransport.RoundTrip(req)
		})
		a.breaks("stable:picker", "the registry did not store it")
		a.base = trip(func(req *http.Request) (*http.Response, error) {
			res, err := http.DefaultTransport.RoundTrip(req)
			if err == nil && strings.Contains(req.URL.Path, "/manifests/") {
				res.Header.Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
			}
			return res, err
		})
		before := a.witness()
		if o := a.run(2).Of("built:picker"); o.State != Unmanaged || o.Reason != why.ImageAgain || !strings.Contains(o.Text, "is sha256:000000000000, and was sha256:") || a.witness() != before {
			t.Errorf("a wrong digest: %s: %s", o.State, o.Text)
		}
		a.base = nil

		// Mail is deferred in each run.
		a.mail.gray = true
		a.run(2)
		a.breaks("announce:mail", "greylisted, come again")
		a.mail.gray = false
		a.arrive(2)
		if len(a.mail.got) != 1 || len(a.chat.texts()) != 1 || a.hints > 0 || len(f.Releases) != 1 {
			t.Errorf("%d mails, %d messages, %d releases, %d commands", len(a.mail.got), len(a.chat.texts()), len(f.Releases), a.hints)
		}
		if now := a.world.run(a.bare("orchard/picker"), "git", "rev-parse", "v1.1.0"); now != byHand {
			t.Error("the tag is another one than that by hand")
		}
		a.verifies(2)
	},
	"a component and the root are renamed on the forge": func(t *testing.T, a *adversary) {
		f := a.forge.(*fakeForge)
		a.until(2, "built:picker", Done)
		a.renames("orchard/picker", "orchard/plucker")
		a.until(2, "operator-merged", Waiting)
		pulls := len(f.Pulls)
		a.renames("orchard/operator", "orchard/conductor")
		if o := a.run(2).Of("operator-merged"); o.State != Waiting || len(f.Pulls) != pulls {
			t.Errorf("%s: %s (%s) %v; %d PRs, %d before", o.State, o.Text, o.Who, o.Err, len(f.Pulls), pulls)
		}
		if a.arrive(2); a.hints > 1 || len(f.Releases) != 1 || len(f.pullsTo("orchard/conductor")) != 1 {
			t.Errorf("%d commands, %d releases, PRs %v", a.hints, len(f.Releases), f.seen())
		}
		if !slices.Contains(f.Log, "POST /repos/orchard/conductor/releases") {
			t.Error("no request was redirected")
		}
		a.verifies(2)
	},
}
