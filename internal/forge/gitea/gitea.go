// Package gitea is the forge of a Gitea or Forgejo server.
//
// It has pull requests, releases, forks that are made and synced, protected
// branches and tags, and issues. It lacks workflows that a train could await,
// and a release that is chosen to be shown as the latest: Gitea shows the newest.
//
// Source: the OpenAPI description of Gitea 1.26 (templates/swagger/v1_json.tmpl),
// and for what that leaves open the handlers in routers/api/v1.
package gitea

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Client is the forge of one server. The token is known to it alone.
type Client struct {
	base string // "https://gitea.example.com/api/v1"
	http *http.Client
}

// New returns a client of the API at base. Requests pass through queue; the
// token may be empty for reading what is public.
func New(base, token string, queue *wire.Queue) (*Client, error) {
	u, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("forge API %q is no URL", base)
	}
	return &Client{u.String(), &http.Client{Transport: &wire.Bearer{Token: func() string { return token }, Base: u, Next: queue}}}, nil
}

// do sends one request and reads the answer into out, which may be nil.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader = http.NoBody
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "cfctl")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return broken(err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return &wire.TransitError{Err: err}
	case res.StatusCode >= 300:
		return refusal(req, res.StatusCode, data)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, req.URL.Path, err)
	}
	return nil
}

// broken is what it means that there was no answer.
func broken(err error) error {
	var rate *wire.RateError
	var unusable *wire.AnswerError
	switch {
	case errors.As(err, &rate):
		return rate
	case errors.As(err, &unusable):
		err = unusable // it names method and URL itself
	}
	if wire.InTransit(err) {
		return &wire.TransitError{Err: err}
	}
	return err
}

// refusal is what an answer means that is no success. 409 is said of pull
// requests and releases that are there already, and of forks.
func refusal(req *http.Request, status int, data []byte) error {
	var said struct {
		Message string   `json:"message"`
		Errors  []string `json:"errors"`
	}
	_ = json.Unmarshal(data, &said) // without a message the status is all that is known
	e := &forge.Error{Op: req.Method + " " + req.URL.Path, Status: status, Text: strings.Join(append([]string{said.Message}, said.Errors...), "; ")}
	switch {
	case status == http.StatusNotFound:
		e.Err = wire.ErrNotFound
	case status == http.StatusConflict:
		e.Err = forge.ErrExists
	case status >= 500:
		return &wire.TransitError{Err: e}
	}
	return e
}

// pageSize is the most that a server lists at once as it comes
// (MAX_RESPONSE_ITEMS).
const pageSize = 50

// each visits the items of a list, page by page, until visit says that it is
// enough.
func each[T any](ctx context.Context, c *Client, path string, visit func(T) (enough bool)) error {
	return pages(ctx, c, path, func(list []T) (more bool) { return len(list) > 0 && !slices.ContainsFunc(list, visit) })
}

// mostPages is where a list is taken to have no end: a server, or what is
// before it, that does not know about pages.
const mostPages = 1000

// pages visits the pages of a list, until visit says that there are no more. One
// with nothing on it is the last: a server may list fewer at once than it is asked
// for.
func pages[T any](ctx context.Context, c *Client, path string, visit func(T) (more bool)) error {
	with := "?"
	if strings.Contains(path, "?") {
		with = "&"
	}
	for page := 1; page <= mostPages; page++ {
		var said T
		if err := c.do(ctx, http.MethodGet, fmt.Sprintf("%s%slimit=%d&page=%d", path, with, pageSize, page), nil, &said); err != nil {
			return err
		}
		if !visit(said) {
			return nil
		}
	}
	return fmt.Errorf("GET %s: no end after %d pages", path, mostPages)
}

// repoPath is the path of something of a repository; the parts are escaped.
func repoPath(repo string, parts ...string) string {
	owner, name := forge.Split(repo)
	var path strings.Builder
	path.WriteString("/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name))
	for _, p := range parts {
		path.WriteString("/" + url.PathEscape(p))
	}
	return path.String()
}

// Account implements forge.Reader. Gitea does not say what a token may do.
func (c *Client) Account(ctx context.Context) (forge.Account, error) {
	var user struct {
		Login string `json:"login"`
	}
	err := c.do(ctx, http.MethodGet, "/user", nil, &user)
	return forge.Account{Login: user.Login}, err
}

// Repository implements forge.Reader.
func (c *Client) Repository(ctx context.Context, repo string) (forge.Repository, error) {
	var r struct {
		Default     string `json:"default_branch"`
		Archived    bool   `json:"archived"`
		Permissions *struct {
			Push bool `json:"push"`
		} `json:"permissions"`
	}
	err := c.do(ctx, http.MethodGet, repoPath(repo), nil, &r)
	return forge.Repository{Default: r.Default, Archived: r.Archived, Push: r.Permissions == nil || r.Permissions.Push}, err
}

// A release is one as the API has it.
type release struct {
	ID        int64     `json:"id,omitempty"`
	Tag       string    `json:"tag_name"`
	Target    string    `json:"target_commitish,omitempty"`
	Name      string    `json:"name"`
	Body      string    `json:"body"`
	Draft     bool      `json:"draft"`
	Pre       bool      `json:"prerelease"`
	URL       string    `json:"html_url,omitempty"`
	Published time.Time `json:"published_at,omitzero"`
}

func (r release) forge() forge.Release {
	return forge.Release{ID: r.ID, Tag: r.Tag, Target: r.Target, Name: r.Name, Body: r.Body, Draft: r.Draft, Pre: r.Pre, URL: r.URL, Published: r.Published}
}

func releaseOf(r forge.Release) release {
	return release{Tag: r.Tag, Target: r.Target, Name: r.Name, Body: r.Body, Draft: r.Draft, Pre: r.Pre}
}

// Release implements forge.Reader. Drafts are only in the list of releases.
func (c *Client) Release(ctx context.Context, repo, tag string) (forge.Release, error) {
	var found *release
	err := each(ctx, c, repoPath(repo, "releases"), func(r release) bool {
		if r.Tag == tag {
			found = &r
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
	return found.forge(), nil
}

// CreateRelease implements forge.Writer.
func (c *Client) CreateRelease(ctx context.Context, repo string, r forge.Release) (forge.Release, error) {
	var made release
	err := c.do(ctx, http.MethodPost, repoPath(repo, "releases"), releaseOf(r), &made)
	return made.forge(), err
}

// EditRelease implements forge.Writer.
func (c *Client) EditRelease(ctx context.Context, repo string, r forge.Release) error {
	return c.do(ctx, http.MethodPatch, repoPath(repo, "releases", fmt.Sprint(r.ID)), releaseOf(r), nil)
}

// DeleteRelease implements forge.Writer.
func (c *Client) DeleteRelease(ctx context.Context, repo string, id int64) error {
	return c.do(ctx, http.MethodDelete, repoPath(repo, "releases", fmt.Sprint(id)), nil, nil)
}

// Fork implements forge.Writer. A fork that is there already is one.
func (c *Client) Fork(ctx context.Context, repo, owner string) error {
	me, err := c.Account(ctx)
	if err != nil {
		return err
	}
	in := map[string]string{}
	if me.Login != owner {
		in["organization"] = owner
	}
	err = c.do(ctx, http.MethodPost, repoPath(repo, "forks"), in, nil)
	if errors.Is(err, forge.ErrExists) {
		return nil
	}
	return err
}

// Sync implements forge.Writer; Gitea has it since 1.24.
func (c *Client) Sync(ctx context.Context, fork, branch string) error {
	return c.do(ctx, http.MethodPost, repoPath(fork, "merge-upstream"), map[string]any{"branch": branch, "ff_only": true}, nil)
}
