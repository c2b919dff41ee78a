package release

import (
	"context"
	"fmt"

	"github.com/google/go-github/v60/github"
)

// An Issue is an issue of a forge.
type Issue struct {
	Number int
	Title  string
	Body   string
	URL    string
	Open   bool
}

// A Comment is a comment on an issue.
type Comment struct {
	URL  string
	By   string // login of who wrote it
	Body string
}

// An IssueReader is a forge that has issues.
type IssueReader interface {
	// Issue is one issue, or ErrNotFound.
	Issue(ctx context.Context, repo string, number int) (Issue, error)
	// OpenIssues are the open ones, newest first.
	OpenIssues(ctx context.Context, repo string) ([]Issue, error)
	// Comments are all comments on an issue, oldest first.
	Comments(ctx context.Context, repo string, number int) ([]Comment, error)
}

// An IssueWriter comments on issues.
type IssueWriter interface {
	Comment(ctx context.Context, repo string, number int, body string) (Comment, error)
}

// Issue implements IssueReader.
func (g *GitHub) Issue(ctx context.Context, repo string, number int) (Issue, error) {
	owner, name := split(repo)
	i, _, err := g.api.Issues.Get(ctx, owner, name, number)
	if err != nil {
		return Issue{}, failed(err)
	}
	return issueOf(i), nil
}

func issueOf(i *github.Issue) Issue {
	return Issue{Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), URL: i.GetHTMLURL(), Open: i.GetState() == "open"}
}

// OpenIssues implements IssueReader. Pull requests, which GitHub lists too, are
// left out.
func (g *GitHub) OpenIssues(ctx context.Context, repo string) ([]Issue, error) {
	owner, name := split(repo)
	list, _, err := g.api.Issues.ListByRepo(ctx, owner, name, &github.IssueListByRepoOptions{
		State: "open", Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: 100}})
	if err != nil {
		return nil, failed(err)
	}
	var issues []Issue
	for _, i := range list {
		if !i.IsPullRequest() {
			issues = append(issues, issueOf(i))
		}
	}
	return issues, nil
}

// Comments implements IssueReader.
func (g *GitHub) Comments(ctx context.Context, repo string, number int) ([]Comment, error) {
	owner, name := split(repo)
	opts := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	var all []Comment
	for {
		list, res, err := g.api.Issues.ListComments(ctx, owner, name, number, opts)
		if err != nil {
			return nil, fmt.Errorf("comments of %s#%d: %w", repo, number, failed(err))
		}
		for _, c := range list {
			all = append(all, Comment{URL: c.GetHTMLURL(), By: c.GetUser().GetLogin(), Body: c.GetBody()})
		}
		if res.NextPage == 0 {
			return all, nil
		}
		opts.Page = res.NextPage
	}
}

// Comment implements IssueWriter.
func (g *GitHub) Comment(ctx context.Context, repo string, number int, body string) (Comment, error) {
	owner, name := split(repo)
	c, _, err := g.api.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	if err != nil {
		return Comment{}, failed(err)
	}
	return Comment{URL: c.GetHTMLURL(), By: c.GetUser().GetLogin(), Body: c.GetBody()}, nil
}
