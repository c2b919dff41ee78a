package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const matrixLong = `The support matrix of a stack: which versions of its components make a release.

It is declared in .cfctl.yaml (sections stack and matrix): the tables, and the
other places that have versions. In a checkout of codeflare-operator, and on any
of its tags, the built-in CodeFlare stack is used without configuration; --stack
codeflare selects it anywhere else.

The configuration is that of the tree that is read (--repo, --ref); if it has
none, the nearest .cfctl.yaml of the current folder.`

func newMatrix(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "check the support matrix of a stack of components",
		Long:  matrixLong,
	}
	for _, build := range matrixCommands {
		cmd.AddCommand(build(t))
	}
	cmd.PersistentFlags().StringVar(&t.stack, "stack", "", "use a built-in stack and ignore .cfctl.yaml: codeflare")
	return family(cmd)
}

// matrixCommands are the commands of the family, in the order of the help text.
var matrixCommands = []func(*terminal) *cobra.Command{
	newMatrixCheck,
	newMatrixShow,
	newMatrixSet,
	newMatrixAdd,
	newMatrixRender,
	newMatrixDiff,
	newMatrixGraph,
	newMatrixDeps,
	newMatrixResolve,
	newMatrixWhy,
	newMatrixRecord,
	newMatrixLint,
	newMatrixHistory,
}

// A place to look at: a work tree, or a ref of a repository.
type target struct {
	dir, ref string // --repo, --ref
}

func (o *target) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root: a work tree, or a bare repository")
	cmd.Flags().StringVar(&o.ref, "ref", "", "read this tag, branch or commit without a checkout (default: the work tree)")
}

// A view is an opened target with what is declared for it.
type view struct {
	repo *git.Repo // nil = the folder is in no repository

	root   string // top of the work tree; empty = a commit is checked
	tree   fs.FS
	files  *source.Root // that tree is read through; nil = a commit is checked
	tag    string       // the tag that was asked for; empty = something else
	stack  *stack.Stack
	config *matrix.Config
	custom bool // the stack is not the built-in one
	meant  bool // the stack is declared, asked for, or the one of this repository

	declared *config.Config // the configuration that was found; nil = none
	file     config.File    // where it is
	term     *terminal
	cache    *git.Cache // of components; nil = not asked for yet
}

// needsWorkTree refuses a bare repository for a command that writes files.
func (v *view) needsWorkTree(dir, command string) error {
	if v.root == "" {
		return usage("%s is a bare repository: %s needs a work tree", dir, command)
	}
	return nil
}

func (v *view) close() {
	if v.cache != nil {
		_ = v.cache.Close() // only reading was done
	}
	if v.files != nil {
		_ = v.files.Close() // only reading was done
	}
	if v.repo != nil {
		_ = v.repo.Close() // only reading was done
	}
}

// known knows the releases of the stack.
func (v *view) known() *survey.Known {
	return &survey.Known{Stack: v.stack, Config: v.config, Tree: v.tree, Repo: v.repo, Tag: v.tag, Builtin: !v.custom}
}

// past is the history that checks may look back at.
func (v *view) past() matrix.Past {
	if v.repo == nil {
		return nil
	}
	return matrix.RepoPast{Repo: v.repo}
}

// open finds the repository, the tree and the declaration.
func (o *target) open(ctx context.Context, t *terminal) (*view, error) {
	v := &view{}
	repo, err := git.Open(ctx, o.dir)
	switch {
	case err == nil:
		v.repo = repo
	case !errors.Is(err, git.ErrNotFound) || o.ref != "":
		return nil, err
	}
	if err := o.openTree(ctx, v); err != nil {
		v.close()
		return nil, err
	}
	if err := v.declare(t, o.dir); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// openStack is open for commands that say something of a stack: it must be
// declared, asked for, or that of this repository.
func (o *target) openStack(ctx context.Context, t *terminal) (*view, error) {
	v, err := o.open(ctx, t)
	if err != nil {
		return nil, err
	}
	if !v.meant {
		v.close()
		return nil, hinted{errors.New("no stack is declared here (section stack of .cfctl.yaml)"), "cfctl init declares one from a table in README.md with the columns Component and Version: " + docsURL("first-stack")}
	}
	return v, nil
}

// A viewRun is what a command does with what was opened.
type viewRun func(ctx context.Context, v *view, args []string) error

// withStack has a command run on the opened stack.
func (o *target) withStack(t *terminal, run viewRun) func(*cobra.Command, []string) error {
	return with(t, o.openStack, run)
}

// withTree has a command run on the opened tree.
func (o *target) withTree(t *terminal, run viewRun) func(*cobra.Command, []string) error {
	return with(t, o.open, run)
}

func with(t *terminal, open func(context.Context, *terminal) (*view, error), run viewRun) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		v, err := open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer v.close()
		return run(cmd.Context(), v, args)
	}
}

// codeflareStack is the name of the built-in stack.
const codeflareStack = "codeflare"

// isBuiltin says whether the tree is the repository of the built-in stack's
// root: the module that it has is.
func (v *view) isBuiltin() bool {
	data, err := fs.ReadFile(v.tree, "go.mod")
	return err == nil && modfile.ModulePath(data) == v.stack.RootComponent().Module.Path
}

func (o *target) openTree(ctx context.Context, v *view) error {
	ref := strings.TrimPrefix(o.ref, "refs/tags/")
	switch {
	case v.repo == nil:
		return v.openFolder(o.dir)
	case ref == "" && !v.repo.Bare:
		return v.openFolder(v.repo.Dir)
	case ref == "":
		ref = "HEAD"
	}
	tree, err := v.repo.Tree(ctx, ref)
	if err != nil {
		return hinted{err, "git -C " + o.dir + " tag --list"}
	}
	v.tree = tree
	if is, err := v.repo.IsTag(ctx, ref); err != nil {
		return err
	} else if is {
		v.tag = ref
	}
	return nil
}

// openFolder looks at the files of a folder, as they lie there.
func (v *view) openFolder(dir string) (err error) {
	if v.files, err = source.OpenRoot(dir); err != nil {
		return err
	}
	v.root, v.tree = dir, v.files.FS()
	return nil
}

// declare takes the stack and the matrix from the tree's own configuration,
// else from the current folder's, else the built-in ones.
func (v *view) declare(t *terminal, dir string) error {
	v.stack, v.config, v.term = stack.Default(), matrix.Default(), t
	if t.stack != "" {
		if t.stack != codeflareStack {
			return usage("unknown stack %q (known: %s)", t.stack, codeflareStack)
		}
		v.meant = true
		return nil
	}
	v.meant = v.isBuiltin()
	file, err := v.configFile(t, dir)
	if err != nil || len(file.Data) == 0 {
		return err
	}
	c, err := file.Decode()
	if err != nil {
		return err
	}
	tr, err := t.trusted()
	if err != nil {
		return err
	}
	if err := tr.Check(file, c, "stack", "matrix"); err != nil {
		return err
	}
	v.declared, v.file = c, file
	v.meant = v.meant || c.Stack != nil || c.Matrix != nil
	if c.Stack != nil {
		v.stack, v.config, v.custom = c.Stack, &matrix.Config{}, true
		if err := v.stack.Complete(file.Path); err != nil {
			return err
		}
	}
	if c.Matrix != nil {
		v.config = &c.Matrix.Config
	}
	return v.config.Complete(file.Path, v.stack)
}

// configFile is the tree's own configuration, else the current folder's; dir
// is the folder that was asked for. None has no data.
func (v *view) configFile(t *terminal, dir string) (config.File, error) {
	file, err := t.configs.Read(v.root, config.Name, func() ([]byte, error) { return fs.ReadFile(v.tree, config.Name) })
	if errors.Is(err, fs.ErrNotExist) {
		return t.configs.Find()
	}
	if file.Dir = dir; v.repo != nil {
		file.Dir = v.repo.Dir
	}
	return file, err
}

// sources reads the repositories of components, on the forge that is configured.
func (v *view) sources(ctx context.Context) (*git.Cache, error) {
	if err := v.atForge(ctx); err != nil {
		return nil, err
	}
	var err error
	v.cache, err = sources(v.term)
	return v.cache, err
}

// sources is the user's cache of repositories.
func sources(t *terminal) (*git.Cache, error) {
	dir := t.env["XDG_CACHE_HOME"]
	if !filepath.IsAbs(dir) { // a relative one is none (XDG Base Directory Specification): it could lie in the tree
		home, err := os.UserCacheDir()
		if err != nil {
			return nil, hinted{err, "set XDG_CACHE_HOME"}
		}
		dir = home
	}
	return &git.Cache{Dir: filepath.Join(dir, "cfctl", "git")}, nil
}

// day reads a --date flag; empty is today.
func day(text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC(), nil
	}
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return d, usage("date %q is not YYYY-MM-DD", text)
	}
	return d, nil
}

const historyLong = `Read the compatibility table out of every release tag of a repository and print
it as the matrix.releases section of .cfctl.yaml: how a project adopts cfctl.

It also searches the tree for other places that have versions of the components:
go.mod, Makefiles, kustomizations, charts, Dockerfiles, workflows, lists of
requirements, pipelines. Each place is proposed with its evidence;
components without a place are listed.

If the repository has no declared stack, the output declares it too,
from the rows and links that were found.`

func newMatrixHistory(t *terminal) *cobra.Command {
	var o target
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "read the tables of every release tag into a declaration",
		Long:    historyLong,
		Example: "  cfctl matrix history --repo ~/codeflare-operator > .cfctl.yaml",
		Args:    noArgs,
		RunE:    o.withTree(t, func(ctx context.Context, v *view, _ []string) error { return runMatrixHistory(ctx, t, &o, v) }),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root, bare or not")
	return cmd
}

func runMatrixHistory(ctx context.Context, t *terminal, o *target, v *view) error {
	if v.repo == nil {
		return hinted{errorf("%s is not in a git repository", o.dir), "name one: cfctl matrix history --repo DIR"}
	}
	releases, skipped, err := matrix.History(ctx, v.stack, v.past())
	if err != nil {
		return err
	}
	var out strings.Builder
	if !v.custom && !survey.KnowsRows(v.stack, releases) {
		table := stack.Table{Start: v.stack.Table.Start, End: v.stack.Table.End, Link: v.stack.Table.Link}
		adopted, err := matrix.Adopt(ctx, table, v.past())
		if err != nil {
			text, _, found, recognised := survey.Recognised(ctx, v.repo, v.tree, findings{t})
			if recognised != nil {
				return recognised
			}
			if found {
				_, err := t.out.WriteString(text)
				return err
			}
			return hinted{err, "declare stack.table in .cfctl.yaml: path, and the headers of the columns (component, version)"}
		}
		if releases, skipped, err = matrix.History(ctx, adopted, v.past()); err != nil {
			return err
		}
		places, err := survey.Places(v.tree, adopted, findings{t})
		if err != nil {
			return err
		}
		matrix.WriteStack(&out, adopted)
		out.WriteString(places + "\n")
	} else if v.custom {
		places, err := survey.Places(v.tree, v.stack, findings{t})
		if err != nil {
			return err
		}
		for line := range strings.Lines(places) {
			t.note("    not declared under stack.places: %s", strings.TrimSpace(line))
		}
	}
	if err := v.known().Date(ctx, releases); err != nil {
		return err
	}
	for _, x := range skipped {
		t.note("%s: %s", x.Tag, x.Reason)
	}
	t.note("%s", report.Plural(len(releases), "release"))
	if len(releases) == 0 {
		t.note("hint: declare the first release: cfctl matrix add VERSION")
	} else {
		matrix.WriteReleases(&out, releases)
	}
	_, err = t.out.WriteString(out.String())
	return err
}
