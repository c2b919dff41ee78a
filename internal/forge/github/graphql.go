package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// standingsQuery asks for many pull requests at once.
const standingsQuery = `query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      id number url state mergeable reviewDecision headRefOid
      commits(last: 1) { nodes { commit { statusCheckRollup { state } } } }
    }
  }
}`

// Standings are how pull requests stand, by their Node, 100 at most; those
// that are gone are left out.
func (g *Client) Standings(ctx context.Context, nodes []string) ([]forge.Standing, error) {
	var data struct {
		Nodes []*graphPull `json:"nodes"`
	}
	if err := g.graph(ctx, standingsQuery, map[string]any{"ids": nodes}, &data); err != nil {
		return nil, err
	}
	var list []forge.Standing
	for _, n := range data.Nodes {
		if n != nil && n.ID != "" {
			list = append(list, n.standing())
		}
	}
	return list, nil
}

// A graphPull is a pull request as GraphQL has it.
type graphPull struct {
	ID        string `json:"id"`
	Number    int    `json:"number"`
	URL       string `json:"url"`
	State     string `json:"state"` // OPEN, CLOSED, MERGED
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

func (n *graphPull) standing() forge.Standing {
	s := forge.Standing{Conflicts: n.Mergeable == "CONFLICTING", Review: strings.ToLower(n.Review),
		Pull: forge.Pull{Number: n.Number, Node: n.ID, URL: n.URL, Head: n.Head, Open: n.State == "OPEN", Merged: n.State == "MERGED"}}
	for _, c := range n.Commits.Nodes {
		if c.Commit.Rollup == nil {
			continue
		}
		switch c.Commit.Rollup.State {
		case "SUCCESS":
			s.Checks = forge.CheckPassed
		case "FAILURE", "ERROR":
			s.Checks = forge.CheckFailed
		default:
			s.Checks = forge.CheckQueued // EXPECTED, PENDING
		}
	}
	return s
}

// commitQuery makes a commit of files.
const commitQuery = `mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`

// Commit makes a commit on a branch, which must be at its base, and is its
// hash. The commit is signed by GitHub's key.
func (g *Client) Commit(ctx context.Context, repo string, c forge.NewCommit) (string, error) {
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
	input := map[string]any{"branch": map[string]string{"repositoryNameWithOwner": repo, "branchName": c.Branch}, "expectedHeadOid": c.Base,
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

// graph asks GraphQL. An error of a mutation is a refusal, which REST would tell
// with 422; that a node is gone is none: it is null.
func (g *Client) graph(ctx context.Context, query string, variables map[string]any, data any) error {
	out := struct {
		Data   any `json:"data"`
		Errors []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"errors"`
	}{Data: data}
	req, err := g.api.NewRequest(http.MethodPost, g.graphql(), map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	if _, err := g.api.Do(ctx, req, &out); err != nil {
		return failed(err)
	}
	host := g.api.BaseURL.Host
	for _, e := range out.Errors {
		switch {
		case e.Type == "RATE_LIMITED":
			return &wire.RateError{Host: host, Until: g.queue.Now().Add(time.Hour)}
		case strings.Contains(e.Message, tooQuickly):
			return &wire.RateError{Host: host, Secondary: true}
		case strings.HasPrefix(query, "mutation"):
			return &forge.Error{Op: opOf(req), Status: http.StatusUnprocessableEntity, Text: e.Message}
		case e.Type != "NOT_FOUND":
			return fmt.Errorf("graphql: %s", e.Message)
		}
	}
	return nil
}

// tooQuickly is in the text of a secondary limit that comes with 422.
const tooQuickly = "submitted too quickly"

// graphql is the address of GraphQL, relative to that of REST: next to /api/v3 on a
// server of one's own, below the host at github.com.
func (g *Client) graphql() string {
	if strings.HasSuffix(g.api.BaseURL.Path, "/v3/") {
		return "../graphql"
	}
	return "graphql"
}

// jobLogin is whom the token of a job of GitHub Actions belongs to.
const jobLogin = "github-actions[bot]"

// JobToken implements forge.JobTokenReader, by GraphQL's viewer: GET /user has
// no answer for the token of an app, which a job's is. A server without GraphQL
// does not tell.
func (g *Client) JobToken(ctx context.Context) (bool, error) {
	var data struct {
		Viewer struct {
			Login string `json:"login"`
		} `json:"viewer"`
	}
	err := g.graph(ctx, "{viewer{login}}", nil, &data)
	if wire.InTransit(err) || ctx.Err() != nil {
		return false, err
	}
	return err == nil && data.Viewer.Login == jobLogin, nil
}
