package gitea

import (
	"context"
	"fmt"
	"net/http"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// An issue is one as the API has it.
type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	URL    string `json:"html_url"`
	State  string `json:"state"`
}

func (i issue) forge() forge.Issue {
	return forge.Issue{Number: i.Number, Title: i.Title, Body: i.Body, URL: i.URL, Open: i.State == "open"}
}

// A comment is one as the API has it.
type comment struct {
	URL  string `json:"html_url"`
	Body string `json:"body"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
}

func (m comment) forge() forge.Comment {
	return forge.Comment{URL: m.URL, By: m.User.Login, Body: m.Body}
}

// Issue implements forge.IssueReader.
func (c *Client) Issue(ctx context.Context, repo string, number int) (forge.Issue, error) {
	var i issue
	err := c.do(ctx, http.MethodGet, repoPath(repo, "issues", fmt.Sprint(number)), nil, &i)
	return i.forge(), err
}

// OpenIssues implements forge.IssueReader: the newest page.
func (c *Client) OpenIssues(ctx context.Context, repo string) ([]forge.Issue, error) {
	var list []issue
	err := c.do(ctx, http.MethodGet, repoPath(repo, "issues")+fmt.Sprintf("?state=open&type=issues&limit=%d", pageSize), nil, &list)
	var issues []forge.Issue
	for _, i := range list {
		issues = append(issues, i.forge())
	}
	return issues, err
}

// Comments implements forge.IssueReader. The server lists all of them at once.
func (c *Client) Comments(ctx context.Context, repo string, number int) ([]forge.Comment, error) {
	var list []comment
	err := c.do(ctx, http.MethodGet, repoPath(repo, "issues", fmt.Sprint(number), "comments"), nil, &list)
	var comments []forge.Comment
	for _, m := range list {
		comments = append(comments, m.forge())
	}
	return comments, err
}

// Comment implements forge.IssueWriter.
func (c *Client) Comment(ctx context.Context, repo string, number int, body string) (forge.Comment, error) {
	var made comment
	err := c.do(ctx, http.MethodPost, repoPath(repo, "issues", fmt.Sprint(number), "comments"), map[string]string{"body": body}, &made)
	return made.forge(), err
}
