package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
)

// signing ends the name of the branch on which the forge makes a commit.
const signing = "-signing"

// sign has the forge make the commit of a result again, which signs it: for
// repositories that take signed commits alone. It is made on a branch next to the
// campaign's, so that the latter is moved in one step, from where it was seen, to
// a commit that the store knows. Its tree must be that of the result.
//
// Source: https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
func (w *opener) sign(ctx context.Context, local *git.Repo, info forge.Repository, url string, r *Result) (string, error) {
	beside := w.plan.Branch() + signing
	ref := "refs/heads/" + beside
	old, err := git.RemoteRef(ctx, url, ref)
	if err != nil {
		return "", err
	}
	if old != r.Base { // only ours: what a killed run left there is thrown away
		if err := local.PushLean(ctx, url, git.Update{Ref: ref, Old: old, New: r.Base}); err != nil {
			return "", err
		}
	}
	c := forge.NewCommit{Branch: beside, Base: r.Base, Message: w.plan.signed()}
	files, paths, err := changed(ctx, local, r)
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		data, err := files.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.Delete = append(c.Delete, path)
		case err != nil:
			return "", fmt.Errorf("%w: %w", errOwn, err)
		default:
			c.Add = append(c.Add, forge.File{Path: path, Data: data})
		}
	}
	signed, err := w.Forge.Commit(ctx, info.Name, c)
	if err != nil {
		return "", err
	}
	if !validHash.MatchString(signed) {
		return "", fmt.Errorf("the forge made the commit %q", oneLine(signed))
	}
	return signed, w.checkSigned(ctx, local, r, signed)
}

// errOther says that the forge made another commit than it was asked for.
var errOther = errors.New("the commit that the forge made has other files: it cannot make programs")

// checkSigned compares the forge's commit with that of the result.
func (w *opener) checkSigned(ctx context.Context, local *git.Repo, r *Result, signed string) error {
	if err := local.FetchLean(ctx, signed, 0); err != nil {
		return err
	}
	want, err := local.CommitInfo(ctx, r.Commit)
	if err != nil {
		return err
	}
	got, err := local.CommitInfo(ctx, signed)
	if err != nil {
		return err
	}
	if got.Tree != want.Tree || !slices.Equal(got.Parents, want.Parents) {
		return errOther
	}
	return nil
}

// push moves the campaign's branch to the commit of a result, or to one that the
// forge made of it. moved says that a user was quicker, and nothing was pushed.
func (w *opener) push(ctx context.Context, local *git.Repo, info forge.Repository, url string, r *Result, rec *Record, head string) (moved bool, err error) {
	to := r.Commit
	if w.Sign {
		if to, err = w.sign(ctx, local, info, url, r); err != nil {
			return errors.Is(err, git.ErrMoved), ignore(err, git.ErrMoved)
		}
		rec.Pushed = append(rec.Pushed, to)
		if err := w.record(ctx, rec); err != nil { // known before the branch is there
			return false, err
		}
	}
	err = local.PushLean(ctx, url, git.Update{Ref: "refs/heads/" + w.plan.Branch(), Old: head, New: to})
	if err == nil && w.Sign {
		if err := local.PushLean(ctx, url, git.Update{Ref: "refs/heads/" + w.plan.Branch() + signing, Old: to, New: git.Zero}); err != nil {
			w.note("%s: the branch %s was not deleted: %v", info.Name, w.plan.Branch()+signing, err)
		}
	}
	return errors.Is(err, git.ErrMoved), ignore(err, git.ErrMoved)
}

// ignore is err, unless it wraps another one.
func ignore(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}
