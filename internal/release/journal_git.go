package release

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/project-codeflare/cfctl/internal/git"
)

// gitRef is the ref that a release's journal is kept on with --state git.
func gitRef(version string) string { return "refs/cfctl/releases/" + version }

// journalFile is the journal in the tree of the ref's commits.
const journalFile = "journal.jsonl"

// A GitJournal is a journal on a ref of a repository: each record is a commit,
// pushed onto the one before only. Who is not first is told so; there is no
// lock that could be left behind.
type GitJournal struct {
	remotes *Remotes
	repo    string
	version string
	session string // random: two drivers that write the same record write two commits

	mu   sync.Mutex
	recs Records
	tip  string // commit that the ref is at; empty = there is none
}

// OpenGitJournal reads the journal of a version from its ref.
func OpenGitJournal(ctx context.Context, remotes *Remotes, repo, version string) (*GitJournal, error) {
	j := &GitJournal{remotes: remotes, repo: repo, version: version, session: rand.Text()}
	if err := git.CheckRevision(gitRef(version)); err != nil {
		return nil, err
	}
	tip := ""
	err := remotes.read(ctx, func(ctx context.Context) (err error) {
		tip, err = git.RemoteRef(ctx, remotes.url(repo), gitRef(version))
		return err
	})
	if err != nil || tip == "" {
		return j, err
	}
	s, err := remotes.Tree(ctx, repo, tip, false)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(s.Files, journalFile)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", gitRef(version), repo, err)
	}
	j.tip = tip
	j.recs, _, err = parseJournal(gitRef(version), data)
	return j, err
}

// ReadGitJournal reads the records of a version from its ref.
func ReadGitJournal(ctx context.Context, remotes *Remotes, repo, version string) (Records, error) {
	j, err := OpenGitJournal(ctx, remotes, repo, version)
	if err != nil {
		return nil, err
	}
	return j.Records(), nil
}

// Append pushes a commit with one more record. When the ref has moved since it
// was read, another driver was quicker: the error wraps errLocked, and nothing
// was changed.
func (j *GitJournal) Append(ctx context.Context, r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r = j.recs.chain(r)
	var data []byte
	for _, old := range j.recs {
		data = append(data, old.encode()...)
	}
	data = append(data, r.encode()...)
	who, err := j.remotes.Identity(ctx)
	if err != nil {
		return err
	}
	next := ""
	err = j.remotes.with(ctx, j.repo, "", false, func(local *git.Repo) error {
		tree, err := local.WriteTree(ctx, "", []git.Change{{Path: journalFile, Data: data}})
		if err != nil {
			return err
		}
		next, err = local.CommitTree(ctx, git.NewCommit{Tree: tree, Parents: compact(j.tip), Message: r.Kind + " " + r.Step + "\n\nsession " + j.session, Author: who, Time: r.Time})
		if err != nil {
			return err
		}
		return j.remotes.push(ctx, local, j.repo, git.Update{Ref: gitRef(j.version), Old: j.tip, New: next})
	})
	if errors.Is(err, git.ErrMoved) {
		return fmt.Errorf("%w, from another machine: %s of %s has moved", errLocked, gitRef(j.version), j.repo)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.tip, j.recs = next, append(j.recs, r)
	return nil
}

// Records returns what is there so far.
func (j *GitJournal) Records() Records {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.recs[:len(j.recs):len(j.recs)]
}

// Close has nothing to do.
func (j *GitJournal) Close() error { return nil }
