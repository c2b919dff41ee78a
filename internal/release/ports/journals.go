package ports

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

// Journals are those of the releases of a stack: on refs of the root's repository, or in
// files, which are one user's.
type Journals struct {
	Remotes *Remotes
	Repo    string // the root's
	Home    string // the folder that the files are below
	OnRefs  bool
	Offline bool
	Key     func(fresh bool) ([]byte, error) // that seals files; fresh = one is made where there is none
}

// foreignHint is about a journal in a file that was not written by this user: it came with
// the tree, or from another machine.
const foreignHint = "move it to another place; the next run observes what is done, and approvals are needed again\n" +
	"a journal of several machines: --state git, or the same CFCTL_JOURNAL_KEY on each"

// Read reads the journal of a release; none has no records.
func (j *Journals) Read(ctx context.Context, version string) (train.Records, error) {
	if j.OnRefs {
		return readGitJournal(ctx, j.Remotes, j.Repo, version)
	}
	return j.File(version)
}

// File reads the journal in the file of a release, without any request.
func (j *Journals) File(version string) (train.Records, error) {
	path := train.JournalPath(j.Home, version)
	rs, err := train.ReadJournal(path)
	if err != nil {
		return nil, err
	}
	key, err := j.Key(false)
	if err != nil {
		return nil, err
	}
	if err := train.CheckSeals(rs, key, version); err != nil {
		return rs, source.Hinted(fmt.Errorf("%s: %w", path, err), foreignHint)
	}
	return rs, nil
}

// Any reads the journal of a release where it is: in its file, if that is this user's,
// else on its ref.
func (j *Journals) Any(ctx context.Context, version string) (train.Records, error) {
	if rs, err := j.File(version); err == nil && len(rs) > 0 {
		return rs, nil
	}
	if j.Offline {
		return nil, nil
	}
	return readGitJournal(ctx, j.Remotes, j.Repo, version)
}

// OnRef says whether the journal of a release is on its ref.
func (j *Journals) OnRef(ctx context.Context, version string) (bool, error) {
	tip, err := j.Remotes.releaseRef(ctx, j.Repo, gitRef(version), 0)
	return tip != "", err
}

// ErrOnRef is the error of a release that is to be driven with a journal in a file while
// it is driven with one on a ref.
var ErrOnRef = errors.New("the journal is on a ref")

// Open opens the journal of a release for writing, and gives env the key that seals it. A
// second driver waits here.
func (j *Journals) Open(ctx context.Context, env *train.Env, version string, waiting func(holder string)) (train.Log, error) {
	if j.OnRefs {
		return openGitJournal(ctx, j.Remotes, j.Repo, version, 0)
	}
	if _, err := j.File(version); err != nil {
		return nil, err // not written by this user
	}
	there, err := j.OnRef(ctx, version)
	if there {
		err = ErrOnRef
	}
	if err == nil {
		env.Key, err = j.Key(true)
	}
	if err != nil {
		return nil, err
	}
	return train.OpenJournal(ctx, train.JournalPath(j.Home, version), waiting)
}

// UnderWay are the releases that have begun, and are neither complete nor aborted, lowest
// first.
func (j *Journals) UnderWay(ctx context.Context) (list []string, err error) {
	var versions []string
	if j.OnRefs {
		versions, err = versionsOnRefs(ctx, j.Remotes, j.Repo)
	} else {
		versions, err = train.Journals(j.Home)
	}
	if err != nil {
		return nil, err
	}
	semver.Sort(versions)
	for _, version := range versions {
		rs, err := j.Read(ctx, version)
		if err != nil {
			return nil, err
		}
		if len(rs) > 0 && rs.Aborted() == nil && rs.Epoch().Last("", train.KindEnd) == nil {
			list = append(list, version)
		}
	}
	return list, nil
}
