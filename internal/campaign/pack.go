package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
)

// errPack is wrapped by the errors of a result that a worker of cfctl does not
// make: it is not pushed.
var errPack = errors.New("the result is not what it says")

// checkPack takes the pack of a result into an own repository, which has the
// base without its files, and holds it against the result: the commit is the
// plan's, its only parent is the base, and it changes exactly the files that the
// result names, as a migration does: no file becomes a link, a program or a
// submodule, and nothing is new that is not the new name of something.
func checkPack(ctx context.Context, local *git.Repo, p *Plan, r *Result, pack []byte) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("%w: %w", errPack, err)
	}
	if err := local.FetchLean(ctx, r.Base, 0); err != nil {
		return err
	}
	if err := local.AddPack(ctx, pack, maxPack); err != nil {
		return fmt.Errorf("%w: %w", errPack, err)
	}
	info, err := local.CommitInfo(ctx, r.Commit)
	if err != nil {
		return fmt.Errorf("%w: commit %s: %w", errPack, short(r.Commit), err)
	}
	switch {
	case !slices.Equal(info.Parents, []string{r.Base}):
		return fmt.Errorf("%w: commit %s is not a child of its base alone", errPack, short(r.Commit))
	case info.Author != p.Author || strings.TrimSpace(info.Message) != strings.TrimSpace(p.signed()):
		return fmt.Errorf("%w: commit %s has another author or message than the plan", errPack, short(r.Commit))
	}
	changes, err := local.TreeChanges(ctx, r.Base, r.Commit)
	if err != nil {
		return fmt.Errorf("%w: %w", errPack, err)
	}
	return checkChanges(changes, r.Paths, p.Dual)
}

// signed is the message of the plan's commits with its trailer.
func (p *Plan) signed() string {
	if !p.SignOff {
		return p.Message()
	}
	return p.Message() + "\n\nSigned-off-by: " + p.Author.String()
}

// checkChanges holds the files of a commit against those that a result names.
func checkChanges(changes []git.FileChange, paths []string, dual bool) error {
	const none = "000000"
	var got []string
	added, removed := 0, 0
	for _, c := range changes {
		got = append(got, textOf(c.Path))
		for _, mode := range []string{c.OldMode, c.NewMode} {
			if mode != "100644" && mode != "100755" && mode != none {
				return fmt.Errorf("%w: %s is no plain file (%s)", errPack, oneLine(c.Path), mode)
			}
		}
		switch {
		case c.OldMode == none:
			added++
		case c.NewMode == none:
			removed++
		case c.OldMode != c.NewMode:
			return fmt.Errorf("%w: the mode of %s changes", errPack, oneLine(c.Path))
		}
	}
	switch {
	case !slices.Equal(got, paths):
		return fmt.Errorf("%w: the commit changes other files than the result names", errPack)
	case added > removed && !dual:
		return fmt.Errorf("%w: a file is new that is not the new name of another", errPack)
	}
	return nil
}
