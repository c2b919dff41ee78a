package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Repository is one of the forge.
type Repository struct {
	ID       int64
	Name     string // OWNER/NAME by now
	Default  string // branch
	Size     int64  // KB
	Archived bool
	NoPush   bool // by any token
}

func (s *Server) routeRepositories() {
	const repo = "/repos/{o}/{r}"
	s.route("GET /orgs/{org}/repos", s.list)
	s.route("GET /users/{org}/repos", s.list)
	s.route("GET /repositories/{id}", func(r *http.Request) (int, any) {
		id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
		return s.show(s.byID[id])
	})
	s.route("GET "+repo, func(r *http.Request) (int, any) { return s.show(s.repo(r)) })
	s.route("GET "+repo+"/compare/{range}", s.compare)
	s.route("GET "+repo+"/branches/{b...}", func(r *http.Request) (int, any) {
		if strings.HasSuffix(r.URL.Path, "/protection") {
			return 404, map[string]any{"message": "Branch not protected"}
		}
		return 200, map[string]any{"name": r.PathValue("b"), "protected": false}
	})
	s.route("GET "+repo+"/rules/branches/{b...}", func(r *http.Request) (int, any) {
		if r.PathValue("b") != "main" {
			return 200, []any{}
		}
		return 200, anys(s.Says.Rules)
	})
	s.route("GET "+repo+"/rulesets", func(*http.Request) (int, any) { return 200, []any{} })
	s.route("POST "+repo+"/forks", s.fork)
	s.route("POST "+repo+"/merge-upstream", s.sync)
}

// Add makes an entry for a repository, whose folder may be made later.
func (s *Server) Add(name string) *Repository {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.add(int64(1000+len(s.Repositories)), name)
	s.Repositories = append(s.Repositories, r)
	return r
}

func (s *Server) add(id int64, name string) *Repository {
	r := &Repository{ID: id, Name: name, Default: "main", Size: 10}
	s.named[strings.ToLower(name)], s.byID[r.ID] = r, r
	return r
}

// Repo is the repository of a name, which may be one that it had before; nil =
// there is none.
func (s *Server) Repo(name string) *Repository {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.find(name)
}

// find takes a folder that is there for a repository, which no list has.
func (s *Server) find(name string) *Repository {
	if r := s.named[strings.ToLower(name)]; r != nil {
		return r
	}
	_, err := os.Stat(s.Bare(name))
	if err != nil {
		_, err = os.Stat(strings.TrimSuffix(s.Bare(name), ".git"))
	}
	if err != nil {
		return nil
	}
	return s.add(int64(1_000_000_000+len(s.named)), name)
}

// ByID is the repository of a number; nil = there is none.
func (s *Server) ByID(id int64) *Repository {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.byID[id]
}

// repo is the repository that a request is about.
func (s *Server) repo(r *http.Request) *Repository {
	return s.find(r.PathValue("o") + "/" + r.PathValue("r"))
}

// Rename gives a repository another name; the old one leads to it.
func (s *Server) Rename(r *Repository, to string) {
	s.t.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := os.Rename(s.Bare(r.Name), s.Bare(to)); err != nil {
		s.t.Fatalf("%v", err)
	}
	for _, p := range s.Pulls {
		if p.Repo == r.Name {
			p.Repo = to
		}
	}
	r.Name, s.named[strings.ToLower(to)] = to, r
}

// templates are the addresses that GitHub has in every repository: most of what
// a list is made of.
var templates = strings.Fields(`archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks
	git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases
	stargazers statuses subscribers subscription tags teams trees`)

func owner(repo string) string {
	owner, _, _ := strings.Cut(repo, "/")
	return owner
}

// show is a repository as REST has it, about as large as GitHub's.
func (s *Server) show(r *Repository) (int, any) {
	if r == nil {
		return missing()
	}
	_, name, _ := strings.Cut(r.Name, "/")
	by := map[string]any{"login": owner(r.Name), "id": 1, "type": "Organization", "site_admin": false, "node_id": "MDEyOk9yZ2FuaXphdGlvbjE="}
	m := map[string]any{"id": r.ID, "node_id": fmt.Sprintf("R_%d", r.ID), "name": name, "full_name": r.Name, "private": false, "owner": by, "html_url": s.URL + "/" + r.Name,
		"description": "a service of acme", "fork": false, "size": r.Size, "default_branch": r.Default, "archived": r.Archived, "disabled": false, "is_template": false, "mirror_url": nil,
		"topics": []string{"kubernetes"}, "visibility": "public", "permissions": map[string]bool{"admin": false, "push": !r.NoPush, "pull": true}, "language": "Go",
		"license": map[string]any{"key": "apache-2.0", "name": "Apache License 2.0", "spdx_id": "Apache-2.0", "url": "https://api.github.com/licenses/apache-2.0"}}
	for _, t := range templates {
		m[t+"_url"] = fmt.Sprintf("%s/api/v3/repos/%s/%s{/number}", s.URL, r.Name, t)
		by[t+"_url"] = fmt.Sprintf("%s/api/v3/users/%s/%s{/other}", s.URL, owner(r.Name), t)
	}
	return 200, m
}

// shown is a repository of a list, which is put into words only if its page is.
type shown struct {
	s *Server
	r *Repository
}

// MarshalJSON implements json.Marshaler.
func (x shown) MarshalJSON() ([]byte, error) {
	_, body := x.s.show(x.r)
	return json.Marshal(body)
}

func (s *Server) list(r *http.Request) (int, any) {
	list := []any{}
	for _, repo := range s.Repositories {
		if owner(repo.Name) == r.PathValue("org") {
			list = append(list, shown{s, repo})
		}
	}
	if len(list) == 0 {
		return missing()
	}
	return 200, list
}

func (s *Server) compare(r *http.Request) (int, any) {
	repo := s.repo(r)
	base, head, ok := strings.Cut(r.PathValue("range"), "...")
	if repo == nil || !ok {
		return missing()
	}
	dir := s.Bare(repo.Name)
	for _, c := range []string{base, head} {
		if _, err := s.tryGit(dir, "", nil, "cat-file", "-e", c+"^{commit}"); err != nil {
			return missing()
		}
	}
	status := "diverged"
	if s.contains(repo.Name, base, head) {
		status = "ahead"
	}
	return 200, map[string]any{"status": status}
}

// contains says whether the history of head has a commit.
func (s *Server) contains(repo, commit, head string) bool {
	_, err := s.tryGit(s.Bare(repo), "", nil, "merge-base", "--is-ancestor", commit, head)
	return err == nil
}

// fork notes a fork, which is there when Fork has made it: GitHub makes them in
// the background.
func (s *Server) fork(r *http.Request) (int, any) {
	var in struct{ Organization string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	if in.Organization == "" {
		in.Organization = s.Login
	}
	to := in.Organization + "/" + r.PathValue("r")
	s.Forks = append(s.Forks, r.PathValue("o")+"/"+r.PathValue("r")+" "+to)
	return 202, map[string]any{"full_name": to}
}

// Fork makes the forks that were asked for, and tells of each new folder.
func (s *Server) Fork(made func(bare string)) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, x := range s.Forks {
		from, to, _ := strings.Cut(x, " ")
		if _, err := os.Stat(s.Bare(to)); err != nil {
			s.Git(".", "clone", "-q", "--bare", s.Bare(from), s.Bare(to))
			made(s.Bare(to))
		}
	}
}

// sync brings a branch of a fork to where it is upstream: in the other repository
// of that name.
func (s *Server) sync(r *http.Request) (int, any) {
	var in struct{ Branch string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	fork := s.Bare(r.PathValue("o") + "/" + r.PathValue("r"))
	all, _ := filepath.Glob(filepath.Join(s.Dir, "*", r.PathValue("r")+".git"))
	for _, from := range all {
		if from != fork {
			s.Git(fork, "fetch", "-q", from, in.Branch+":"+in.Branch)
			return 200, map[string]any{"merge_type": "fast-forward", "base_branch": in.Branch}
		}
	}
	return missing()
}

// Head is the commit of a branch; "" = it is not there.
func (s *Server) Head(repo, branch string) string {
	ref := "refs/heads/" + branch
	if data, err := os.ReadFile(filepath.Join(s.Bare(repo), filepath.FromSlash(ref))); err == nil {
		return strings.TrimSpace(string(data))
	}
	packed, _ := os.ReadFile(filepath.Join(s.Bare(repo), "packed-refs"))
	for line := range strings.Lines(string(packed)) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return hash
		}
	}
	return ""
}
