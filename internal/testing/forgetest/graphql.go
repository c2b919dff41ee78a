package forgetest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// graphql answers the questions that cfctl has: nodes of pull requests, a commit
// that the forge makes, whose the token is.
func (s *Server) graphql(r *http.Request) (int, any) {
	var in struct {
		Query     string
		Variables struct {
			IDs   []string
			Input commitInput
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	switch {
	case strings.HasPrefix(in.Query, "mutation"):
		return s.makeCommit(in.Variables.Input)
	case strings.Contains(in.Query, "viewer"):
		return 200, map[string]any{"data": map[string]any{"viewer": map[string]any{"login": s.Login}}}
	case len(in.Variables.IDs) > 100:
		return 200, map[string]any{"errors": []any{map[string]any{"type": "ARGUMENT_LIMIT", "message": "You may not provide more than 100 node ids"}}}
	}
	byNode := map[string]*Pull{}
	for _, p := range s.Pulls {
		byNode[p.Node()] = p
	}
	nodes, errs := []any{}, []any{}
	for _, id := range in.Variables.IDs {
		p := byNode[id]
		if p == nil {
			nodes = append(nodes, nil)
			errs = append(errs, map[string]any{"type": "NOT_FOUND", "message": "Could not resolve to a node with the global id of '" + id + "'"})
			continue
		}
		nodes = append(nodes, s.Graph(p))
	}
	out := map[string]any{"data": map[string]any{"nodes": nodes}}
	if len(errs) > 0 {
		out["errors"] = errs
	}
	return 200, out
}

// Graph is a pull request as GraphQL has it.
func (s *Server) Graph(p *Pull) map[string]any {
	s.fresh(p)
	state, mergeable, rollup := strings.ToUpper(p.State), "MERGEABLE", any(nil)
	if p.MergedAt != nil {
		state = "MERGED"
	}
	if p.Conflicts || p.State == "open" && !p.Still && !s.merges(p) {
		mergeable = "CONFLICTING"
	}
	checks := p.Checks
	if checks == "" {
		checks = s.Says.Checked
	}
	if checks != "" {
		rollup = map[string]any{"state": checks}
	}
	return map[string]any{"__typename": "PullRequest", "id": p.Node(), "number": p.Number, "url": address(p), "state": state,
		"mergeable": mergeable, "reviewDecision": nil, "headRefOid": p.SHA,
		"commits": map[string]any{"nodes": []any{map[string]any{"commit": map[string]any{"statusCheckRollup": rollup}}}}}
}

// merges says whether a pull request merges cleanly.
func (s *Server) merges(p *Pull) bool {
	base := s.Head(p.Repo, p.Base)
	if base == p.Onto || base == "" {
		return true
	}
	_, err := s.tryGit(s.Bare(p.Repo), "", nil, "merge-tree", "--write-tree", base, p.SHA)
	return err == nil
}

// A commitInput is GitHub's CreateCommitOnBranchInput.
type commitInput struct {
	Branch          struct{ RepositoryNameWithOwner, BranchName string }
	ExpectedHeadOid string
	Message         struct{ Headline, Body string }
	FileChanges     struct {
		Additions []struct {
			Path     string
			Contents []byte
		}
		Deletions []struct{ Path string }
	}
}

// makeCommit makes a commit by the forge itself, with a name of its own. It makes no
// programs.
func (s *Server) makeCommit(in commitInput) (int, any) {
	refused := func(text string) (int, any) {
		return 200, map[string]any{"data": map[string]any{"createCommitOnBranch": nil}, "errors": []any{map[string]any{"type": "STALE_DATA", "message": text}}}
	}
	repo := s.find(in.Branch.RepositoryNameWithOwner)
	switch {
	case repo == nil:
		return refused("Could not resolve to a Repository")
	case s.Head(repo.Name, in.Branch.BranchName) != in.ExpectedHeadOid:
		return refused("Expected branch to point to \"" + in.ExpectedHeadOid + "\"")
	case !s.makes():
		return limited()
	}
	files := map[string]string{}
	for _, f := range in.FileChanges.Additions {
		files[f.Path] = string(f.Contents)
	}
	if s.Spoils {
		files["more.yaml"] = "x\n"
	}
	for _, f := range in.FileChanges.Deletions {
		files[f.Path] = ""
	}
	commit := s.write(repo.Name, in.Branch.BranchName, "the forge", in.Message.Headline, files)
	return 200, map[string]any{"data": map[string]any{"createCommitOnBranch": map[string]any{"commit": map[string]any{"oid": commit}}}}
}

// Push makes a commit of files on a branch, as a user does; a file with no
// content is removed.
func (s *Server) Push(repo, branch string, files map[string]string) string {
	s.t.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.write(repo, branch, "P", "by a person", files)
}

// write makes a commit by a user, on a branch that is there. The caller has Mu.
func (s *Server) write(repo, branch, who, message string, files map[string]string) string {
	s.t.Helper()
	dir, old := s.Bare(repo), s.Head(repo, branch)
	index := filepath.Join(dir, "index-of-a-person")
	defer os.Remove(index) //nolint:errcheck // the test's folder
	run := func(in string, args ...string) string {
		out, err := s.tryGit(dir, in, []string{"GIT_INDEX_FILE=" + index, "GIT_AUTHOR_NAME=" + who}, args...)
		if err != nil {
			s.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return out
	}
	run("", "read-tree", old)
	for file, text := range files {
		if text == "" {
			run("", "update-index", "--force-remove", file)
			continue
		}
		run("", "update-index", "--add", "--cacheinfo", "100644,"+run(text, "hash-object", "-w", "--stdin")+","+file)
	}
	commit := run("", "commit-tree", run("", "write-tree"), "-p", old, "-m", message)
	run("", "update-ref", "refs/heads/"+branch, commit, old)
	return commit
}
