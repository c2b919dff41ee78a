package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// A ForgeReader is the reading half of a forge. Repositories are OWNER/NAME.
type ForgeReader interface {
	// Account is who the token belongs to.
	Account(ctx context.Context) (Account, error)
	Repository(ctx context.Context, repo string) (Repository, error)
	// Protection of a branch, by branch protection and rulesets; a branch
	// without any is the zero value.
	Protection(ctx context.Context, repo, branch string) (Protection, error)
	// TagRules are what the rulesets say of a tag that is to be pushed, as far
	// as they bind the token's account.
	TagRules(ctx context.Context, repo, tag string) (Protection, error)
	// Pull is the newest pull request from head ("OWNER:BRANCH") to base,
	// whatever its state; where there is none, an open one from head to another
	// base; or ErrNotFound.
	Pull(ctx context.Context, repo, head, base string) (Pull, error)
	// Release is the release of a tag, draft or not, or ErrNotFound.
	Release(ctx context.Context, repo, tag string) (Release, error)
	// LatestRelease is the tag of the release that the forge shows as the
	// latest, or ErrNotFound.
	LatestRelease(ctx context.Context, repo string) (string, error)
	// Runs are the runs of a workflow that were dispatched, newest first.
	Runs(ctx context.Context, repo, workflow string) ([]WorkflowRun, error)
	// Run is one run, or ErrNotFound.
	Run(ctx context.Context, repo string, id int64) (WorkflowRun, error)
}

// A ForgeWriter is the writing half.
type ForgeWriter interface {
	CreatePull(ctx context.Context, repo, head, base, title, body string) (Pull, error)
	ClosePull(ctx context.Context, repo string, number int) error
	CreateRelease(ctx context.Context, repo string, r Release) (Release, error)
	EditRelease(ctx context.Context, repo string, r Release) error
	DeleteRelease(ctx context.Context, repo string, id int64) error
	Fork(ctx context.Context, repo, owner string) error
	// Sync brings a branch of a fork to where it is upstream.
	Sync(ctx context.Context, fork, branch string) error
	// Dispatch starts a workflow. The run's id is 0 where the server does not
	// tell it.
	Dispatch(ctx context.Context, repo, workflow, ref string, inputs map[string]string) (run int64, err error)
}

// A Forge is both halves.
type Forge interface {
	ForgeReader
	ForgeWriter
}

// An Account is the user behind a token.
type Account struct {
	Login  string
	Scopes []string // of a classic token; nil = the token has none to show (fine-grained, app)
}

// A Repository is what the forge says of one.
type Repository struct {
	Default  string // branch
	Push     bool   // the token may push, or the forge does not say
	Archived bool
}

// A Protection is what a branch or tag demands of changes.
type Protection struct {
	Protected  bool // by branch protection
	Reviews    int
	Checks     []string
	Signatures bool
	Creation   bool // nobody may make it who cannot bypass the ruleset
	Hidden     bool // it is protected, and the token may not see how
}

// A Pull is a pull request.
type Pull struct {
	Number      int
	URL         string
	Head        string // commit
	Base        string // branch; empty = the forge does not say
	Open        bool
	Merged      bool
	MergeCommit string // when merged
	MergedAt    time.Time
	Body        string
}

// A Release is a release of the forge.
type Release struct {
	ID        int64
	Tag       string
	Target    string // commit
	Name      string
	Body      string
	Draft     bool
	Pre       bool // a pre-release
	Latest    bool // to be shown as the latest; it is written, and read by the forge's LatestRelease
	URL       string
	Published time.Time
}

// A WorkflowRun is a run of a workflow.
type WorkflowRun struct {
	ID         int64
	Status     string // queued, in_progress, completed
	Conclusion string // success, failure, ...
	URL        string
	Title      string
	Actor      string
	Branch     string // or tag that it was dispatched on; empty = the server does not say
	Head       string // commit
	Created    time.Time
}

// GitHub is the forge at github.com, of a GitHub Enterprise server, or of an
// emulator. The token is known to it alone.
type GitHub struct {
	api *github.Client
}

// NewGitHub returns a client of the API at base. Requests pass through queue;
// the token may be empty for reading what is public.
func NewGitHub(base, token string, queue *wire.Queue) (*GitHub, error) {
	u, err := url.Parse(strings.TrimSuffix(base, "/") + "/")
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("forge API %q is no URL", base)
	}
	client := github.NewClient(&http.Client{Transport: &bearer{token, u, queue}})
	client.BaseURL, client.UploadURL, client.UserAgent = u, u, "cfctl"
	return &GitHub{client}, nil
}

// bearer adds the token to requests to its server, and to no other: a redirect
// to another host, port or scheme goes without. Answers that are no JSON are
// errors.
type bearer struct {
	token string
	base  *url.URL
	next  http.RoundTripper
}

func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.token != "" && req.URL.Scheme == b.base.Scheme && req.URL.Host == b.base.Host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	res, err := b.next.RoundTrip(req)
	if err == nil {
		err = errors.Join(wire.WithoutToken(res, b.token), wire.WantJSON(res))
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// A ForgeError is an answer that is no success.
type ForgeError struct {
	Op     string // "GET /repos/o/r/pulls"
	Status int
	Text   string
	Err    error
}

func (e *ForgeError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %d %s", e.Op, e.Status, e.Text), " ")
}
func (e *ForgeError) Unwrap() error { return e.Err }

// failed translates go-github's errors: 404 is ErrNotFound, 5xx and what broke
// on the way are TransitErrors.
func failed(err error) error {
	if err == nil {
		return nil
	}
	var rate *wire.RateError
	if errors.As(err, &rate) {
		return rate
	}
	var unusable *wire.AnswerError
	if errors.As(err, &unusable) {
		err = unusable // it names method and URL itself
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		var limit *github.RateLimitError
		if errors.As(err, &limit) {
			return &wire.RateError{Host: limit.Response.Request.URL.Host, Until: limit.Rate.Reset.Time}
		}
		if wire.InTransit(err) {
			return &wire.TransitError{Err: err}
		}
		return err
	}
	req := answer.Response.Request
	e := &ForgeError{Op: req.Method + " " + req.URL.Path, Status: answer.Response.StatusCode, Text: answer.Message}
	for _, detail := range answer.Errors {
		if detail.Message != "" {
			e.Text += "; " + detail.Message
		}
	}
	switch {
	case e.Status == http.StatusNotFound:
		e.Err = wire.ErrNotFound
	case e.Status >= 500:
		return &wire.TransitError{Err: e}
	}
	return e
}

// refused says whether the server understood and said no with that status.
func refused(err error, status int) bool {
	var e *ForgeError
	return errors.As(err, &e) && e.Status == status
}

func split(repo string) (owner, name string) {
	owner, name, _ = strings.Cut(repo, "/")
	return owner, name
}

// Account implements ForgeReader.
func (g *GitHub) Account(ctx context.Context) (Account, error) {
	user, res, err := g.api.Users.Get(ctx, "")
	if err != nil {
		return Account{}, failed(err)
	}
	a := Account{Login: user.GetLogin()}
	if scopes, ok := res.Header[http.CanonicalHeaderKey("X-OAuth-Scopes")]; ok {
		a.Scopes = []string{}
		for s := range strings.SplitSeq(strings.Join(scopes, ","), ",") {
			if s = strings.TrimSpace(s); s != "" {
				a.Scopes = append(a.Scopes, s)
			}
		}
	}
	return a, nil
}

// Repository implements ForgeReader.
func (g *GitHub) Repository(ctx context.Context, repo string) (Repository, error) {
	owner, name := split(repo)
	r, _, err := g.api.Repositories.Get(ctx, owner, name)
	if err != nil {
		return Repository{}, failed(err)
	}
	may := r.GetPermissions()
	return Repository{Default: r.GetDefaultBranch(), Push: may == nil || may["push"], Archived: r.GetArchived()}, nil
}

// classic is the branch protection of a branch.
func (g *GitHub) classic(ctx context.Context, repo, branch string) (Protection, error) {
	owner, name := split(repo)
	p, _, err := g.api.Repositories.GetBranchProtection(ctx, owner, name, branch)
	err = failed(err)
	switch {
	case errors.Is(err, wire.ErrNotFound), errors.Is(err, github.ErrBranchNotProtected):
		return Protection{}, nil
	case refused(err, http.StatusForbidden):
		return Protection{Protected: true, Hidden: true}, nil
	case err != nil:
		return Protection{}, err
	}
	out := Protection{Protected: true, Signatures: p.GetRequiredSignatures().GetEnabled()}
	if r := p.GetRequiredPullRequestReviews(); r != nil {
		out.Reviews = r.RequiredApprovingReviewCount
	}
	if c := p.GetRequiredStatusChecks(); c != nil {
		out.Checks = append(out.Checks, c.GetContexts()...)
	}
	return out, nil
}

// get reads what the library has no words for.
func (g *GitHub) get(ctx context.Context, path string, out any) error {
	req, err := g.api.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = g.api.Do(ctx, req, out)
	return failed(err)
}

// Pull implements ForgeReader.
func (g *GitHub) Pull(ctx context.Context, repo, head, base string) (Pull, error) {
	owner, name := split(repo)
	list, _, err := g.api.PullRequests.List(ctx, owner, name, &github.PullRequestListOptions{
		State: "all", Head: head, Sort: "created", Direction: "desc", ListOptions: github.ListOptions{PerPage: 30}})
	if err != nil {
		return Pull{}, failed(err)
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
	return Pull{}, fmt.Errorf("pull request from %s in %s: %w", head, repo, wire.ErrNotFound)
}

func pullOf(p *github.PullRequest) Pull {
	return Pull{
		Number: p.GetNumber(), URL: p.GetHTMLURL(), Head: p.GetHead().GetSHA(), Base: p.GetBase().GetRef(), Body: p.GetBody(), Open: p.GetState() == "open",
		Merged: !p.GetMergedAt().IsZero(), MergeCommit: p.GetMergeCommitSHA(), MergedAt: p.GetMergedAt().Time,
	}
}

// Release implements ForgeReader. Drafts are only in the list of releases.
func (g *GitHub) Release(ctx context.Context, repo, tag string) (Release, error) {
	owner, name := split(repo)
	opts := &github.ListOptions{PerPage: 100}
	for {
		list, res, err := g.api.Repositories.ListReleases(ctx, owner, name, opts)
		if err = failed(err); errors.Is(err, wire.ErrNotFound) {
			return Release{}, errors.New(repo + " has no list of releases, or not for this token: " + err.Error()) // which is no list without this one
		}
		if err != nil {
			return Release{}, err
		}
		for _, r := range list {
			if r.GetTagName() == tag {
				return releaseOf(r), nil
			}
		}
		if res.NextPage == 0 {
			return Release{}, fmt.Errorf("release %s of %s: %w", tag, repo, wire.ErrNotFound)
		}
		opts.Page = res.NextPage
	}
}

func releaseOf(r *github.RepositoryRelease) Release {
	return Release{
		ID: r.GetID(), Tag: r.GetTagName(), Target: r.GetTargetCommitish(), Name: r.GetName(), Body: r.GetBody(),
		Draft: r.GetDraft(), Pre: r.GetPrerelease(), URL: r.GetHTMLURL(), Published: r.GetPublishedAt().Time,
	}
}

// LatestRelease implements ForgeReader.
func (g *GitHub) LatestRelease(ctx context.Context, repo string) (string, error) {
	owner, name := split(repo)
	r, _, err := g.api.Repositories.GetLatestRelease(ctx, owner, name)
	if err != nil {
		return "", failed(err)
	}
	return r.GetTagName(), nil
}

// Runs implements ForgeReader.
func (g *GitHub) Runs(ctx context.Context, repo, workflow string) ([]WorkflowRun, error) {
	owner, name := split(repo)
	list, _, err := g.api.Actions.ListWorkflowRunsByFileName(ctx, owner, name, workflow, &github.ListWorkflowRunsOptions{
		Event: "workflow_dispatch", ListOptions: github.ListOptions{PerPage: 50}})
	if err != nil {
		return nil, failed(err)
	}
	var runs []WorkflowRun
	for _, r := range list.WorkflowRuns {
		runs = append(runs, runOf(r))
	}
	return runs, nil
}

// Run implements ForgeReader.
func (g *GitHub) Run(ctx context.Context, repo string, id int64) (WorkflowRun, error) {
	owner, name := split(repo)
	r, _, err := g.api.Actions.GetWorkflowRunByID(ctx, owner, name, id)
	if err != nil {
		return WorkflowRun{}, failed(err)
	}
	return runOf(r), nil
}

func runOf(r *github.WorkflowRun) WorkflowRun {
	return WorkflowRun{
		ID: r.GetID(), Status: r.GetStatus(), Conclusion: r.GetConclusion(), URL: r.GetHTMLURL(), Title: r.GetDisplayTitle(),
		Actor: r.GetActor().GetLogin(), Branch: r.GetHeadBranch(), Head: r.GetHeadSHA(), Created: r.GetCreatedAt().Time,
	}
}

// CreatePull implements ForgeWriter.
func (g *GitHub) CreatePull(ctx context.Context, repo, head, base, title, body string) (Pull, error) {
	owner, name := split(repo)
	p, _, err := g.api.PullRequests.Create(ctx, owner, name, &github.NewPullRequest{
		Title: &title, Head: &head, Base: &base, Body: &body, MaintainerCanModify: github.Bool(true)})
	if err != nil {
		return Pull{}, failed(err)
	}
	return pullOf(p), nil
}

// ClosePull implements ForgeWriter.
func (g *GitHub) ClosePull(ctx context.Context, repo string, number int) error {
	owner, name := split(repo)
	_, _, err := g.api.PullRequests.Edit(ctx, owner, name, number, &github.PullRequest{State: github.String("closed")})
	return failed(err)
}

// latest is the parameter make_latest. It is always said: without it the
// server makes the newest release the latest, whatever its version.
func (r Release) latest() *string {
	text := strconv.FormatBool(r.Latest && !r.Draft && !r.Pre) // drafts and pre-releases cannot be
	return &text
}

// CreateRelease implements ForgeWriter.
func (g *GitHub) CreateRelease(ctx context.Context, repo string, r Release) (Release, error) {
	owner, name := split(repo)
	made, _, err := g.api.Repositories.CreateRelease(ctx, owner, name, &github.RepositoryRelease{
		TagName: &r.Tag, TargetCommitish: &r.Target, Name: &r.Name, Body: &r.Body, Draft: &r.Draft, Prerelease: &r.Pre, MakeLatest: r.latest()})
	if err != nil {
		return Release{}, failed(err)
	}
	return releaseOf(made), nil
}

// EditRelease implements ForgeWriter.
func (g *GitHub) EditRelease(ctx context.Context, repo string, r Release) error {
	owner, name := split(repo)
	_, _, err := g.api.Repositories.EditRelease(ctx, owner, name, r.ID, &github.RepositoryRelease{
		TagName: &r.Tag, Name: &r.Name, Body: &r.Body, Draft: &r.Draft, Prerelease: &r.Pre, MakeLatest: r.latest()})
	return failed(err)
}

// DeleteRelease implements ForgeWriter.
func (g *GitHub) DeleteRelease(ctx context.Context, repo string, id int64) error {
	owner, name := split(repo)
	_, err := g.api.Repositories.DeleteRelease(ctx, owner, name, id)
	return failed(err)
}

// Fork implements ForgeWriter. Forks are made in the background: the answer
// 202 is a success.
func (g *GitHub) Fork(ctx context.Context, repo, owner string) error {
	from, name := split(repo)
	opts := &github.RepositoryCreateForkOptions{DefaultBranchOnly: true}
	if me, err := g.Account(ctx); err != nil {
		return err
	} else if me.Login != owner {
		opts.Organization = owner
	}
	_, _, err := g.api.Repositories.CreateFork(ctx, from, name, opts)
	var accepted *github.AcceptedError
	if errors.As(err, &accepted) {
		return nil
	}
	return failed(err)
}

// Sync implements ForgeWriter.
func (g *GitHub) Sync(ctx context.Context, fork, branch string) error {
	owner, name := split(fork)
	_, _, err := g.api.Repositories.MergeUpstream(ctx, owner, name, &github.RepoMergeUpstreamRequest{Branch: &branch})
	return failed(err)
}

// Dispatch implements ForgeWriter. It asks for the details of the run, which
// GitHub gives since February 2026; a GitHub Enterprise server that refuses to
// be asked (400 or 422) is asked without.
func (g *GitHub) Dispatch(ctx context.Context, repo, workflow, ref string, inputs map[string]string) (int64, error) {
	path := "repos/" + repo + "/actions/workflows/" + url.PathEscape(workflow) + "/dispatches"
	body := map[string]any{"ref": ref, "inputs": inputs, "return_run_details": true}
	id, err := g.dispatch(ctx, path, body)
	if (refused(err, http.StatusUnprocessableEntity) || refused(err, http.StatusBadRequest)) && strings.Contains(err.Error(), "return_run_details") {
		delete(body, "return_run_details")
		id, err = g.dispatch(ctx, path, body)
	}
	return id, err
}

func (g *GitHub) dispatch(ctx context.Context, path string, body any) (int64, error) {
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
