package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A remote is a kustomize reference to a folder of a git repository.
// Source: https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md
type remote struct {
	url  string // for git: "https://github.com/OWNER/NAME"
	path string // in the repository; "." = its top
	ref  string // empty = the default branch
}

var (
	scpLike  = lazyregexp.New(`^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:`)
	hostLike = lazyregexp.New(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+/`)
)

// parseRemote reads a reference. One that cannot be a repository (a relative
// path, a raw file on the web) is not ok.
func parseRemote(text string) (remote, bool) {
	if len(text) >= len("git::") && strings.EqualFold(text[:len("git::")], "git::") {
		text = text[len("git::"):]
	}
	rest, query, _ := strings.Cut(text, "?")
	r := remote{ref: refOf(query)}
	var prefix string
	if name, ok := strings.CutPrefix(rest, "github.com:"); ok {
		rest = "github.com/" + name // as kustomize reads it, with and without a user
	}
	switch i := strings.Index(rest, "://"); {
	case i > 0:
		j := strings.IndexByte(rest[i+3:], '/')
		if j < 0 {
			return r, false
		}
		prefix, rest = rest[:i+3+j+1], rest[i+3+j+1:]
	case scpLike.MatchString(rest):
		j := strings.IndexByte(rest, ':')
		prefix, rest = rest[:j+1], rest[j+1:]
	case hostLike.MatchString(rest) && strings.Count(rest, "/") >= 2:
		j := strings.IndexByte(rest, '/')
		prefix, rest = "https://"+rest[:j+1], rest[j+1:]
	default:
		return r, false
	}
	repository, inner, ok := splitRepository(prefix, rest)
	if !ok {
		return r, false
	}
	r.url, r.path = prefix+repository, path.Clean("./"+inner)
	return r, fs.ValidPath(r.path)
}

// check refuses a reference that git could take for anything else than an
// address on the web and a ref: the tree that it is in is not trusted to
// name an option, a program, a key of the user or a repository on this machine.
func (r remote) check() error {
	scheme, _, found := strings.Cut(r.url, "://")
	switch {
	case strings.HasPrefix(r.ref, "-"), strings.HasPrefix(r.url, "-"):
		return errors.New("it begins with a dash, as an option does")
	case strings.ContainsFunc(r.url+r.ref, unicode.IsControl):
		return errors.New("it holds a control character")
	case !found || strings.ToLower(scheme) != "https" || strings.Contains(r.url, "@"):
		return errors.New("only https addresses without a user are read")
	}
	return nil
}

// splitRepository cuts what follows the host into repository and folder: at
// "//" or ".git", else after OWNER/NAME on the hosts where repositories have
// two-part names.
func splitRepository(prefix, rest string) (repository, inner string, ok bool) {
	rest = strings.Trim(rest, "/")
	if a, b, found := strings.Cut(rest, "//"); found {
		return strings.TrimSuffix(a, ".git"), b, true
	}
	if i := strings.Index(rest, ".git/"); i > 0 {
		return rest[:i], rest[i+5:], true
	}
	if before, ok0 := strings.CutSuffix(rest, ".git"); ok0 {
		return before, "", true
	}
	if strings.HasPrefix(prefix, "http") && strings.Contains(prefix, "//raw.") || strings.HasPrefix(prefix, "file:") {
		return rest, "", strings.HasPrefix(prefix, "file:")
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 2 {
		return "", "", false
	}
	if len(parts) == 3 {
		inner = parts[2]
	}
	switch path.Ext(inner) {
	case ".yaml", ".yml", ".json":
		return "", "", false // a file that kustomize fetches over HTTP
	}
	return parts[0] + "/" + parts[1], inner, true
}

func refOf(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	if v := q.Get("ref"); v != "" {
		return v
	}
	return q.Get("version")
}

// GitRemotes reads remote references through git and keeps them in a cache.
type GitRemotes struct {
	Cache *git.Cache
}

// Tree is a Remotes. Where the remote has no such ref, or cannot be
// asked, the tag that holds the same version is taken ("v1.32.0" for
// "release-v1.32.0"), and the note says so.
func (g GitRemotes) Tree(ctx context.Context, url, ref string) (fs.FS, string, error) {
	ref = cmp.Or(ref, "HEAD")
	tree, err := g.Cache.Ref(ctx, url, ref)
	if err == nil {
		return tree, "", nil
	}
	for _, tag := range sameVersion(ref) {
		if tree, terr := g.Cache.Ref(ctx, url, tag); terr == nil {
			return tree, fmt.Sprintf("%s: %s is not there; took the tag %s", git.Redact(url), ref, tag), nil
		}
	}
	return nil, "", err
}

var versionIn = lazyregexp.New(`v?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)$`)

// sameVersion lists the tags that could hold the version that ref ends in.
func sameVersion(ref string) []string {
	m := versionIn.FindStringSubmatch(ref)
	if m == nil || !semver.IsValid("v"+m[1]) {
		return nil
	}
	return slices.DeleteFunc([]string{"v" + m[1], m[1]}, func(tag string) bool { return tag == ref })
}
