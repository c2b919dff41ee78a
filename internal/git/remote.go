package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// A RemoteError says that a remote could not be asked: no network, no such
// host, time-out, no permission, no such repository. Nothing is known then of
// what the remote holds. Gone, when set, means that the remote itself said
// that there is no such repository (or none that we may see: GitHub answers
// alike). Refused, when set, means that it understood and said no: to who asks,
// or to what was pushed. Neither goes away by trying again.
type RemoteError struct {
	URL     string // without credentials
	Gone    bool
	Refused bool
	Err     error
}

func (e *RemoteError) Error() string { return fmt.Sprintf("%s: %v", e.URL, e.Err) }

func (e *RemoteError) Unwrap() error { return e.Err }

// InTransit says whether trying again may help.
func (e *RemoteError) InTransit() bool { return !e.Gone && !e.Refused }

// Refs are the tags of one remote repository.
type Refs struct {
	Tags map[string]Ref // by short name, tags peeled
}

// Has says whether there is such a tag.
func (r Refs) Has(tag string) bool { _, ok := r.Tags[tag]; return ok }

// Remotes asks remotes for their tags, at most once per URL for its life, also
// when asked from many goroutines at once. The zero value is ready.
type Remotes struct {
	Timeout  time.Duration // of one request and its repetitions; zero = 30 s
	patience wire.Patience

	mu    sync.Mutex
	calls map[string]*lsRemote
	bytes int // of all answers
	slots chan struct{}
}

type lsRemote struct {
	once sync.Once
	refs Refs
	err  error
}

// Read runs f, which asks a remote, until it succeeds, fails for good, or was
// tried often enough: what a remote refuses, or has not, stays so.
func Read(ctx context.Context, p wire.Patience, f func() error) error {
	return p.Try(ctx, func() (bool, time.Duration, error) {
		err := f()
		var remote *RemoteError
		return errors.As(err, &remote) && !remote.Gone && !remote.Refused, 0, err
	})
}

// within reads from a remote, with all repetitions, for no longer than timeout.
// What fails is a *RemoteError.
func within(ctx context.Context, p wire.Patience, timeout time.Duration, url string, f func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := Read(bounded, p, func() error { return remoteError(url, f(bounded)) })
	var remote *RemoteError
	if !errors.As(err, &remote) {
		return err
	}
	switch {
	case ctx.Err() != nil:
		remote.Err = ctx.Err()
	case bounded.Err() != nil:
		remote.Err = fmt.Errorf("no answer within %v", timeout)
	}
	return err
}

// parallel is how many remotes are asked at the same time.
const parallel = 16

// Tags lists the tags of the repository at url with one `git ls-remote`.
// A repository without tags is an empty Refs and no error; every failure is a
// *RemoteError.
func (r *Remotes) Tags(ctx context.Context, url string) (Refs, error) {
	r.mu.Lock()
	if r.calls == nil {
		r.calls, r.slots = map[string]*lsRemote{}, make(chan struct{}, parallel)
	}
	c := r.calls[url]
	if c == nil {
		c = &lsRemote{}
		r.calls[url] = c
	}
	r.mu.Unlock()
	c.once.Do(func() {
		r.slots <- struct{}{}
		defer func() { <-r.slots }()
		c.refs, c.err = r.ask(ctx, url)
	})
	return c.refs, c.err
}

func (r *Remotes) ask(ctx context.Context, url string) (refs Refs, err error) {
	err = within(ctx, r.patience, cmp.Or(r.Timeout, 30*time.Second), url, func(ctx context.Context) error {
		list, err := listHeads(ctx, url)
		if err == nil {
			err = r.take(url, list)
		}
		if err == nil {
			refs.Tags = tagsOf(list)
		}
		return err
	})
	return refs, err
}

// What is kept of the refs of one remote, and of all: who names the remotes is not trusted.
// Large repositories have a tenth of the one.
const (
	mostRefs    = 16 << 20
	mostAllRefs = 4 * mostRefs
)

// take counts an answer that is kept.
func (r *Remotes) take(url string, list []remoteRef) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range list {
		r.bytes += len(line.name) + len(line.value)
	}
	if r.bytes > mostAllRefs {
		return &RemoteError{URL: Redact(url), Refused: true, Err: fmt.Errorf("the tags of all remotes are more than %d MB", mostAllRefs>>20)}
	}
	return nil
}

// A remoteRef is a line of `git ls-remote`: the full name of a ref, and its hash or,
// with --symref, the ref that it represents ("ref: refs/heads/main").
type remoteRef struct{ name, value string }

// listRefs asks a remote for its refs. Every failure is a *RemoteError.
func listRefs(ctx context.Context, url string, options []string, patterns ...string) ([]remoteRef, error) {
	if err := CheckURL(url); err != nil {
		return nil, &RemoteError{URL: Redact(url), Refused: true, Err: err}
	}
	out, err := command{in: nobody, args: slices.Concat([]string{"ls-remote", "--quiet"}, options, []string{"--", url}, patterns), most: mostRefs}.run(ctx)
	if errors.Is(err, errLong) {
		return nil, &RemoteError{URL: Redact(url), Refused: true, Err: err}
	}
	if err != nil {
		return nil, remoteError(url, err)
	}
	var list []remoteRef
	for line := range strings.Lines(string(out)) {
		value, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, remoteRef{name, value})
	}
	return list, nil
}

// listHeads asks a remote for its branches and tags. None of both is an error over
// http, where a page without content is, to git, the list of an empty repository.
func listHeads(ctx context.Context, url string) ([]remoteRef, error) {
	list, err := listRefs(ctx, url, []string{"--heads", "--tags"})
	if err == nil && len(list) == 0 && (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) {
		err = &RemoteError{URL: Redact(url), Err: errors.New("the answer has no branch and no tag: the repository is empty, or the server does not speak git")}
	}
	return list, err
}

// saysGone recognises the ways in which git's transports say that there is no
// such repository.
func saysGone(stderr string) bool {
	return says(stderr+"\n", "Repository not found", "not found\n", "does not appear to be a git repository", "does not exist")
}

// says whether a text has one of some parts.
func says(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// saysNo recognises a remote that was reached, or not trusted, and answers no:
// credentials, permissions, protected refs, hooks, certificates. What a server
// calls an error of its own is none of these.
func saysNo(stderr string) bool {
	text := strings.ToLower(stderr)
	itsOwn := says(text, "internal server error", "internal error", "unpacker error", "returned error: 5", "returned error: 429")
	return !itsOwn && says(text, "authentication failed", "could not read username", "could not read password", "permission denied", "permission to ", "access denied",
		"host key verification failed", "certificate", "returned error: 4", "[remote rejected]", "hook declined", "not allowed")
}

// tagsOf are the tags among refs, "refs/tags/NAME" and "refs/tags/NAME^{}".
func tagsOf(list []remoteRef) map[string]Ref {
	tags := map[string]Ref{}
	for _, line := range list {
		name, isTag := strings.CutPrefix(line.name, "refs/tags/")
		if !isTag {
			continue
		}
		name, peeled := strings.CutSuffix(name, "^{}")
		ref := tags[name]
		ref.Name, ref.Commit = name, line.value
		if !peeled {
			ref.Object = line.value
		}
		tags[name] = ref
	}
	return tags
}

// CheckURL refuses a remote that git could take for an option, and transports
// that run commands (ext::).
func CheckURL(url string) error {
	switch {
	case url == "":
		return errors.New("empty URL")
	case strings.HasPrefix(url, "-"):
		return fmt.Errorf("URL %q begins with a dash", url)
	case strings.Contains(url, "::"):
		return fmt.Errorf("URL %q names a remote helper", url)
	case strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("URL %q has a control character", url)
	}
	return nil
}
