package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// pageSize is the most that the API lists at once.
const pageSize = 100

// Repositories are those of an organisation, or of a user
// where there is no such organisation.
func (g *Client) Repositories(ctx context.Context, owner string) ([]forge.Repository, error) {
	if !forge.ValidName(owner) {
		return nil, fmt.Errorf("%q is not the name of an organisation", owner)
	}
	list, err := pages(func(page github.ListOptions) ([]*github.Repository, *github.Response, error) {
		return g.api.Repositories.ListByOrg(ctx, owner, &github.RepositoryListByOrgOptions{Type: "all", Sort: "full_name", ListOptions: page})
	})
	if errors.Is(err, wire.ErrNotFound) {
		list, err = pages(func(page github.ListOptions) ([]*github.Repository, *github.Response, error) {
			return g.api.Repositories.ListByUser(ctx, owner, &github.RepositoryListByUserOptions{Type: "owner", Sort: "full_name", ListOptions: page})
		})
	}
	return list, err
}

// pages reads all pages of a list of repositories: while the server names a next
// one, or a page is full.
func pages(read func(github.ListOptions) ([]*github.Repository, *github.Response, error)) ([]forge.Repository, error) {
	var all []forge.Repository
	var followed wire.Pages
	for page := 1; ; page++ {
		list, res, err := read(github.ListOptions{Page: page, PerPage: pageSize})
		if err != nil {
			return nil, spoken(err)
		}
		for _, r := range list {
			known, err := identified(r)
			if err != nil {
				return nil, err
			}
			all = append(all, known)
		}
		if res.NextPage == 0 && len(list) < pageSize {
			return all, nil
		}
		if err := followed.Next(strconv.Itoa(page), len(list)); err != nil {
			return nil, err
		}
	}
}

// Named is the repository of a name, which may be one that it had before.
func (g *Client) Named(ctx context.Context, repo string) (forge.Repository, error) {
	if !forge.ValidRepository(repo) {
		return forge.Repository{}, fmt.Errorf("%q is not OWNER/NAME", repo)
	}
	owner, name := forge.Split(repo)
	r, _, err := g.api.Repositories.Get(ctx, owner, name)
	if err != nil {
		return forge.Repository{}, spoken(err)
	}
	return identified(r)
}

// ByID is the repository of a number, whatever it is called by now.
func (g *Client) ByID(ctx context.Context, id int64) (forge.Repository, error) {
	r, _, err := g.api.Repositories.GetByID(ctx, id)
	if err != nil {
		return forge.Repository{}, spoken(err)
	}
	if r.GetID() != id {
		return forge.Repository{}, fmt.Errorf("the forge answered a repository with the number %d, and was asked for %d", r.GetID(), id)
	}
	return identified(r)
}

// identified is a repository whose name and number can be what they say.
func identified(r *github.Repository) (forge.Repository, error) {
	if !forge.ValidRepository(r.GetFullName()) || r.GetID() <= 0 {
		return forge.Repository{}, fmt.Errorf("the forge answered a repository %q with the number %d", r.GetFullName(), r.GetID())
	}
	return repositoryOf(r), nil
}

func repositoryOf(r *github.Repository) forge.Repository {
	may := r.GetPermissions()
	return forge.Repository{ID: r.GetID(), Name: r.GetFullName(), Default: r.GetDefaultBranch(), Size: int64(r.GetSize()), Push: may == nil || may["push"],
		Archived: r.GetArchived(), Disabled: r.GetDisabled(), Fork: r.GetFork(), Template: r.GetIsTemplate(), Mirror: r.GetMirrorURL() != "", Topics: r.Topics}
}

// spoken is failed where "not found" counts only if the API says so: an answer
// that is no JSON is a proxy's, and says nothing of what was asked for.
func spoken(err error) error {
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		return failed(err)
	}
	if status := answer.Response.StatusCode; status != http.StatusNotFound && status != http.StatusGone {
		return failed(err)
	}
	body, _ := io.ReadAll(answer.Response.Body) // CheckResponse has left it there
	e := &forge.Error{Op: opOf(answer.Response.Request), Status: answer.Response.StatusCode, Text: answer.Message, Err: wire.ErrNotFound}
	if !json.Valid(body) {
		e.Text, e.Err = "and not from an API", nil
		return &wire.TransitError{Err: e}
	}
	return e
}

func opOf(r *http.Request) string { return r.Method + " " + r.URL.Path }

// Pulls are the pull requests of a branch of the repository itself, in any
// state, newest first.
func (g *Client) Pulls(ctx context.Context, repo, branch string) ([]forge.Pull, error) {
	owner, name := forge.Split(repo)
	list, _, err := g.api.PullRequests.List(ctx, owner, name, &github.PullRequestListOptions{
		State: "all", Head: owner + ":" + branch, Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: pageSize}})
	if err != nil {
		return nil, spoken(err)
	}
	var pulls []forge.Pull
	for _, p := range list {
		if p.GetHead().GetRef() == branch { // servers that do not know the filter send all
			pulls = append(pulls, pullOf(p))
		}
	}
	return pulls, nil
}

// Contains says whether the history of head has base. Where one of them is
// gone it has not.
func (g *Client) Contains(ctx context.Context, repo, base, head string) (bool, error) {
	owner, name := forge.Split(repo)
	c, _, err := g.api.Repositories.CompareCommits(ctx, owner, name, base, head, &github.ListOptions{PerPage: 1})
	if err = spoken(err); errors.Is(err, wire.ErrNotFound) {
		return false, nil // one of them is gone
	}
	return slices.Contains([]string{"ahead", "identical"}, c.GetStatus()), err
}

// Scopes are those of a classic token; nil: those of apps
// and fine-grained tokens are not told.
// Source: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func (g *Client) Scopes(ctx context.Context) ([]string, error) {
	req, err := g.api.NewRequest(http.MethodGet, "rate_limit", nil) // every token may, and it costs nothing
	if err != nil {
		return nil, err
	}
	res, err := g.api.Do(ctx, req, nil)
	if err != nil && !unlimited(err) {
		return nil, spoken(err)
	}
	if scopes := scopesOf(res.Header); len(scopes) > 0 {
		return scopes, nil
	}
	return nil, nil
}

// scopesOf are the scopes that an answer tells; nil = it tells none.
func scopesOf(header http.Header) []string {
	told, there := header[http.CanonicalHeaderKey("X-OAuth-Scopes")]
	if !there {
		return nil
	}
	scopes := []string{}
	for s := range strings.SplitSeq(strings.Join(told, ","), ",") {
		if s = strings.TrimSpace(s); s != "" {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// unlimited says whether an answer is that of a GitHub Enterprise Server without
// rate limits, as it comes: it has no /rate_limit, and tells scopes nevertheless.
// Source: https://docs.github.com/en/enterprise-server@latest/admin/configuring-settings/configuring-user-applications-for-your-enterprise/configuring-rate-limits
func unlimited(err error) bool {
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil || answer.Response.StatusCode != http.StatusNotFound {
		return false
	}
	return answer.Response.Header.Get("X-GitHub-Enterprise-Version") != "" || strings.Contains(strings.ToLower(answer.Message), "rate limiting is not enabled")
}
