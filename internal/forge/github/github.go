// Package github is the forge at github.com, of GitHub Enterprise, and of what
// speaks their API.
package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Client is the forge at github.com, of a GitHub Enterprise server, or of an
// emulator. The token is known to it alone.
type Client struct {
	api   *github.Client
	queue *wire.Queue
}

// New returns a client of the API at base. Requests pass through queue. The token is
// asked for at each request, since those of apps live for an hour; it may be empty for
// reading what is public.
func New(base string, token func() string, queue *wire.Queue) (*Client, error) {
	u, err := url.Parse(strings.TrimSuffix(base, "/") + "/")
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("forge API %q is no URL", base)
	}
	client := github.NewClient(&http.Client{Transport: unpaced{&wire.Bearer{Token: token, Base: u, Next: queue}}})
	client.BaseURL, client.UploadURL, client.UserAgent = u, u, "cfctl"
	return &Client{client, queue}, nil
}

// unpaced keeps from the library what the queue obeys: it would refuse to ask
// until a limit is over, by the clock of this machine, where the queue waits.
type unpaced struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (u unpaced) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := u.next.RoundTrip(req)
	if err == nil {
		for _, name := range []string{"X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"} {
			res.Header.Del(name)
		}
	}
	return res, err
}

// failed translates go-github's errors: 404 is ErrNotFound, 422 of what is there
// already ErrExists, 5xx and what broke on the way are TransitErrors, limits
// RateErrors.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if rate, ok := errors.AsType[*wire.RateError](err); ok {
		return rate
	}
	if unusable, ok := errors.AsType[*wire.AnswerError](err); ok {
		err = unusable // it names method and URL itself
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		if limit, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
			return &wire.RateError{Host: limit.Response.Request.URL.Host, Secondary: true}
		}
		if wire.InTransit(err) {
			return &wire.TransitError{Err: err}
		}
		return err
	}
	req := answer.Response.Request
	e := &forge.Error{Op: opOf(req), Status: answer.Response.StatusCode, Text: answer.Message}
	for _, detail := range answer.Errors {
		if detail.Message != "" {
			e.Text += "; " + detail.Message
		}
	}
	switch {
	case e.Status == http.StatusUnprocessableEntity && strings.Contains(e.Text, tooQuickly):
		return &wire.RateError{Host: req.URL.Host, Secondary: true}
	case e.Status == http.StatusNotFound:
		e.Err = wire.ErrNotFound
	case e.Status == http.StatusUnprocessableEntity && strings.Contains(e.Text, "already exists"):
		e.Err = forge.ErrExists
	case e.Status >= 500:
		return &wire.TransitError{Err: e}
	}
	return e
}

// Account implements forge.Reader.
func (g *Client) Account(ctx context.Context) (forge.Account, error) {
	user, res, err := g.api.Users.Get(ctx, "")
	if err != nil {
		return forge.Account{}, failed(err)
	}
	return forge.Account{Login: user.GetLogin(), Scopes: scopesOf(res.Header)}, nil
}

// Repository implements forge.Reader.
func (g *Client) Repository(ctx context.Context, repo string) (forge.Repository, error) {
	owner, name := forge.Split(repo)
	r, _, err := g.api.Repositories.Get(ctx, owner, name)
	if err != nil {
		return forge.Repository{}, failed(err)
	}
	return repositoryOf(r), nil
}

// classic is the branch protection of a branch.
func (g *Client) classic(ctx context.Context, repo, branch string) (forge.Protection, error) {
	owner, name := forge.Split(repo)
	p, _, err := g.api.Repositories.GetBranchProtection(ctx, owner, name, branch)
	err = failed(err)
	switch {
	case errors.Is(err, github.ErrBranchNotProtected):
		return forge.Protection{}, nil
	case errors.Is(err, wire.ErrNotFound), forge.Refused(err, http.StatusForbidden):
		return g.summary(ctx, repo, branch)
	case err != nil:
		return forge.Protection{}, err
	}
	out := forge.Protection{Protected: true, Signatures: p.GetRequiredSignatures().GetEnabled()}
	if r := p.GetRequiredPullRequestReviews(); r != nil {
		out.Reviews, out.Owners = r.RequiredApprovingReviewCount, r.RequireCodeOwnerReviews
	}
	if c := p.GetRequiredStatusChecks(); c != nil {
		out.Strict = c.Strict
		for _, check := range c.GetChecks() {
			out.Want(required(check.Context, check.AppID))
		}
		for _, name := range c.GetContexts() {
			if !slices.Contains(out.Checks, name) {
				out.Want(forge.RequiredCheck{Name: name})
			}
		}
	}
	return out, nil
}

// get reads what the library has no words for.
func (g *Client) get(ctx context.Context, path string, out any) error {
	req, err := g.api.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = g.api.Do(ctx, req, out)
	return failed(err)
}

// Pull implements forge.Reader.
func (g *Client) Pull(ctx context.Context, repo, head, base string) (forge.Pull, error) {
	owner, name := forge.Split(repo)
	list, _, err := g.api.PullRequests.List(ctx, owner, name, &github.PullRequestListOptions{
		State: "all", Head: head, Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: 30}})
	if err != nil {
		return forge.Pull{}, failed(err)
	}
	_, branch, _ := strings.Cut(head, ":")
	var elsewhere *github.PullRequest
	for _, p := range list {
		if p.GetHead().GetRef() != branch { // a server that does not know the filter lists all
			continue
		}
		if to := p.GetBase().GetRef(); to == base || to == "" {
			return pullOf(p), nil
		}
		if elsewhere == nil && p.GetState() == "open" {
			elsewhere = p
		}
	}
	if elsewhere != nil {
		return pullOf(elsewhere), nil
	}
	return forge.Pull{}, fmt.Errorf("pull request from %s in %s: %w", head, repo, wire.ErrNotFound)
}

// PullNumbered implements forge.Reader.
func (g *Client) PullNumbered(ctx context.Context, repo string, number int) (forge.Pull, error) {
	owner, name := forge.Split(repo)
	p, _, err := g.api.PullRequests.Get(ctx, owner, name, number)
	return pullOf(p), failed(err)
}

func pullOf(p *github.PullRequest) forge.Pull {
	return forge.Pull{
		Number: p.GetNumber(), Node: p.GetNodeID(), URL: p.GetHTMLURL(), Head: p.GetHead().GetSHA(), Base: p.GetBase().GetRef(), Open: p.GetState() == "open",
		Merged: !p.GetMergedAt().IsZero(), MergeCommit: p.GetMergeCommitSHA(),
	}
}

// Release implements forge.Reader. Drafts are only in the list of releases.
func (g *Client) Release(ctx context.Context, repo, tag string) (forge.Release, error) {
	owner, name := forge.Split(repo)
	opts := &github.ListOptions{PerPage: 100}
	var found *github.RepositoryRelease
	err := each(opts, func() ([]*github.RepositoryRelease, *github.Response, error) {
		return g.api.Repositories.ListReleases(ctx, owner, name, opts)
	}, func(r *github.RepositoryRelease) bool {
		if r.GetTagName() == tag {
			found = r
		}
		return found != nil
	})
	switch {
	case errors.Is(err, wire.ErrNotFound):
		return forge.Release{}, errors.New(repo + " has no list of releases, or not for this token: " + err.Error()) // which is no list without this one
	case err != nil:
		return forge.Release{}, err
	case found == nil:
		return forge.Release{}, fmt.Errorf("release %s of %s: %w", tag, repo, wire.ErrNotFound)
	}
	return releaseOf(found), nil
}

// each visits the items of a list, while the server names a next page, until visit
// says that it is enough.
func each[T any](opts *github.ListOptions, read func() ([]T, *github.Response, error), visit func(T) (enough bool)) error {
	var pages wire.Pages
	for {
		items, res, err := read()
		if err != nil || slices.ContainsFunc(items, visit) || res.NextPage == 0 {
			return failed(err)
		}
		if err := pages.Next(strconv.Itoa(res.NextPage), len(items)); err != nil {
			return fmt.Errorf("GET %s: %w", res.Request.URL.Redacted(), err)
		}
		opts.Page = res.NextPage
	}
}

func releaseOf(r *github.RepositoryRelease) forge.Release {
	return forge.Release{
		ID: r.GetID(), Tag: r.GetTagName(), Target: r.GetTargetCommitish(), Name: r.GetName(), Body: r.GetBody(),
		Draft: r.GetDraft(), Pre: r.GetPrerelease(), URL: r.GetHTMLURL(), Published: r.GetPublishedAt().Time,
	}
}

// LatestRelease implements forge.Reader.
func (g *Client) LatestRelease(ctx context.Context, repo string) (string, error) {
	owner, name := forge.Split(repo)
	r, _, err := g.api.Repositories.GetLatestRelease(ctx, owner, name)
	return r.GetTagName(), failed(err)
}

// Runs implements forge.Reader.
func (g *Client) Runs(ctx context.Context, repo, workflow string) ([]forge.WorkflowRun, error) {
	owner, name := forge.Split(repo)
	list, _, err := g.api.Actions.ListWorkflowRunsByFileName(ctx, owner, name, workflow, &github.ListWorkflowRunsOptions{
		Event: "workflow_dispatch", ListOptions: github.ListOptions{PerPage: 50}})
	if err != nil {
		return nil, failed(err)
	}
	runs := lists.Of(list.WorkflowRuns, runOf)
	return runs, nil
}

// Run implements forge.Reader.
func (g *Client) Run(ctx context.Context, repo string, id int64) (forge.WorkflowRun, error) {
	owner, name := forge.Split(repo)
	r, _, err := g.api.Actions.GetWorkflowRunByID(ctx, owner, name, id)
	return runOf(r), failed(err)
}

func runOf(r *github.WorkflowRun) forge.WorkflowRun {
	return forge.WorkflowRun{
		ID: r.GetID(), Workflow: r.GetName(), Status: r.GetStatus(), Conclusion: r.GetConclusion(), URL: r.GetHTMLURL(), Title: r.GetDisplayTitle(),
		Actor: r.GetActor().GetLogin(), Branch: r.GetHeadBranch(), Head: r.GetHeadSHA(),
	}
}

// CreatePull implements forge.Writer.
func (g *Client) CreatePull(ctx context.Context, repo, head, base, title, body string) (forge.Pull, error) {
	owner, name := forge.Split(repo)
	p, _, err := g.api.PullRequests.Create(ctx, owner, name, &github.NewPullRequest{
		Title: &title, Head: &head, Base: &base, Body: &body, MaintainerCanModify: new(true)})
	return forge.Made(pullOf(p), failed(err))
}

// ClosePull implements forge.Writer.
func (g *Client) ClosePull(ctx context.Context, repo string, number int) error {
	owner, name := forge.Split(repo)
	_, _, err := g.api.PullRequests.Edit(ctx, owner, name, number, &github.PullRequest{State: new("closed")})
	return failed(err)
}

// EditPull sets the title and the text of a pull request.
func (g *Client) EditPull(ctx context.Context, repo string, number int, title, body string) error {
	owner, name := forge.Split(repo)
	_, _, err := g.api.PullRequests.Edit(ctx, owner, name, number, &github.PullRequest{Title: &title, Body: &body})
	return failed(err)
}

// latest is the parameter make_latest. It is always said: without it the
// server makes the newest release the latest, whatever its version.
func latest(r forge.Release) *string {
	text := strconv.FormatBool(r.Latest && !r.Draft && !r.Pre) // drafts and pre-releases cannot be
	return &text
}

// CreateRelease implements forge.Writer.
func (g *Client) CreateRelease(ctx context.Context, repo string, r forge.Release) (forge.Release, error) {
	owner, name := forge.Split(repo)
	made, _, err := g.api.Repositories.CreateRelease(ctx, owner, name, &github.RepositoryRelease{
		TagName: &r.Tag, TargetCommitish: &r.Target, Name: &r.Name, Body: &r.Body, Draft: &r.Draft, Prerelease: &r.Pre, MakeLatest: latest(r)})
	return releaseOf(made), failed(err)
}

// EditRelease implements forge.Writer.
func (g *Client) EditRelease(ctx context.Context, repo string, r forge.Release) error {
	owner, name := forge.Split(repo)
	_, _, err := g.api.Repositories.EditRelease(ctx, owner, name, r.ID, &github.RepositoryRelease{
		TagName: &r.Tag, Name: &r.Name, Body: &r.Body, Draft: &r.Draft, Prerelease: &r.Pre, MakeLatest: latest(r)})
	return failed(err)
}

// DeleteRelease implements forge.Writer.
func (g *Client) DeleteRelease(ctx context.Context, repo string, id int64) error {
	owner, name := forge.Split(repo)
	_, err := g.api.Repositories.DeleteRelease(ctx, owner, name, id)
	return failed(err)
}

// Fork implements forge.Writer. Forks are made in the background: the answer
// 202 is a success.
func (g *Client) Fork(ctx context.Context, repo, owner string) error {
	from, name := forge.Split(repo)
	opts := &github.RepositoryCreateForkOptions{DefaultBranchOnly: true}
	if me, err := g.Account(ctx); err != nil {
		return err
	} else if me.Login != owner {
		opts.Organization = owner
	}
	_, _, err := g.api.Repositories.CreateFork(ctx, from, name, opts)
	if _, ok := errors.AsType[*github.AcceptedError](err); ok {
		return nil
	}
	return failed(err)
}

// Sync implements forge.Writer.
func (g *Client) Sync(ctx context.Context, fork, branch string) error {
	owner, name := forge.Split(fork)
	_, _, err := g.api.Repositories.MergeUpstream(ctx, owner, name, &github.RepoMergeUpstreamRequest{Branch: &branch})
	return failed(err)
}

// Dispatch implements forge.Writer. It asks for the details of the run, which
// GitHub gives since February 2026; a GitHub Enterprise server that refuses to
// be asked (400 or 422) is asked without.
func (g *Client) Dispatch(ctx context.Context, repo, workflow, ref string, inputs map[string]string) (int64, error) {
	path := "repos/" + repo + "/actions/workflows/" + url.PathEscape(workflow) + "/dispatches"
	body := map[string]any{"ref": ref, "inputs": inputs, "return_run_details": true}
	id, err := g.dispatch(ctx, path, body)
	if (forge.Refused(err, http.StatusUnprocessableEntity) || forge.Refused(err, http.StatusBadRequest)) && strings.Contains(err.Error(), "return_run_details") {
		delete(body, "return_run_details")
		id, err = g.dispatch(ctx, path, body)
	}
	return id, err
}

func (g *Client) dispatch(ctx context.Context, path string, body any) (int64, error) {
	req, err := g.api.NewRequest(http.MethodPost, path, body)
	if err != nil {
		return 0, err
	}
	var answer bytes.Buffer // 204 without one, where details are not known
	if _, err := g.api.Do(ctx, req, &answer); err != nil {
		return 0, failed(err)
	}
	var run struct {
		ID int64 `json:"workflow_run_id"`
	}
	_ = json.Unmarshal(answer.Bytes(), &run) // another answer tells no run
	return run.ID, nil
}
