package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// GitHub is a Forge over GitHub's REST and GraphQL. Requests pass its queue,
// which keeps their distance and obeys the limits; what it has no patience for
// is a LimitError.
type GitHub struct {
	API   string        // "https://api.github.com"
	Token func() string // asked at each request; "" = what is public can be read
	Queue *wire.Queue
}

// A reply is what the API answered to one request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// do sends one request to a path of the API.
func (g *GitHub) do(ctx context.Context, method, path string, in any) (reply, error) {
	return g.send(ctx, method, strings.TrimSuffix(g.API, "/")+path, in)
}

func (g *GitHub) send(ctx context.Context, method, to string, in any) (reply, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return reply{}, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, to, body)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	token := ""
	if g.Token != nil {
		token = g.Token()
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: g.Queue}
	res, err := client.Do(req)
	var limit *wire.RateError
	if errors.As(err, &limit) {
		return reply{}, &LimitError{Secondary: method == http.MethodPost, After: limit.Until.Sub(g.Queue.Now())}
	}
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	if err := errors.Join(wire.WantJSON(res), wire.WithoutToken(res, token)); err != nil {
		return reply{}, err
	}
	out := reply{status: res.StatusCode, header: res.Header}
	if out.body, err = io.ReadAll(res.Body); err != nil {
		return reply{}, err
	}
	if err := out.failure(); err != nil {
		return out, fmt.Errorf("%s %s: %w", method, req.URL.Path, err)
	}
	return out, nil
}

// failure is what an answer means that is no success.
func (r reply) failure() error {
	if r.status < 300 {
		return nil
	}
	var said struct {
		Message string `json:"message"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	spoke := json.Unmarshal(r.body, &said) == nil // else the status is all that is known
	text := said.Message
	for _, e := range said.Errors {
		if e.Message != "" {
			text += ": " + e.Message
		}
	}
	text = oneLine(fmt.Sprintf("%d: %s", r.status, text))
	switch {
	case (r.status == http.StatusNotFound || r.status == http.StatusGone) && !spoke:
		return &wire.TransitError{Err: fmt.Errorf("%d, and not from an API", r.status)} // a proxy's: it says nothing of what was asked for
	case r.status == http.StatusNotFound || r.status == http.StatusGone:
		return ErrAbsent
	case strings.Contains(text, "submitted too quickly"):
		return &LimitError{Secondary: true}
	case strings.Contains(text, "pull request already exists"):
		return fmt.Errorf("%s: %w", text, ErrExists)
	case r.status >= 500:
		return &wire.TransitError{Err: errors.New(text)}
	}
	return &RefusedError{text}
}

// get reads a path of the API into v.
func (g *GitHub) get(ctx context.Context, path string, v any) error {
	r, err := g.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// apiRepository is a repository as the API has it.
type apiRepository struct {
	ID       int64    `json:"id"`
	Name     string   `json:"full_name"`
	Branch   string   `json:"default_branch"`
	Size     int64    `json:"size"`
	Archived bool     `json:"archived"`
	Disabled bool     `json:"disabled"`
	Fork     bool     `json:"fork"`
	Template bool     `json:"is_template"`
	Mirror   string   `json:"mirror_url"`
	Topics   []string `json:"topics"`
}

func (r apiRepository) info() (RepositoryInfo, error) {
	if !validName(r.Name) || r.ID <= 0 {
		return RepositoryInfo{}, fmt.Errorf("the forge answered a repository %q with the number %d", r.Name, r.ID)
	}
	return RepositoryInfo{ID: r.ID, Name: r.Name, Branch: r.Branch, Size: r.Size, Archived: r.Archived, Disabled: r.Disabled, Fork: r.Fork, Template: r.Template,
		Mirror: r.Mirror != "", Topics: r.Topics}, nil
}

// pageSize is the most that the API lists at once.
const pageSize = 100

// List lists an organisation, or a user where there is no such organisation.
func (g *GitHub) List(ctx context.Context, owner string) ([]RepositoryInfo, error) {
	if !isName(owner) {
		return nil, fmt.Errorf("%q is not the name of an organisation", owner)
	}
	list, err := g.list(ctx, "/orgs/"+owner+"/repos?type=all")
	if errors.Is(err, ErrAbsent) {
		list, err = g.list(ctx, "/users/"+owner+"/repos?type=owner")
	}
	return list, err
}

func (g *GitHub) list(ctx context.Context, path string) ([]RepositoryInfo, error) {
	var all []RepositoryInfo
	for page := 1; ; page++ {
		var list []apiRepository
		if err := g.get(ctx, fmt.Sprintf("%s&sort=full_name&per_page=%d&page=%d", path, pageSize, page), &list); err != nil {
			return nil, err
		}
		for _, r := range list {
			info, err := r.info()
			if err != nil {
				return nil, err
			}
			all = append(all, info)
		}
		if len(list) < pageSize {
			return all, nil
		}
	}
}

// Named looks up a repository by its name.
func (g *GitHub) Named(ctx context.Context, name string) (RepositoryInfo, error) {
	if !validName(name) {
		return RepositoryInfo{}, fmt.Errorf("%q is not OWNER/NAME", name)
	}
	return g.one(ctx, "/repos/"+name)
}

// ByID looks up a repository by its number, whatever it is called by now.
func (g *GitHub) ByID(ctx context.Context, id int64) (RepositoryInfo, error) {
	return g.one(ctx, "/repositories/"+strconv.FormatInt(id, 10))
}

func (g *GitHub) one(ctx context.Context, path string) (RepositoryInfo, error) {
	var r apiRepository
	if err := g.get(ctx, path, &r); err != nil {
		return RepositoryInfo{}, err
	}
	return r.info()
}

// apiPull is a pull request as REST has it.
type apiPull struct {
	Number int    `json:"number"`
	Node   string `json:"node_id"`
	URL    string `json:"html_url"`
	State  string `json:"state"`
	Merged string `json:"merged_at"`
	Head   struct {
		SHA string `json:"sha"`
		Ref string `json:"ref"`
	} `json:"head"`
}

func (p apiPull) pull() Pull {
	state := p.State
	if p.Merged != "" {
		state = "merged"
	}
	return Pull{Number: p.Number, Node: p.Node, URL: p.URL, Head: p.Head.SHA, State: state}
}

// Pulls lists the pull requests of a branch.
func (g *GitHub) Pulls(ctx context.Context, name, branch string) ([]Pull, error) {
	owner, _, _ := strings.Cut(name, "/")
	var list []apiPull
	query := url.Values{"state": {"all"}, "head": {owner + ":" + branch}, "sort": {"created"}, "direction": {"desc"}, "per_page": {"100"}}
	if err := g.get(ctx, "/repos/"+name+"/pulls?"+query.Encode(), &list); err != nil {
		return nil, err
	}
	var pulls []Pull
	for _, p := range list {
		if p.Head.Ref == branch { // servers that do not know the filter send all
			pulls = append(pulls, p.pull())
		}
	}
	return pulls, nil
}

// Contains asks how two commits lie to each other.
func (g *GitHub) Contains(ctx context.Context, name, base, head string) (bool, error) {
	var c struct {
		Status string `json:"status"`
	}
	err := g.get(ctx, "/repos/"+name+"/compare/"+base+"..."+head+"?per_page=1", &c)
	if errors.Is(err, ErrAbsent) {
		return false, nil // one of them is gone
	}
	return c.Status == "ahead" || c.Status == "identical", err
}

// Create opens a pull request.
func (g *GitHub) Create(ctx context.Context, name string, n NewPull) (Pull, error) {
	r, err := g.do(ctx, http.MethodPost, "/repos/"+name+"/pulls", map[string]any{"title": n.Title, "body": n.Body, "head": n.Branch, "base": n.Base, "maintainer_can_modify": true})
	if err != nil {
		return Pull{}, err
	}
	var p apiPull
	if err := json.Unmarshal(r.body, &p); err != nil || p.Number == 0 {
		return Pull{}, &wire.TransitError{Err: errors.New("the forge answered no pull request")}
	}
	return p.pull(), nil
}

// Scopes are those of a classic token; those of apps and fine-grained tokens
// are not told.
// Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func (g *GitHub) Scopes(ctx context.Context) ([]string, error) {
	r, err := g.do(ctx, http.MethodGet, "/rate_limit", nil) // every token may, and it costs nothing
	if err != nil && !(errors.Is(err, ErrAbsent) && r.unlimited()) {
		return nil, err
	}
	said, there := r.header[http.CanonicalHeaderKey("X-OAuth-Scopes")]
	if !there || strings.Join(said, "") == "" {
		return nil, nil
	}
	scopes := []string{}
	for s := range strings.SplitSeq(strings.Join(said, ","), ",") {
		scopes = append(scopes, strings.TrimSpace(s))
	}
	return scopes, nil
}

// unlimited says whether an answer is that of a GitHub Enterprise Server without
// rate limits, as it comes: it has no /rate_limit, and tells scopes nevertheless.
// Source: https://docs.github.com/en/enterprise-server@latest/admin/configuring-settings/configuring-user-applications-for-your-enterprise/configuring-rate-limits
func (r reply) unlimited() bool {
	return r.header.Get("X-GitHub-Enterprise-Version") != "" || strings.Contains(strings.ToLower(string(r.body)), "rate limiting is not enabled")
}

// lookQuery asks for many pull requests at once.
const lookQuery = `query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      id number url state mergeable reviewDecision headRefOid
      commits(last: 1) { nodes { commit { statusCheckRollup { state } } } }
    }
  }
}`

// Look asks GraphQL, once for up to a hundred.
func (g *GitHub) Look(ctx context.Context, nodes []string) ([]Pull, error) {
	var data struct {
		Nodes []*graphPull `json:"nodes"`
	}
	if err := g.graph(ctx, lookQuery, map[string]any{"ids": nodes}, &data); err != nil {
		return nil, err
	}
	var list []Pull
	for _, n := range data.Nodes {
		if n != nil && n.ID != "" {
			list = append(list, n.pull())
		}
	}
	return list, nil
}

// commitQuery makes a commit of files.
const commitQuery = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

// Commit asks GraphQL for a commit, which is signed by GitHub's key.
func (g *GitHub) Commit(ctx context.Context, name string, c NewCommit) (string, error) {
	type file struct {
		Path     string `json:"path"`
		Contents []byte `json:"contents,omitempty"` // Base64, as encoding/json has bytes
	}
	headline, body, _ := strings.Cut(c.Message, "\n")
	changes := map[string][]file{}
	for _, a := range c.Add {
		changes["additions"] = append(changes["additions"], file{a.Path, a.Data})
	}
	for _, path := range c.Delete {
		changes["deletions"] = append(changes["deletions"], file{Path: path})
	}
	input := map[string]any{"branch": map[string]string{"repositoryNameWithOwner": name, "branchName": c.Branch}, "expectedHeadOid": c.Base,
		"message": map[string]string{"headline": headline, "body": strings.TrimSpace(body)}, "fileChanges": changes}
	var data struct {
		Made struct {
			Commit struct {
				OID string `json:"oid"`
			} `json:"commit"`
		} `json:"createCommitOnBranch"`
	}
	err := g.graph(ctx, commitQuery, map[string]any{"input": input}, &data)
	return data.Made.Commit.OID, err
}

// graph asks GraphQL. An error of a mutation is a refusal; that a node is gone is
// none: it is null.
func (g *GitHub) graph(ctx context.Context, query string, variables map[string]any, data any) error {
	out := struct {
		Data   any `json:"data"`
		Errors []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"errors"`
	}{Data: data}
	r, err := g.send(ctx, http.MethodPost, g.graphURL(), map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.body, &out); err != nil {
		return fmt.Errorf("graphql: %w", err)
	}
	mutates := strings.HasPrefix(query, "mutation")
	for _, e := range out.Errors {
		text := oneLine(git.Redact(e.Message))
		switch {
		case e.Type == "RATE_LIMITED":
			return &LimitError{After: time.Hour}
		case strings.Contains(text, "submitted too quickly"):
			return &LimitError{Secondary: true}
		case mutates:
			return &RefusedError{text}
		case e.Type != "NOT_FOUND":
			return fmt.Errorf("graphql: %s", text)
		}
	}
	return nil
}

// graphURL is where GraphQL is: below the API, and beside REST in GitHub
// Enterprise Server, whose REST is below /api/v3.
func (g *GitHub) graphURL() string {
	return strings.TrimSuffix(strings.TrimSuffix(g.API, "/"), "/v3") + "/graphql"
}

// A graphPull is a pull request as GraphQL has it.
type graphPull struct {
	ID        string `json:"id"`
	Number    int    `json:"number"`
	URL       string `json:"url"`
	State     string `json:"state"`
	Mergeable string `json:"mergeable"`
	Review    string `json:"reviewDecision"`
	Head      string `json:"headRefOid"`
	Commits   struct {
		Nodes []struct {
			Commit struct {
				Rollup *struct {
					State string `json:"state"`
				} `json:"statusCheckRollup"`
			} `json:"commit"`
		} `json:"nodes"`
	} `json:"commits"`
}

func (n *graphPull) pull() Pull {
	p := Pull{Number: n.Number, Node: n.ID, URL: n.URL, Head: n.Head, State: strings.ToLower(n.State), Conflicts: n.Mergeable == "CONFLICTING", Review: strings.ToLower(n.Review)}
	for _, c := range n.Commits.Nodes {
		if c.Commit.Rollup == nil {
			continue
		}
		switch c.Commit.Rollup.State {
		case "SUCCESS":
			p.Checks = "success"
		case "FAILURE", "ERROR":
			p.Checks = "failure"
		default:
			p.Checks = "pending"
		}
	}
	return p
}
