// Package fetch reads a single file by its address, so that a project can
// publish it once for everyone who uses it:
//
//	https://HOST/PATH@sha256:HEX   the file with this digest, from any server
//	git+https://HOST/REPO//FILE@REF  a file of a repository, at a tag, branch or commit
//
// What a file is, is always known: by its digest, or by the commit that it was
// read at. A file with a digest is asked for once, and a tag or commit too; a
// branch each time. No credential is sent, but those that git itself has been
// configured with.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// maxFile is the size of a file, in bytes, above which it is not taken.
const maxFile = 4 << 20

const (
	timeout      = time.Minute // for the whole of an answer, redirects included
	maxRedirects = 10
)

// An Address names one file. Digest is set for https, Repository, File and Ref
// for git.
type Address struct {
	URL    string // without its digest
	Digest string // SHA-256 in hex; empty = none was given

	Repository string // as git takes it
	File       string // slash-separated, inside of the repository
	Ref        string // tag, branch, or a full hash
}

// Is says whether a name is meant as an address.
func Is(name string) bool { return strings.Contains(name, "://") }

var (
	digested = lazyregexp.New(`^(.*)@sha256:([0-9a-f]{64})$`)
	fullHash = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// Parse reads an address. Plain http is of this machine alone. A password in an
// address would end in logs, and is refused.
func Parse(text string) (Address, error) {
	wrong := func(cause, hint string) (Address, error) {
		return Address{}, &source.Error{Path: git.Redact(text), Err: errors.New(cause), Hint: hint}
	}
	inGit := strings.HasPrefix(text, "git+")
	a := Address{URL: strings.TrimPrefix(text, "git+")}
	if inGit {
		repo, rest, _ := cutFile(a.URL)
		file, ref, _ := strings.Cut(rest, "@")
		if !fs.ValidPath(file) || file == "." || git.CheckURL(repo) != nil || git.CheckRevision(ref) != nil {
			return wrong("not of the form git+https://HOST/REPOSITORY//FILE@REF", "")
		}
		a = Address{URL: repo, Repository: repo, File: file, Ref: ref}
	} else if m := digested.FindStringSubmatch(a.URL); m != nil {
		a.URL, a.Digest = m[1], m[2]
	}
	u, err := url.Parse(a.URL)
	switch {
	case err != nil || u.Host == "":
		return wrong("no address: a URL with a host is needed", "")
	case u.User != nil && (!inGit || u.Scheme != "ssh"):
		return wrong("an address with a user in it", "git takes credentials from its own configuration")
	case u.Scheme == "https", u.Scheme == "http" && local(u.Hostname()), inGit && u.Scheme == "ssh":
		return a, nil
	case u.Scheme == "http":
		return wrong("plain http, which can be changed on the way", "use https")
	}
	return wrong("an address is https://… or git+https://…//FILE@REF", "")
}

// cutFile cuts a URL at the double slash after its host.
func cutFile(text string) (repo, file string, ok bool) {
	scheme, rest, _ := strings.Cut(text, "://")
	repo, file, ok = strings.Cut(rest, "//")
	return scheme + "://" + repo, file, ok && repo != "" && file != ""
}

// local says whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Pinned says whether what the address names can never be something else.
func (a Address) Pinned() bool { return a.Digest != "" || fullHash.MatchString(a.Ref) }

// Host is HOST[:PORT].
func (a Address) Host() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Secure says whether no one on the way can listen or change anything.
func (a Address) Secure() bool { return strings.HasPrefix(a.URL, "https://") }

// A Reader reads files by address. Its zero value keeps nothing and has no git.
type Reader struct {
	Dir    string       // where files with a digest are kept; empty = nowhere
	Git    *git.Cache   // nil = addresses of git are refused
	Client *http.Client // nil = the usual one
}

// A Content is a file that was read.
type Content struct {
	Data []byte
	ID   string // "sha256:…", or "commit …"
	Kept bool   // it was here already: no server was asked
}

// Read returns what is at an address.
func (r *Reader) Read(ctx context.Context, text string) (Content, error) {
	a, err := Parse(text)
	if err != nil {
		return Content{}, err
	}
	if a.Repository != "" {
		return r.inGit(ctx, text, a)
	}
	if data, ok := r.kept(a.Digest); ok {
		return Content{data, "sha256:" + a.Digest, true}, nil
	}
	data, err := r.get(ctx, a.URL)
	if err != nil {
		return Content{}, &source.Error{Path: a.URL, Err: err}
	}
	sum := sha256.Sum256(data)
	switch digest := hex.EncodeToString(sum[:]); {
	case a.Digest == "":
		return Content{}, &source.Error{Path: a.URL, Err: errors.New("an address without a digest: what is there may be something else tomorrow"),
			Hint: "after you read the file, pin it: " + a.URL + "@sha256:" + digest}
	case digest != a.Digest:
		return Content{}, &source.Error{Path: a.URL, Err: fmt.Errorf("what is there has sha256:%s, not sha256:%s", digest, a.Digest),
			Hint: "it was changed after its digest was recorded; check it before you use it"}
	}
	r.keep(a.Digest, data)
	return Content{data, "sha256:" + a.Digest, false}, nil
}

// inGit reads a file of a repository.
func (r *Reader) inGit(ctx context.Context, text string, a Address) (Content, error) {
	if r.Git == nil {
		return Content{}, &source.Error{Path: text, Err: errors.New("there is no place for a clone"), Hint: "set XDG_CACHE_HOME"}
	}
	tree, err := r.Git.Ref(ctx, a.Repository, a.Ref)
	if err != nil {
		return Content{}, err
	}
	data, err := fs.ReadFile(tree, a.File)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file there")
	}
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d MiB", maxFile>>20)
	}
	if err != nil {
		return Content{}, &source.Error{Path: text, Err: err}
	}
	id := "commit " + a.Ref
	if t, ok := tree.(*git.Tree); ok {
		id = "commit " + t.Commit
	}
	return Content{Data: data, ID: id}, nil
}

// get reads a URL. A redirect may lead to another server, never to plain http
// of another machine.
func (r *Reader) get(ctx context.Context, from string) ([]byte, error) {
	client := http.Client{Timeout: timeout}
	if r.Client != nil {
		client = *r.Client
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		was := via[len(via)-1].URL
		if req.URL.Scheme != "https" && (req.URL.Scheme != was.Scheme || !local(req.URL.Hostname())) {
			return errors.New("redirected to another server in plain http")
		}
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // the address is said already
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New("the server answers " + res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d MiB", maxFile>>20)
	}
	return data, err
}

// kept is a file of an earlier run; one that was changed since is not.
func (r *Reader) kept(digest string) ([]byte, bool) {
	if r.Dir == "" || digest == "" {
		return nil, false
	}
	root, err := source.OpenRoot(r.Dir)
	if err != nil {
		return nil, false
	}
	defer func() { _ = root.Close() }()
	data, err := root.ReadFile(digest)
	sum := sha256.Sum256(data)
	return data, err == nil && hex.EncodeToString(sum[:]) == digest
}

// keep stores a file for later runs. Where that is not possible, they ask again.
func (r *Reader) keep(digest string, data []byte) {
	if r.Dir == "" {
		return
	}
	root, err := source.MakeRoot(r.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = root.Write(digest, data, 0o644)
}
