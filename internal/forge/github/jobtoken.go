package github

import (
	"context"
	"net/http"
	"strings"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// jobLogin is whom the token of a job of GitHub Actions belongs to.
const jobLogin = "github-actions[bot]"

// JobToken implements forge.JobTokenReader, by GraphQL's viewer: GET /user has
// no answer for the token of an app, which a job's is. A server without GraphQL
// does not tell.
func (g *Client) JobToken(ctx context.Context) (bool, error) {
	req, err := g.api.NewRequest(http.MethodPost, g.graphql(), map[string]string{"query": "{viewer{login}}"})
	if err != nil {
		return false, err
	}
	var answer struct {
		Data struct {
			Viewer struct {
				Login string `json:"login"`
			} `json:"viewer"`
		} `json:"data"`
	}
	_, err = g.api.Do(ctx, req, &answer)
	if err = failed(err); wire.InTransit(err) || ctx.Err() != nil {
		return false, err
	}
	return err == nil && answer.Data.Viewer.Login == jobLogin, nil
}

// graphql is the address of GraphQL, relative to that of REST: beside /api/v3 on a
// server of one's own, below the host at github.com.
func (g *Client) graphql() string {
	if strings.HasSuffix(g.api.BaseURL.Path, "/api/v3/") {
		return "../graphql"
	}
	return "graphql"
}
