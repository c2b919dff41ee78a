package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A RowPull is the pull request that declares a release in matrix.releases of
// the root's repository.
type RowPull struct {
	Repo   string // of the root
	Base   string // branch
	Branch string // that gets the commit
	title  string
	body   string
	row    matrix.Release
	sign   string // as Recipe.Sign
}

// A RowOpened is what became of it.
type RowOpened struct {
	Declared bool       // the base declares it already: there is nothing to open
	Pull     forge.Pull // open, or closed without a merge
	Fresh    bool       // it was opened, or its branch was written, right now
}

// RowOf is the pull request for a row: on a branch beside the one of the
// release itself.
func RowOf(r *recipe.Recipe, repo, title, body, branch string, row matrix.Release) RowPull {
	return RowPull{Repo: repo, Base: branch, Branch: r.Prefix + row.Version + "-row", title: title, body: body, row: row, sign: r.Sign}
}

// Open opens it, unless it is there: then its branch is brought to what the row
// is on the base of now. A branch with commits of others is left alone, which
// is an error; a configuration that is not there wraps fs.ErrNotExist, a
// release that is declared otherwise matrix.ErrDeclared.
func (p RowPull) Open(ctx context.Context, g ports.GitPort, f forge.Forge) (RowOpened, error) {
	heads, err := g.Heads(ctx, p.Repo)
	if err != nil {
		return RowOpened{}, err
	}
	base := heads.Branches[p.Base]
	if base == "" {
		return RowOpened{}, &recipe.BranchError{Repository: p.Repo, Branch: p.Base}
	}
	made, err := p.commit(ctx, g, base)
	if err != nil || made.Commit == "" {
		return RowOpened{Declared: err == nil}, err
	}
	owner, _ := forge.Split(p.Repo)
	pull, err := f.Pull(ctx, p.Repo, owner+":"+p.Branch, p.Base)
	known := !errors.Is(err, wire.ErrNotFound) && !pull.Merged
	if err != nil && known {
		return RowOpened{}, err
	}
	if known && !pull.Open {
		return RowOpened{Pull: pull}, nil
	}
	pushed, err := p.push(ctx, g, base, heads.Branches[p.Branch], made)
	if err != nil || known {
		return RowOpened{Pull: pull, Fresh: pushed}, err
	}
	pull, err = f.CreatePull(ctx, p.Repo, owner+":"+p.Branch, p.Base, p.title, p.body)
	return RowOpened{Pull: pull, Fresh: true}, err
}

// commit writes the row on top of a base into the cache; zero when it is there.
func (p RowPull) commit(ctx context.Context, g ports.GitPort, base string) (made ports.Proposal, err error) {
	snap, err := g.Tree(ctx, p.Repo, base, false)
	if err != nil {
		return made, err
	}
	data, err := fs.ReadFile(snap.Files, recipe.File)
	if err != nil {
		return made, err
	}
	edit, ok, err := matrix.AddRow(recipe.File, data, p.row)
	if err != nil || !ok {
		return made, err
	}
	changes, err := bump.Edited(snap.Files, map[string][]source.Edit{recipe.File: {edit}})
	if err != nil {
		return made, err
	}
	return g.Commit(ctx, p.Repo, base, ports.NewCommit{Changes: changes, Message: p.title, SignOff: true})
}

// push brings the branch to the commit, and says whether it had to.
func (p RowPull) push(ctx context.Context, g ports.GitPort, base, have string, made ports.Proposal) (bool, error) {
	if have != "" {
		log, err := g.Log(ctx, p.Repo, base, have)
		if err != nil {
			return false, err
		}
		if len(log) != 1 || log[0].Subject != p.title {
			return false, fmt.Errorf("branch %s of %s has commits of others: it is not changed", p.Branch, p.Repo)
		}
		there, err := g.Tree(ctx, p.Repo, have, false)
		if err != nil {
			return false, err
		}
		if there.Info.Tree == made.Tree && slices.Equal(there.Info.Parents, []string{base}) {
			return false, nil // it is this commit, with a signature perhaps
		}
	}
	commit := made.Commit
	if p.sign == "always" || p.sign == "auto" && g.Signs(ctx) {
		var err error
		if commit, err = g.Sign(ctx, p.Repo, commit); err != nil {
			return false, err
		}
	}
	return true, g.Push(ctx, p.Repo, "", git.Update{Ref: "refs/heads/" + p.Branch, Old: have, New: commit})
}

// RowBody is the text of such a pull request, with a plan's lines.
func RowBody(version string, lines []string) string {
	return "The next release, and why:\n\n```\n" + strings.Join(lines, "\n") + "\n```\n\nWhen this is merged, `cfctl release run " + version +
		"` makes it. Made by `cfctl release propose --pr`."
}
