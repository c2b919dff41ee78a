// Package survey reads which stack a repository belongs to, and writes the
// sections stack and release of its .cfctl.yaml: Declare asks the compatibility
// tables of the release tags, then a table of releases in the tree; Places are
// the other files with versions of the components.
//
// It prints nothing: the command shows what report.Progress receives.
package survey

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Hints are what else of the repository says how it is released.
type Hints struct {
	Bundle    string   // a file of an OLM bundle; empty = there is none
	Workflows []string // release workflows that can be started, by path
}

// Declare is the sections stack and release for what the tables of the release
// tags say; empty = there is none, or the built-in stack is this repository's.
// Next is the first command that uses them: a check, where there is what to check.
// The repository is that of the working directory, tree its files.
func Declare(ctx context.Context, tree fs.FS, hints Hints, p report.Progress) (text, next string, err error) {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		p.Note("stack: none, this is no git repository")
		return "", "", nil //nolint:nilerr // a tree without history declares none
	}
	defer func() { _ = repo.Close() }()
	past := &matrix.RepoPast{Repo: repo}
	builtin := stack.Default()
	if releases, _, err := matrix.History(ctx, builtin, past); err == nil && builtin.IsOf(tree) && KnowsRows(builtin, releases) {
		p.Note("stack: the built-in %s, by the tables of %s", builtin.Name, report.Plural(len(releases), "release"))
		return "", "", nil
	}
	table := stack.Table{Path: builtin.Table.Path, Component: builtin.Table.Component, Version: builtin.Table.Version, Start: builtin.Table.Start, End: builtin.Table.End, Link: builtin.Table.Link}
	adopted, err := matrix.Adopt(ctx, table, past)
	where := ""
	if err != nil {
		text, next, found, recognised := Recognised(ctx, repo, tree, p)
		if recognised != nil || found {
			return text, next, recognised
		}
		tags, _ := past.Tags(ctx)
		untagged, absent := matrix.AdoptTree(table, tree, tags)
		if absent != nil {
			p.Note("stack: none, %v", err)
			return "", "", nil
		}
		adopted, where = untagged, " in the work tree (no release tag has it)"
	}
	p.Note("stack: %s, by the table of %s%s; the root is %s", report.Plural(len(adopted.Components), "component"), adopted.Table.Path, where, adopted.Root)
	ownRepository(ctx, p, repo, adopted)
	complete(tree, adopted, p)
	var b strings.Builder
	adopted.Write(&b)
	places, err := Places(tree, adopted, p)
	if err != nil {
		return "", "", err
	}
	tags, err := repo.Tags(ctx)
	if err != nil {
		return "", "", err
	}
	branch, err := repo.RemoteHead(ctx)
	if err != nil {
		return "", "", err
	}
	return b.String() + places + skeleton(p, adopted, hints, tags, branch), check, nil // the places behind those of the table
}

var onGitHub = lazyregexp.New(`^(?:https://|ssh://git@|git@)github\.com[:/]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*?)(?:\.git)?/?$`)

// ownRepository fills in the repository of the root, which is this one, from
// the remote.
func ownRepository(ctx context.Context, p report.Progress, repo *git.Repo, s *stack.Stack) {
	url, err := repo.RemoteURL(ctx)
	m := onGitHub.FindStringSubmatch(url)
	if err != nil || m == nil {
		return
	}
	for i := range s.Components {
		if c := &s.Components[i]; c.Name == s.Root && c.Repository == "" {
			c.Repository = m[1]
			p.Note("repository: %s, by the remote origin", m[1])
		}
	}
}

// Item begins a place in the text of Places.
const Item = "    - "

// Places are the places where versions of the stack are in the tree, next to
// the table: items of the list, and comments for those that say another version.
// What has none, and what could not be read, is said.
func Places(tree fs.FS, s *stack.Stack, p report.Progress) (string, error) {
	v, err := s.Search(tree)
	if err != nil {
		return "", err
	}
	now, err := matrix.Current(s, tree)
	if err != nil {
		return "", err
	}
	v.Settle(now)
	found, err := s.Undeclared(tree, v, "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	told := map[string]bool{}
	first := func(key string) bool { again := told[key]; told[key] = true; return !again }
	for _, f := range found {
		if !first(f.Declaration()) { // a pattern may be found on several lines
			continue
		}
		p.Note("place: %s:%d: %s of %s (%s)", f.Path, f.Pos.Line, f.Text, f.Component.Name, f.Evidence)
		fmt.Fprintf(&b, Item+"%s # %s\n", f.Declaration(), report.Visible(f.Evidence))
	}
	for _, f := range v.Others {
		if !first(f.Component.Name + " " + f.Version) {
			continue
		}
		if f.Sure() {
			fmt.Fprintf(&b, "    # - %s # says %s\n", f.Declaration(), f.Text)
		}
		p.Note("place: not proposed, since it says another version: %s:%d: %s of %s (%s)", f.Path, f.Pos.Line, f.Text, f.Component.Name, f.Evidence)
	}
	for _, c := range v.Missing {
		if c.Name != s.Root && !(c.Built && c.Module.Path != "") {
			p.Note("place: %s was found only in the table", c.Name)
		}
	}
	for _, err := range v.Unread {
		p.Note("place: not read: %v", err)
	}
	return b.String(), nil
}

// usualBranch is where a component is released from that names no branch.
const usualBranch = "main"

var dispatchName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// skeleton is the section release of a stack whose root is this repository: what
// the repository says stands, what only a user knows is a comment. Without a
// release tag, or the root's repository, there is none. Branch is the default branch of the
// remote; empty = it is not known.
func skeleton(p report.Progress, s *stack.Stack, hints Hints, tags []git.Ref, branch string) string {
	root, ok := s.Component(s.Root)
	last, n := "", 0
	for _, tag := range tags {
		if strings.HasPrefix(tag.Name, "v") && semver.IsValid(tag.Name) {
			n++
			if semver.Prerelease(tag.Name) == "" && semver.Compare(tag.Name, last) > 0 {
				last = tag.Name
			}
		}
	}
	if !ok || root.Repository == "" || last == "" {
		return ""
	}
	p.Note("release: of %s, by %s, the last %s", root.Name, report.Plural(n, "release tag"), last)
	of := ""
	if branch != "" && branch != usualBranch {
		p.Note("release: from the branch %s, the default one of the remote origin", branch)
		of = ", branch: " + strict.Scalar(branch)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n# How %s is released (docs/release.md); cfctl release plan VERSION shows it. What only\n# you know is a comment.\nrelease:\n  components:\n    - {name: %s%s} # a tag is the release, the last one was %s\n", root.Name, strict.Scalar(root.Name), of, last)
	for _, c := range s.Components {
		if c.Name != root.Name {
			lacks := ""
			if c.Repository == "" {
				lacks = "; it needs a repository above"
			}
			fmt.Fprintf(&b, "    # - {name: %s} # when it is released together with %s%s\n", strict.Scalar(c.Name), root.Name, lacks)
		}
	}
	for _, flow := range hints.Workflows {
		if base := path.Base(flow); dispatchName.MatchString(base) {
			p.Note("release: %s can be started", flow)
			fmt.Fprintf(&b, "    # when it is %s that makes the release:\n    # - {name: %s, by: workflow, workflow: %s, inputs: {version: \"{version}\"}}\n", base, strict.Scalar(root.Name), strict.Scalar(base))
		}
	}
	if root.Image.Repository == "" {
		b.WriteString("  stable: \"-\" # no image is declared whose stable tag would be moved\n")
	}
	if hints.Bundle != "" {
		p.Note("release: a bundle for OLM, %s", hints.Bundle)
		b.WriteString("  # catalog: {repository: k8s-operatorhub/community-operators, fork: OWNER/community-operators, path: operators/NAME}\n")
	}
	b.WriteString("  # announce: {slack: true} # the webhook is in $CFCTL_SLACK_WEBHOOK\n")
	b.WriteString("  # approvals: [{name: publish, before: [" + strict.Scalar("tag:"+root.Name) + "]}]\n")
	return b.String()
}

// check is the command that compares the tables with the places.
const check = "cfctl matrix check"

// Recognised is the section stack for a table of releases that is in
// the tree, and the first command that uses it; not found = there is none.
func Recognised(ctx context.Context, repo *git.Repo, tree fs.FS, p report.Progress) (text, next string, found bool, err error) {
	root := ""
	if url, err := repo.RemoteURL(ctx); err == nil {
		if m := onGitHub.FindStringSubmatch(url); m != nil {
			root = path.Base(m[1])
		}
	}
	if data, err := fs.ReadFile(tree, "go.mod"); root == "" && err == nil {
		if prefix, _, ok := module.SplitPathVersion(modfile.ModulePath(data)); ok && prefix != "" {
			root = path.Base(prefix)
		}
	}
	r, err := stack.Recognise(tree, root)
	if err != nil || r == nil {
		return "", "", false, err
	}
	p.Note("stack: %s:%d: a table of %s, with %s", r.Path, r.Pos.Line, report.Plural(r.Rows, "release"), report.Plural(len(r.Stack.Table.Columns), "column"))
	ownRepository(ctx, p, repo, r.Stack)
	complete(tree, r.Stack, p)
	places, err := Places(tree, r.Stack, p)
	if err != nil {
		return "", "", false, err
	}
	text = "# The table of releases at " + report.Visible(r.Path) + ". A component is called like its column; what it is\n# (repository, module, image) is for you to say.\n" + r.Declaration()
	if strings.HasPrefix(places, Item) { // after them are those that are comments
		text += "  places:\n" + places
	}
	for _, c := range r.Stack.Table.Columns {
		if strings.Contains(text, "\n"+Item+"{component: "+c.Component+",") || required(r.Stack, c) {
			return text, check, true, nil
		}
	}
	p.Note("stack: no file has a version that the table has: cfctl matrix check would compare nothing")
	return text, "cfctl matrix show", true, nil
}

// required says whether go.mod has the version of a column.
func required(s *stack.Stack, column stack.Column) bool {
	c, ok := s.Component(column.Component)
	return ok && c.Built && c.Module.Path != ""
}

// Compares says whether a stack has something that its tables are compared with: of a table
// of releases a place of one of its columns, or a requirement in go.mod. Nil is no stack.
func Compares(s *stack.Stack) bool {
	return s != nil && (len(s.Tables) == 0 || slices.ContainsFunc(s.Tables, func(t stack.Table) bool {
		return t.Rows != stack.RowsReleases || slices.ContainsFunc(t.Columns, func(c stack.Column) bool {
			return required(s, c) || slices.ContainsFunc(s.Places, func(p stack.Place) bool { return p.Component == c.Component })
		})
	}))
}

// KnowsRows says whether a stack knows a component of some row.
func KnowsRows(s *stack.Stack, releases []matrix.Release) bool {
	for _, r := range releases {
		for _, p := range r.Components {
			if _, ok := s.Component(p.Name); ok {
				return true
			}
		}
	}
	return false
}
