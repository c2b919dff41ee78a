package release

import (
	"context"
	"time"

	"github.com/project-codeflare/cfctl/internal/train"
)

// pauses is the journal that says whether releases are paused, in place of a version.
const pauses = "paused"

// Pause pauses all releases of a stack, or resumes them, on every machine: it is
// written on a ref of the root's repository. The record is the one that holds already,
// and was is true, where nothing changes; it is nil where nothing was ever paused.
func Pause(ctx context.Context, remotes *Remotes, repo, kind, reason, who string) (r *train.Record, was bool, err error) {
	j, err := OpenGitJournal(ctx, remotes, repo, pauses)
	if err != nil {
		return nil, false, err
	}
	last := j.Records().Last("")
	if last == nil && kind == train.KindResume || last != nil && last.Kind == kind {
		return last, true, nil
	}
	if err := j.Append(ctx, train.Record{Kind: kind, Time: time.Now(), Text: reason, Who: who}); err != nil {
		return nil, false, err
	}
	return j.Records().Last(""), false, j.Sync(ctx)
}

// Paused is the record by which the releases of a stack are paused, as it was at most an age
// ago; nil = they are not.
func Paused(ctx context.Context, remotes *Remotes, repo string, age time.Duration) (*train.Record, error) {
	rs, err := readGitJournal(ctx, remotes, repo, pauses, age)
	if r := rs.Last("", train.KindPause, train.KindResume); err == nil && r != nil && r.Kind == train.KindPause {
		return r, nil
	}
	return nil, err
}
