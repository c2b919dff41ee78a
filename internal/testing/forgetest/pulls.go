package forgetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Pull is a pull request.
type Pull struct {
	Number       int
	Repo         string // OWNER/NAME
	Head         string // OWNER:BRANCH
	Branch, Base string
	Title, Body  string
	State        string // open, closed
	SHA          string // commit that it is at; "" = not seen yet
	Onto         string // commit of the base when it was made
	Merge        string // commit that merged it
	MergedAt     *time.Time
	At           time.Time // when it was made
	Checks       string    // as GraphQL has them: SUCCESS, FAILURE, PENDING; empty = what Says.Checked says
	Conflicts    bool      // it does not merge, whatever the commits say
	Still        bool      // its head does not go with a branch
	apart        [2]string // head and base that were checked last: the base does not have the head
}

// Node is its id for GraphQL.
func (p *Pull) Node() string { return fmt.Sprintf("PR_%d", p.Number) }

// from is the repository of its head.
func (p *Pull) from() string {
	by, _, _ := strings.Cut(p.Head, ":")
	_, name, _ := strings.Cut(p.Repo, "/")
	if by == "" {
		return p.Repo
	}
	return by + "/" + name
}

func (s *Server) routePulls() {
	const pulls = "/repos/{o}/{r}/pulls"
	s.route("GET "+pulls, s.listPulls)
	s.route("POST "+pulls, s.createPull)
	s.route("GET "+pulls+"/{n}", s.one(func(p *Pull) any {
		body := s.json(p)
		body["mergeable"], body["mergeable_state"] = true, "clean"
		maps.Copy(body, s.Says.Merge)
		return body
	}))
	s.route("PATCH "+pulls+"/{n}", s.patchPull)
	s.route("GET "+pulls+"/{n}/reviews", func(*http.Request) (int, any) { return 200, anys(s.Says.Reviews) })
}

// patchPull closes a pull request, or changes what it says.
func (s *Server) patchPull(r *http.Request) (int, any) {
	var in struct{ State, Title, Body *string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	return s.one(func(p *Pull) any {
		for _, set := range []struct{ to, from *string }{{&p.State, in.State}, {&p.Title, in.Title}, {&p.Body, in.Body}} {
			if set.from != nil {
				*set.to = *set.from
			}
		}
		return s.json(p)
	})(r)
}

// one answers about one pull request.
func (s *Server) one(say func(*Pull) any) answer {
	return func(r *http.Request) (int, any) {
		for _, p := range s.Pulls {
			if p.Repo == of(r) && strconv.Itoa(p.Number) == r.PathValue("n") {
				return 200, say(p)
			}
		}
		return missing()
	}
}

// fresh sees what pushes did to a pull request: its head goes with the branch, it is
// merged when the base has come to have its commits, and closed when the branch is
// removed.
func (s *Server) fresh(p *Pull) *Pull {
	if p.State != "open" || p.Still {
		return p
	}
	head, base := s.Head(p.from(), p.Branch), s.Head(p.Repo, p.Base)
	if head != "" {
		p.SHA = head
	}
	looked := [2]string{p.SHA, base}
	switch {
	case p.SHA != "" && base != p.Onto && p.apart != looked && s.contains(p.Repo, p.SHA, base):
		at := s.Now()
		p.State, p.MergedAt, p.Merge = "closed", &at, base
	case p.SHA != "" && head == "":
		p.State = "closed"
	}
	p.apart = looked
	return p
}

// json is a pull request as REST has it.
func (s *Server) json(p *Pull) map[string]any {
	s.fresh(p)
	return map[string]any{"number": p.Number, "node_id": p.Node(), "html_url": address(p), "state": p.State, "title": p.Title, "body": p.Body,
		"head": map[string]any{"ref": p.Branch, "sha": p.SHA, "label": p.Head}, "base": map[string]any{"ref": p.Base}, "merged_at": p.MergedAt, "merge_commit_sha": p.Merge}
}

func address(p *Pull) string {
	return fmt.Sprintf("https://forge.invalid/%s/pull/%d", p.Repo, p.Number)
}

func (s *Server) listPulls(r *http.Request) (int, any) {
	repo, q := s.repo(r), r.URL.Query()
	if repo == nil {
		return missing()
	}
	list := []any{}
	for _, p := range slices.Backward(s.Pulls[:len(s.Pulls)-s.hidden(len(s.Pulls))]) {
		if p.Repo == repo.Name && fits(q.Get("head"), p.Head) && fits(q.Get("base"), p.Base) && (q.Get("state") == "all" || s.fresh(p).State == "open") {
			list = append(list, s.json(p))
		}
	}
	return 200, list
}

func fits(filter, value string) bool { return filter == "" || filter == value }

func (s *Server) createPull(r *http.Request) (int, any) {
	repo := s.repo(r)
	var in struct{ Title, Body, Head, Base string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	if repo == nil {
		return missing()
	}
	if !strings.Contains(in.Head, ":") {
		in.Head = owner(repo.Name) + ":" + in.Head
	}
	_, branch, _ := strings.Cut(in.Head, ":")
	p := &Pull{Number: len(s.Pulls) + 1, Repo: repo.Name, Head: in.Head, Branch: branch, Base: in.Base, Title: in.Title, Body: in.Body, State: "open", At: s.Now()}
	p.SHA, p.Onto = s.Head(p.from(), branch), s.Head(repo.Name, in.Base)
	switch {
	case repo.Archived:
		return 403, map[string]any{"message": "Repository was archived so is read-only."}
	case p.SHA == "":
		return invalid("head is invalid")
	case p.Onto == "":
		return invalid("base is invalid")
	case p.SHA == p.Onto:
		return invalid("No commits between " + in.Base + " and " + branch)
	}
	for _, old := range s.Pulls {
		if old.Repo == p.Repo && old.Head == p.Head && old.Base == p.Base && s.fresh(old).State == "open" {
			return invalid("A pull request already exists for " + in.Head + ".")
		}
	}
	if !s.makes() {
		return limited()
	}
	s.Pulls, s.Unseen = append(s.Pulls, p), s.Late
	return 201, s.json(p)
}

// What people do.

// Newest is the newest pull request of a repository; nil = there is none.
func (s *Server) Newest(repo string) *Pull {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, p := range slices.Backward(s.Pulls) {
		if p.Repo == repo {
			return s.fresh(p)
		}
	}
	return nil
}

// Close closes a pull request without merging it.
func (s *Server) Close(p *Pull) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.fresh(p).State = "closed"
}

// Take merges a pull request with a merge commit.
func (s *Server) Take(p *Pull) {
	s.t.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	dir, from := s.Bare(p.Repo), p.from()
	if s.fresh(p); from != p.Repo {
		s.Git(dir, "fetch", "-q", s.Bare(from), p.SHA)
	}
	base := s.Head(p.Repo, p.Base)
	tree, err := s.tryGit(dir, "", nil, "merge-tree", "--write-tree", base, p.SHA)
	if err != nil {
		s.t.Fatalf("%s does not merge: %s", p.Repo, tree)
	}
	p.Merge = s.Git(dir, "commit-tree", tree, "-p", base, "-p", p.SHA, "-m", "Merge "+p.Branch)
	s.Git(dir, "update-ref", "refs/heads/"+p.Base, p.Merge, base)
	at := s.Now()
	p.State, p.MergedAt = "closed", &at
}
