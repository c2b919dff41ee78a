package gitea

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// A status is the newest commit status of one context, as the API has it. What
// Gitea's own workflows say of a commit are statuses too.
type status struct {
	Context     string `json:"context"`
	State       string `json:"status"`
	Description string `json:"description"`
	URL         string `json:"target_url"`
}

// check is what a status says. What is not known to have passed has not: a
// warning counts as a failure for Gitea, too (modules/commitstatus).
func (s status) check() forge.Check {
	c := forge.Check{Name: s.Context, Text: s.Description, URL: s.URL, State: forge.CheckFailed, Outcome: s.State}
	switch s.State {
	case "success":
		c.State = forge.CheckPassed
	case "skipped":
		c.State = forge.CheckSkipped
	case "pending":
		c.State, c.Outcome = forge.CheckRunning, ""
	}
	return c
}

// Checks implements forge.Reader: the commit statuses.
func (c *Client) Checks(ctx context.Context, repo, commit string) ([]forge.Check, error) {
	type combined struct {
		Statuses []status `json:"statuses"`
	}
	var list []forge.Check
	err := pages(ctx, c, repoPath(repo, "commits", commit, "status"), func(said combined) (more bool) {
		for _, s := range said.Statuses {
			list = append(list, s.check())
		}
		return len(said.Statuses) > 0
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b forge.Check) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Merge implements forge.Reader. The server says that a pull request cannot
// be merged, and not whether it conflicts or is still being looked at; one whose
// title begins with WIP is a draft.
func (c *Client) Merge(ctx context.Context, repo string, number int) (forge.Merge, error) {
	var p struct {
		Draft     bool `json:"draft"`
		Mergeable bool `json:"mergeable"`
		Reviewers []struct {
			Login string `json:"login"`
		} `json:"requested_reviewers"`
		Teams []struct {
			Name string `json:"name"`
		} `json:"requested_reviewers_teams"`
		MergeBase string `json:"merge_base"`
		Base      end    `json:"base"`
	}
	if err := c.do(ctx, http.MethodGet, repoPath(repo, "pulls", fmt.Sprint(number)), nil, &p); err != nil {
		return forge.Merge{}, err
	}
	m := forge.Merge{Draft: p.Draft, Known: p.Mergeable || p.Draft, Unclear: !p.Mergeable && !p.Draft, Behind: p.MergeBase != "" && p.MergeBase != p.Base.SHA}
	for _, u := range p.Reviewers {
		m.Asked = append(m.Asked, u.Login)
	}
	owner, _ := forge.Split(repo)
	for _, t := range p.Teams {
		m.Asked = append(m.Asked, owner+"/"+t.Name)
	}
	var err error
	m.Reviews, err = c.reviews(ctx, repo, number)
	return m, err
}

// reviews are the last approvals, and wishes for changes, that count for the
// server: official ones, which no one has dismissed.
func (c *Client) reviews(ctx context.Context, repo string, number int) ([]forge.Review, error) {
	type review struct {
		User struct {
			Login string `json:"login"`
		} `json:"user"`
		State     string `json:"state"`
		Official  bool   `json:"official"`
		Dismissed bool   `json:"dismissed"`
		URL       string `json:"html_url"`
	}
	last := map[string]forge.Review{}
	err := each(ctx, c, repoPath(repo, "pulls", fmt.Sprint(number), "reviews"), func(r review) bool { // oldest first
		word := r.State == "APPROVED" || r.State == "REQUEST_CHANGES"
		switch by := r.User.Login; {
		case word && r.Official && !r.Dismissed:
			last[by] = forge.Review{By: by, Approves: r.State == "APPROVED", URL: r.URL}
		case word:
			delete(last, by)
		}
		return false
	})
	return slices.SortedFunc(maps.Values(last), func(a, b forge.Review) int { return cmp.Compare(a.By, b.By) }), err
}
