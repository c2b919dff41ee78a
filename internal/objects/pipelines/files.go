package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Files is a folder of compiled pipelines, or one of them. Each file is one
// pipeline with one version, both named after the file.
// Links in a folder are followed while they stay in it.
type Files struct{ Root string }

// Pipelines implements Store.
func (f *Files) Pipelines(ctx context.Context, each func(*Pipeline) error) error {
	paths, err := f.paths()
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		slash := filepath.ToSlash(p)
		rel, err := filepath.Rel(f.Root, p)
		if err != nil || rel == "." {
			rel = filepath.Base(p)
		}
		name := strings.TrimSuffix(filepath.Base(p), filepath.Ext(p))
		id := "file:" + filepath.ToSlash(rel)
		v := &Version{id: id + "#" + name, name: name, path: slash}
		if err := each(&Pipeline{id: id, name: name, path: slash, versions: []*Version{v}, local: true}); err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) paths() ([]string, error) {
	info, err := os.Stat(f.Root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{f.Root}, nil
	}
	var paths []string
	err = filepath.WalkDir(f.Root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch filepath.Ext(p) {
		case ".yaml", ".yml":
			if !d.IsDir() {
				paths = append(paths, p)
			}
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: no *.yaml in it", f.Root)
	}
	return paths, err
}

// Spec implements Store.
func (f *Files) Spec(_ context.Context, _ *Pipeline, v *Version) ([]byte, error) {
	data, err := f.data(v.path)
	if err != nil {
		return nil, refuse("unreadable", err.Error())
	}
	if bytes.IndexByte(data[:min(len(data), 512)], 0) >= 0 || bytes.HasPrefix(data, []byte("PK")) || bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return nil, refuse("no-package", "it is no YAML: unpack a zip or tar.gz package first")
	}
	return data, nil
}

// data reads one file: the one that a user named, or one of a folder.
func (f *Files) data(path string) ([]byte, error) {
	rel, err := filepath.Rel(f.Root, filepath.FromSlash(path))
	if err != nil || rel == "." {
		return source.ReadFile(f.Root)
	}
	root, err := source.OpenRoot(f.Root)
	if err != nil {
		return nil, err
	}
	data, err := root.ReadFile(filepath.ToSlash(rel))
	return data, errors.Join(err, root.Close())
}
