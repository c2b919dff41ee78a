package matrix

import (
	"context"
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/git"
)

// RepoPast is the Past of a repository on this machine. Commits are read once,
// however many tags they have.
type RepoPast struct {
	Repo *git.Repo

	names   []string
	commits map[string]string // by tag; nil = the tags were not listed yet
	trees   map[string]fs.FS  // by commit
}

// Tags lists the repository's tags.
func (p *RepoPast) Tags(ctx context.Context) ([]string, error) {
	if p.commits != nil {
		return p.names, nil
	}
	refs, err := p.Repo.Tags(ctx)
	if err != nil {
		return nil, err
	}
	p.commits, p.trees = make(map[string]string, len(refs)), map[string]fs.FS{}
	for _, r := range refs {
		p.names = append(p.names, r.Name)
		p.commits[r.Name] = r.Commit
	}
	return p.names, nil
}

// maxTrees is how many commits are kept with what was read of them.
const maxTrees = 64

// Tree is the tree of a tag.
func (p *RepoPast) Tree(ctx context.Context, tag string) (fs.FS, error) {
	commit := p.commits[tag]
	if commit == "" {
		return p.Repo.Tree(ctx, "refs/tags/"+tag)
	}
	if tree, ok := p.trees[commit]; ok {
		return tree, nil
	}
	tree, err := p.Repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	if len(p.trees) >= maxTrees {
		clear(p.trees)
	}
	p.trees[commit] = readOnce{tree, map[string][]byte{}}
	return p.trees[commit], nil
}

// readOnce keeps the files of a tree that were read.
type readOnce struct {
	fs.FS
	files map[string][]byte
}

// ReadFile implements fs.ReadFileFS.
func (r readOnce) ReadFile(name string) ([]byte, error) {
	if data, ok := r.files[name]; ok {
		return data, nil
	}
	data, err := fs.ReadFile(r.FS, name)
	if err == nil {
		r.files[name] = data
	}
	return data, err
}

// ReadDir implements fs.ReadDirFS.
func (r readOnce) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }
