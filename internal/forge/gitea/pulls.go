package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A pull is a pull request as the API has it.
type pull struct {
	Number      int     `json:"number"`
	URL         string  `json:"html_url"`
	State       string  `json:"state"`
	Merged      bool    `json:"merged"`
	MergeCommit *string `json:"merge_commit_sha"`
	Head        end     `json:"head"`
	Base        end     `json:"base"`
}

// An end is what a pull request comes from, or goes to.
type end struct {
	Ref  string `json:"ref"` // refs/pull/N/head once the branch is gone
	SHA  string `json:"sha"`
	Repo *struct {
		Name string `json:"full_name"`
	} `json:"repo"` // nil = it was deleted
	Label string `json:"label"` // the branch's name, also when it is gone
}

// from says whether the pull request comes from a branch of an owner.
func (p *pull) from(owner, branch string) bool {
	if p.Head.Label != branch && p.Head.Ref != branch || p.Head.Repo == nil {
		return false
	}
	of, _ := forge.Split(p.Head.Repo.Name)
	return strings.EqualFold(of, owner)
}

func (p *pull) forge() forge.Pull {
	out := forge.Pull{Number: p.Number, URL: p.URL, Head: p.Head.SHA, Base: p.Base.Ref, Open: p.State == "open", Merged: p.Merged}
	if p.Merged && p.MergeCommit != nil {
		out.MergeCommit = *p.MergeCommit
	}
	return out
}

// Pull implements forge.Reader. The server tells one pull request between two
// branches, and not the newest: an open one there is the newest, after a closed
// one those that are newer are looked through. Where there is none the open ones
// are, of which there are few.
func (c *Client) Pull(ctx context.Context, repo, head, base string) (forge.Pull, error) {
	owner, branch, _ := strings.Cut(head, ":")
	var one pull
	err := c.do(ctx, http.MethodGet, repoPath(repo, "pulls", base, head), nil, &one)
	if err != nil && !errors.Is(err, wire.ErrNotFound) {
		return forge.Pull{}, err
	}
	there := err == nil
	if there && one.State == "open" {
		return one.forge(), nil
	}
	state := "open"
	if there {
		state = "all"
	}
	var found, elsewhere *pull
	err = each(ctx, c, repoPath(repo, "pulls")+"?state="+state, func(p pull) bool { // newest first
		switch {
		case !p.from(owner, branch):
		case p.Base.Ref == base:
			found = &p
		case p.State == "open" && elsewhere == nil:
			elsewhere = &p
		}
		return found != nil || there && p.Number <= one.Number
	})
	switch {
	case err != nil && !errors.Is(err, wire.ErrNotFound):
		return forge.Pull{}, err
	case found != nil:
		return found.forge(), nil
	case there:
		return one.forge(), nil
	case elsewhere != nil:
		return elsewhere.forge(), nil
	}
	return forge.Pull{}, fmt.Errorf("pull request from %s in %s: %w", head, repo, wire.ErrNotFound)
}

// PullNumbered implements forge.Reader.
func (c *Client) PullNumbered(ctx context.Context, repo string, number int) (forge.Pull, error) {
	var one pull
	err := c.do(ctx, http.MethodGet, repoPath(repo, "pulls", fmt.Sprint(number)), nil, &one)
	return one.forge(), err
}

// CreatePull implements forge.Writer.
func (c *Client) CreatePull(ctx context.Context, repo, head, base, title, body string) (forge.Pull, error) {
	var made pull
	owner, _ := forge.Split(repo)
	if own, branch, _ := strings.Cut(head, ":"); strings.EqualFold(own, owner) {
		head = branch // of the repository itself
	}
	err := c.do(ctx, http.MethodPost, repoPath(repo, "pulls"), map[string]any{"head": head, "base": base, "title": title, "body": body, "allow_maintainer_edit": true}, &made)
	return forge.Made(made.forge(), err)
}

// ClosePull implements forge.Writer.
func (c *Client) ClosePull(ctx context.Context, repo string, number int) error {
	return c.do(ctx, http.MethodPatch, repoPath(repo, "pulls", fmt.Sprint(number)), map[string]string{"state": "closed"}, nil)
}
