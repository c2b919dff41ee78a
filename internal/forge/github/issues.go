package github

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// Comments are the texts of all comments on a pull request, oldest first.
func (g *Client) Comments(ctx context.Context, repo string, number int) ([]string, error) {
	owner, name := forge.Split(repo)
	opts := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	var all []string
	err := each(&opts.ListOptions, func() ([]*github.IssueComment, *github.Response, error) {
		return g.api.Issues.ListComments(ctx, owner, name, number, opts)
	}, func(c *github.IssueComment) bool {
		all = append(all, c.GetBody())
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("comments of %s#%d: %w", repo, number, err)
	}
	return all, nil
}

// Comment comments on a pull request.
func (g *Client) Comment(ctx context.Context, repo string, number int, body string) error {
	owner, name := forge.Split(repo)
	_, _, err := g.api.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	return failed(err)
}

// PullLabels implements forge.LabelReader: one request for 100 pull requests
// and issues.
func (g *Client) PullLabels(ctx context.Context, repo string, since time.Time) (map[string][]string, error) {
	owner, name := forge.Split(repo)
	opts := &github.IssueListByRepoOptions{State: "closed", Since: since, ListOptions: github.ListOptions{PerPage: 100}}
	labels := map[string][]string{}
	err := each(&opts.ListOptions, func() ([]*github.Issue, *github.Response, error) {
		return g.api.Issues.ListByRepo(ctx, owner, name, opts)
	}, func(i *github.Issue) bool {
		for _, l := range i.Labels {
			if number := strconv.Itoa(i.GetNumber()); i.IsPullRequest() {
				labels[number] = append(labels[number], l.GetName())
			}
		}
		return false
	})
	if err != nil {
		return nil, fmt.Errorf("labels of the pull requests of %s: %w", repo, err)
	}
	return labels, nil
}
