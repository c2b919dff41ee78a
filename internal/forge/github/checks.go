package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Checks implements forge.Reader: the check runs, and the commit statuses.
// A server that has no statuses for a commit which it has check runs of (404, or
// 422) has none.
func (g *Client) Checks(ctx context.Context, repo, commit string) ([]forge.Check, error) {
	owner, name := forge.Split(repo)
	opts := &github.ListCheckRunsOptions{Filter: new("latest"), ListOptions: github.ListOptions{PerPage: 100}}
	var list []forge.Check
	err := each(&opts.ListOptions, func() ([]*github.CheckRun, *github.Response, error) {
		page, res, err := g.api.Checks.ListCheckRunsForRef(ctx, owner, name, commit, opts)
		if err != nil {
			return nil, nil, err
		}
		return page.CheckRuns, res, nil
	}, func(r *github.CheckRun) bool {
		list = append(list, checkOf(r))
		return false
	})
	if err != nil {
		return nil, err
	}
	statuses, err := g.statuses(ctx, repo, commit)
	if err != nil && !forge.Unseen(err) && !forge.Refused(err, 422) {
		return nil, err
	}
	list = append(list, statuses...)
	slices.SortStableFunc(list, func(a, b forge.Check) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// statuses are the newest commit status of each context.
func (g *Client) statuses(ctx context.Context, repo, commit string) ([]forge.Check, error) {
	owner, name := forge.Split(repo)
	opts := &github.ListOptions{PerPage: 100}
	var list []forge.Check
	err := each(opts, func() ([]*github.RepoStatus, *github.Response, error) {
		page, res, err := g.api.Repositories.GetCombinedStatus(ctx, owner, name, commit, opts)
		if err != nil {
			return nil, nil, err
		}
		return page.Statuses, res, nil
	}, func(s *github.RepoStatus) bool {
		c := forge.Check{Name: s.GetContext(), Text: s.GetDescription(), URL: s.GetTargetURL(), State: forge.CheckFailed, Outcome: s.GetState()}
		switch s.GetState() {
		case "success":
			c.State = forge.CheckPassed
		case "pending":
			c.State = forge.CheckRunning
		}
		list = append(list, c)
		return false
	})
	return list, err
}

// checkOf is a check run. What is not known to have passed has not.
func checkOf(r *github.CheckRun) forge.Check {
	c := forge.Check{Name: r.GetName(), App: r.GetApp().GetSlug(), AppID: r.GetApp().GetID(), URL: cmp.Or(r.GetHTMLURL(), r.GetDetailsURL()), Text: r.GetOutput().GetTitle()}
	switch {
	case r.GetStatus() == "in_progress":
		c.State = forge.CheckRunning
	case r.GetStatus() != "completed":
		c.State = forge.CheckQueued // queued, waiting, requested, pending
	case r.GetConclusion() == "success":
		c.State = forge.CheckPassed
	case r.GetConclusion() == "skipped" || r.GetConclusion() == "neutral":
		c.State = forge.CheckSkipped
	default:
		c.State = forge.CheckFailed // failure, timed_out, cancelled, action_required, stale, startup_failure
	}
	if c.State != forge.CheckQueued && c.State != forge.CheckRunning {
		c.Outcome = r.GetConclusion()
	}
	return c
}

// Merge implements forge.Reader: two requests.
func (g *Client) Merge(ctx context.Context, repo string, number int) (forge.Merge, error) {
	owner, name := forge.Split(repo)
	p, _, err := g.api.PullRequests.Get(ctx, owner, name, number)
	if err != nil {
		return forge.Merge{}, failed(err)
	}
	m := forge.Merge{Draft: p.GetDraft(), Known: p.Mergeable != nil && p.GetMergeableState() != "unknown", State: p.GetMergeableState()}
	m.Conflicts = m.Known && !p.GetMergeable() && p.GetMergeableState() != "blocked"
	teams := lists.Of(p.RequestedTeams, func(t *github.Team) string { return owner + "/" + t.GetSlug() })
	m.Asked = append(lists.Of(p.RequestedReviewers, (*github.User).GetLogin), teams...)
	m.Reviews, err = g.reviews(ctx, repo, number)
	return m, err
}

// reviews are the last approvals, and wishes for changes, of those who may write
// to the repository: those of others do not count for GitHub either.
func (g *Client) reviews(ctx context.Context, repo string, number int) ([]forge.Review, error) {
	owner, name := forge.Split(repo)
	opts := &github.ListOptions{PerPage: 100}
	last := map[string]forge.Review{}
	err := each(opts, func() ([]*github.PullRequestReview, *github.Response, error) {
		return g.api.PullRequests.ListReviews(ctx, owner, name, number, opts)
	}, func(r *github.PullRequestReview) bool { // oldest first
		by := r.GetUser().GetLogin()
		switch state := strings.ToUpper(r.GetState()); {
		case !slices.Contains([]string{"", "OWNER", "MEMBER", "COLLABORATOR"}, r.GetAuthorAssociation()):
		case state == "APPROVED" || state == "CHANGES_REQUESTED":
			last[by] = forge.Review{By: by, Approves: state == "APPROVED", URL: r.GetHTMLURL()}
		case state == "DISMISSED":
			delete(last, by)
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(last), func(a, b forge.Review) int { return cmp.Compare(a.By, b.By) }), nil
}

// RunsOn implements forge.RunReader.
func (g *Client) RunsOn(ctx context.Context, repo, commit string) ([]forge.WorkflowRun, error) {
	owner, name := forge.Split(repo)
	list, _, err := g.api.Actions.ListRepositoryWorkflowRuns(ctx, owner, name, &github.ListWorkflowRunsOptions{
		HeadSHA: commit, ListOptions: github.ListOptions{PerPage: 100}})
	if err != nil {
		return nil, failed(err)
	}
	var runs []forge.WorkflowRun
	for _, r := range list.WorkflowRuns {
		if r.GetHeadSHA() == commit { // a server that does not know the filter lists all
			runs = append(runs, runOf(r))
		}
	}
	return runs, nil
}

// summary is what everyone may see of the protection of a branch: the names of
// the checks. The rest of it is for administrators.
func (g *Client) summary(ctx context.Context, repo, branch string) (forge.Protection, error) {
	p := forge.Protection{Hidden: true}
	var b struct {
		Protected  bool `json:"protected"`
		Protection struct {
			Enabled bool `json:"enabled"`
			Checks  struct {
				Level    string   `json:"enforcement_level"`
				Contexts []string `json:"contexts"`
				Checks   []struct {
					Context string `json:"context"`
					App     *int64 `json:"app_id"`
				} `json:"checks"`
			} `json:"required_status_checks"`
		} `json:"protection"`
	}
	if err := g.get(ctx, fmt.Sprintf("repos/%s/branches/%s", repo, escapeRef(branch)), &b); err != nil {
		if errors.Is(err, wire.ErrNotFound) {
			return forge.Protection{}, nil
		}
		if forge.Unseen(err) {
			p.Protected = true
			return p, nil
		}
		return p, err
	}
	if !b.Protected {
		return forge.Protection{}, nil
	}
	p.Protected = true
	if b.Protection.Checks.Level == "off" {
		return p, nil
	}
	for _, c := range b.Protection.Checks.Checks {
		p.Want(required(c.Context, c.App))
	}
	for _, c := range b.Protection.Checks.Contexts {
		if !slices.Contains(p.Checks, c) {
			p.Want(forge.RequiredCheck{Name: c})
		}
	}
	return p, nil
}

// required is a check that a rule wants; no app, and -1, are any.
func required(name string, app *int64) forge.RequiredCheck {
	c := forge.RequiredCheck{Name: name}
	if app != nil && *app > 0 {
		c.App = *app
	}
	return c
}
