package git

import (
	"context"
	"errors"
)

// Clashes are the files in which a merge of two commits (full hashes, whose
// histories were fetched) has changes of both sides at the same place; nil: it
// has none.
func (r *Repo) Clashes(ctx context.Context, ours, theirs string) ([]string, error) {
	if err := errors.Join(CheckRevision(ours), CheckRevision(theirs)); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
	var failed *CommandError
	if errors.As(err, &failed) && failed.code == 1 {
		if list := splitZ(out); len(list) > 1 {
			return list[1:], nil // the first is the tree
		}
	}
	return nil, err
}
