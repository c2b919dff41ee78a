package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// Comments implements forge.Fleet.
func (g *Client) Comments(ctx context.Context, repo string, number int) ([]forge.Comment, error) {
	owner, name := forge.Split(repo)
	opts := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	var all []forge.Comment
	err := eachPage(&opts.ListOptions, func() (int, *github.Response, error) {
		list, res, err := g.api.Issues.ListComments(ctx, owner, name, number, opts)
		if err != nil {
			return 0, nil, fmt.Errorf("comments of %s#%d: %w", repo, number, failed(err))
		}
		for _, c := range list {
			all = append(all, forge.Comment{URL: c.GetHTMLURL(), By: c.GetUser().GetLogin(), Body: c.GetBody()})
		}
		return len(list), res, nil
	})
	return all, err
}

// Comment implements forge.Fleet.
func (g *Client) Comment(ctx context.Context, repo string, number int, body string) (forge.Comment, error) {
	owner, name := forge.Split(repo)
	c, _, err := g.api.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	return forge.Comment{URL: c.GetHTMLURL(), By: c.GetUser().GetLogin(), Body: c.GetBody()}, failed(err)
}
