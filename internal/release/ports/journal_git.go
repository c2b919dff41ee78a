package ports

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// gitRef is the ref that a release's journal is kept on with --state git.
func gitRef(version string) string { return "refs/cfctl/releases/" + version }

// journalFile is the journal in the tree of the ref's commits.
const journalFile = "journal.jsonl"

// A gitJournal is a journal on a ref of a repository. Records are kept until
// Sync pushes all of them as one commit, onto the one that the ref was seen at
// only. Who is not first is told so; there is no lock that could be left behind.
type gitJournal struct {
	remotes *Remotes
	repo    string
	version string
	session string // random: two drivers that write the same record write two commits

	mu   sync.Mutex
	recs train.Records

	push   sync.Mutex // one at a time; what comes meanwhile goes with the next one
	tip    string     // commit that the ref is at; empty = there is none
	pushed int        // how many of the records are there
	lost   error      // another driver was quicker: nothing is pushed any more
}

// openGitJournal reads the journal of a version from its ref, as it was at most an age ago.
func openGitJournal(ctx context.Context, remotes *Remotes, repo, version string, age time.Duration) (*gitJournal, error) {
	j := &gitJournal{remotes: remotes, repo: repo, version: version, session: rand.Text()}
	if err := git.CheckRevision(gitRef(version)); err != nil {
		return nil, err
	}
	tip, err := remotes.releaseRef(ctx, repo, gitRef(version), age)
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
	j.recs, _, err = train.ParseRecords(gitRef(version), data)
	j.pushed = len(j.recs)
	return j, err
}

// versionsOnRefs are the versions whose journals are on refs of a repository.
func versionsOnRefs(ctx context.Context, remotes *Remotes, repo string) (list []string, err error) {
	refs, err := remotes.releaseRefs(ctx, repo)
	for _, name := range git.Sorted(refs) {
		if version := strings.TrimPrefix(name, gitRef("")); versions.IsVersion(version) {
			list = append(list, version)
		}
	}
	return list, err
}

// readGitJournal reads the records of a version from its ref, as it was just now.
func readGitJournal(ctx context.Context, remotes *Remotes, repo, version string) (train.Records, error) {
	j, err := openGitJournal(ctx, remotes, repo, version, justNow)
	if err != nil {
		return nil, err
	}
	return j.Records(), nil
}

// Append keeps a record for the next Sync.
func (j *gitJournal) Append(_ context.Context, r train.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recs = append(j.recs, j.recs.Chain(r))
	return nil
}

// Sync pushes a commit with the records that are not there yet. When the ref has
// moved since it was read, another driver was quicker: the error wraps
// train.ErrLocked, and nothing was changed.
func (j *gitJournal) Sync(ctx context.Context) error {
	want := len(j.Records())
	j.push.Lock()
	defer j.push.Unlock()
	if j.lost != nil || j.pushed >= want {
		return j.lost
	}
	recs := j.Records()
	next, err := j.send(ctx, recs)
	if errors.Is(err, git.ErrMoved) {
		j.lost = fmt.Errorf("%w, from another machine: %s of %s has moved", train.ErrLocked, gitRef(j.version), j.repo)
		return j.lost
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.tip, j.pushed = next, len(recs)
	return nil
}

// send pushes the records as the commit after the tip, and returns it.
func (j *gitJournal) send(ctx context.Context, recs train.Records) (commit string, err error) {
	var data []byte
	for _, r := range recs {
		data = append(data, r.Line()...)
	}
	who, err := j.remotes.Identity(ctx)
	if err != nil {
		return "", err
	}
	last := recs[len(recs)-1]
	var parents []string
	if j.tip != "" {
		parents = []string{j.tip}
	}
	err = j.remotes.with(ctx, j.repo, "", false, func(local *git.Repo) error {
		tree, err := local.WriteTree(ctx, "", []git.Change{{Path: journalFile, Data: data}})
		if err != nil {
			return err
		}
		commit, err = local.CommitTree(ctx, git.NewCommit{Tree: tree, Parents: parents, Message: last.Kind + " " + last.Step + "\n\nsession " + j.session, Author: who, Time: last.Time})
		if err != nil {
			return err
		}
		return j.remotes.push(ctx, local, j.repo, git.Update{Ref: gitRef(j.version), Old: j.tip, New: commit})
	})
	return commit, err
}

// Records returns what is there so far.
func (j *gitJournal) Records() train.Records {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.recs)
}

// Shared says whether a journal is on a ref: another driver may have read it.
func Shared(j train.Log) bool {
	_, ok := j.(*gitJournal)
	return ok
}

// Close has nothing to do: what was not pushed is what the actual state says again.
func (j *gitJournal) Close() error { return nil }
