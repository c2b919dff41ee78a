package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// An Identity is who makes commits and tags.
type Identity struct {
	Name, Email string
}

// String is the form of trailers: "Name <mail@example.com>".
func (i Identity) String() string { return i.Name + " <" + i.Email + ">" }

// Committer is the identity that git is configured with, or an error when
// there is none. It is not guessed from the names of user and host.
func Committer(ctx context.Context) (Identity, error) {
	at, settings, err := lay(".")
	if err != nil {
		return Identity{}, err
	}
	out, err := command{dir: at, more: settings, args: []string{"-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"}}.run(ctx)
	if err != nil {
		return Identity{}, errors.New("git has no identity: user.name and user.email are not set")
	}
	name, rest, _ := strings.Cut(string(out), " <")
	mail, _, ok := strings.Cut(rest, ">")
	if !ok || name == "" || mail == "" {
		return Identity{}, fmt.Errorf("git has no identity: %q", strings.TrimSpace(string(out)))
	}
	return Identity{name, mail}, nil
}

// SigningKey says whether git is configured with a key for signatures
// (user.signingKey, or gpg.ssh.defaultKeyCommand).
func SigningKey(ctx context.Context) bool {
	out, err := command{in: nobody, args: []string{"config", "--get-regexp", `^(user\.signingkey|gpg\.ssh\.defaultkeycommand)$`}}.run(ctx)
	return err == nil && keyed(string(out))
}

// keyed says whether one of the lines "KEY VALUE" has a value.
func keyed(lines string) bool {
	for line := range strings.Lines(lines) {
		if _, value, _ := strings.Cut(strings.TrimSpace(line), " "); value != "" {
			return true
		}
	}
	return false
}

// A Change is one file of a new commit: its content, or its removal.
type Change struct {
	Path   string // slash-separated, relative to the top
	Data   []byte
	Delete bool
	Exec   bool // mode 100755 for a file that is new; a file that is there keeps its mode
}

// checkPath refuses paths that leave the tree or reach into git's own folder,
// where a backslash separates, too. Whatever else git takes is a name.
func checkPath(p string) error {
	for part := range strings.SplitSeq(strings.ReplaceAll(p, `\`, "/"), "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.Contains(part, "\x00") {
			return fmt.Errorf("path %q is not one of a file in a tree", p)
		}
	}
	return nil
}

// A NewCommit is what CommitTree writes. The committer is the author.
type NewCommit struct {
	Tree    string
	Parents []string
	Message string
	Author  Identity
	Time    time.Time // of author and committer, so that equal commits have equal hashes
	SignOff bool      // adds "Signed-off-by: AUTHOR" (Developer Certificate of Origin)
	sign    bool
}

// CommitTree writes a commit object and returns its hash.
func (r *Repo) CommitTree(ctx context.Context, c NewCommit) (string, error) {
	message := strings.TrimSpace(c.Message) + "\n"
	if c.SignOff {
		message += "\nSigned-off-by: " + c.Author.String() + "\n"
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "--no-gpg-sign"}
	if c.sign {
		args[len(args)-1] = "-S"
	}
	for _, p := range c.Parents {
		args = append(args, "-p", p)
	}
	stamp := "@" + strconv.FormatInt(c.Time.Unix(), 10) + " +0000"
	env := []string{
		"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, "GIT_AUTHOR_DATE=" + stamp,
		"GIT_COMMITTER_NAME=" + c.Author.Name, "GIT_COMMITTER_EMAIL=" + c.Author.Email, "GIT_COMMITTER_DATE=" + stamp,
	}
	if err := CheckRevision(c.Tree); err != nil {
		return "", err
	}
	out, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: append(args, c.Tree), env: env, stdin: strings.NewReader(message)}.run(ctx)
	return strings.TrimSpace(string(out)), err
}

// SignCommit writes a commit again with a signature by git's configured key, and
// returns its hash. All else of it stays. A commit that has no signature then is
// an error.
func (r *Repo) SignCommit(ctx context.Context, commit string) (string, error) {
	info, err := r.CommitInfo(ctx, commit)
	if err != nil {
		return "", err
	}
	hash, err := r.CommitTree(ctx, NewCommit{Tree: info.Tree, Parents: info.Parents, Message: info.Message, Author: info.Author, Time: info.Time, sign: true})
	if err != nil {
		return "", err
	}
	o, err := r.object(ctx, hash)
	if err != nil {
		return "", err
	}
	if head, _, _ := strings.Cut(string(o.data), "\n\n"); !strings.Contains(head, "\ngpgsig") {
		return "", fmt.Errorf("commit %.7s was made without a signature", hash)
	}
	return hash, nil
}

// A CommitInfo is what a commit object says.
type CommitInfo struct {
	Hash, Tree string
	Parents    []string // as the object says, also where their objects were not fetched
	Author     Identity
	Time       time.Time // of the committer
	Message    string
}

var signedBy = lazyregexp.New(`^(.*) <([^>]*)> (\d+) [+-]\d{4}$`)

// CommitInfo reads a commit object. A revision that is not there is an error
// that wraps ErrNotFound.
func (r *Repo) CommitInfo(ctx context.Context, rev string) (CommitInfo, error) {
	hash, err := r.Resolve(ctx, rev)
	if err != nil {
		return CommitInfo{}, err
	}
	o, err := r.object(ctx, hash)
	if err != nil {
		return CommitInfo{}, err
	}
	info := CommitInfo{Hash: hash}
	head, message, _ := strings.Cut(string(o.data), "\n\n")
	info.Message = message
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch m := signedBy.FindStringSubmatch(value); {
		case key == "tree":
			info.Tree = value
		case key == "parent":
			info.Parents = append(info.Parents, value)
		case key == "author" && m != nil:
			info.Author = Identity{m[1], m[2]}
		case key == "committer" && m != nil:
			sec, _ := strconv.ParseInt(m[3], 10, 64)
			info.Time = time.Unix(sec, 0).UTC()
		}
	}
	return info, nil
}

// MakeTag writes an annotated tag object, signed with git's configured key
// when sign is set and then verified to carry a signature, and returns its
// hash. No ref is kept.
func (r *Repo) MakeTag(ctx context.Context, name, commit, message string, sign bool) (string, error) {
	if err := errors.Join(CheckTag(ctx, name), CheckRevision(commit)); err != nil {
		return "", err
	}
	kind := "--annotate"
	if sign {
		kind = "--sign"
	}
	var o object
	err := r.change(ctx, func() error {
		in := command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"-c", "tag.gpgSign=false", "tag", kind, "--force", "--cleanup=verbatim", "-F", "-", "--", name, commit}, stdin: strings.NewReader(message + "\n")}
		if _, err := in.run(ctx); err != nil {
			return err
		}
		var err error
		if o, err = r.object(ctx, "refs/tags/"+name); err != nil {
			return err
		}
		_, err = r.git(ctx, "update-ref", "-d", "refs/tags/"+name)
		return err
	})
	if err != nil {
		return "", err
	}
	if sign && !strings.Contains(string(o.data), "-----BEGIN ") {
		return "", fmt.Errorf("tag %s was made without a signature", name)
	}
	return o.hash, nil
}

// DiffTrees is the difference between two trees or commits as a unified diff;
// limited to paths when there are any. Empty means equal.
func (r *Repo) DiffTrees(ctx context.Context, a, b string, paths ...string) (string, error) {
	if err := errors.Join(CheckRevision(a), CheckRevision(b)); err != nil {
		return "", err
	}
	slices.Sort(paths)
	args := append([]string{"--literal-pathspecs", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", a, b, "--"}, paths...)
	return r.git(ctx, args...)
}
