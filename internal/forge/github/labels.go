package github

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// PullLabels implements forge.LabelReader: one request for 100 pull requests
// and issues.
func (g *Client) PullLabels(ctx context.Context, repo string, since time.Time) (map[string][]string, error) {
	owner, name := forge.Split(repo)
	opts := &github.IssueListByRepoOptions{State: "closed", Since: since, ListOptions: github.ListOptions{PerPage: 100}}
	labels := map[string][]string{}
	err := eachPage(&opts.ListOptions, func() (int, *github.Response, error) {
		list, res, err := g.api.Issues.ListByRepo(ctx, owner, name, opts)
		if err != nil {
			return 0, nil, fmt.Errorf("labels of the pull requests of %s: %w", repo, failed(err))
		}
		for _, i := range list {
			for _, l := range i.Labels {
				if number := strconv.Itoa(i.GetNumber()); i.IsPullRequest() {
					labels[number] = append(labels[number], l.GetName())
				}
			}
		}
		return len(list), res, nil
	})
	return labels, err
}
