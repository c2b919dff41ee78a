package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// Issue implements forge.IssueReader.
func (g *Client) Issue(ctx context.Context, repo string, number int) (forge.Issue, error) {
	owner, name := forge.Split(repo)
	i, _, err := g.api.Issues.Get(ctx, owner, name, number)
	return issueOf(i), failed(err)
}

func issueOf(i *github.Issue) forge.Issue {
	return forge.Issue{Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), URL: i.GetHTMLURL(), Open: i.GetState() == "open"}
}

// OpenIssues implements forge.IssueReader. Pull requests, which GitHub lists too, are
// left out.
func (g *Client) OpenIssues(ctx context.Context, repo string) ([]forge.Issue, error) {
	owner, name := forge.Split(repo)
	list, _, err := g.api.Issues.ListByRepo(ctx, owner, name, &github.IssueListByRepoOptions{
		State: "open", Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: 100}})
	if err != nil {
		return nil, failed(err)
	}
	var issues []forge.Issue
	for _, i := range list {
		if !i.IsPullRequest() {
			issues = append(issues, issueOf(i))
		}
	}
	return issues, nil
}

// Comments implements forge.IssueReader.
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

// Comment implements forge.IssueWriter.
func (g *Client) Comment(ctx context.Context, repo string, number int, body string) (forge.Comment, error) {
	owner, name := forge.Split(repo)
	c, _, err := g.api.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	return forge.Comment{URL: c.GetHTMLURL(), By: c.GetUser().GetLogin(), Body: c.GetBody()}, failed(err)
}
