package pipelines

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxFile bounds one compiled pipeline; the server takes 32 MiB.
const maxFile = 32 << 20

// maxPackage bounds what is unpacked of a package to find the pipeline in it.
const maxPackage = 8 * maxFile

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
		name := filepath.Base(p)
		for _, ext := range []string{".gz", ".tar", filepath.Ext(name)} {
			name = strings.TrimSuffix(name, ext)
		}
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
		case ".yaml", ".yml", ".zip", ".gz", ".tgz":
			if !d.IsDir() {
				paths = append(paths, p)
			}
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: no *.yaml, *.zip or *.tar.gz in it", f.Root)
	}
	return paths, err
}

// Spec implements Store.
func (f *Files) Spec(_ context.Context, _ *Pipeline, v *Version) ([]byte, error) {
	data, err := f.data(v.path)
	if err != nil {
		return nil, refuse("unreadable", err.Error())
	}
	switch {
	case bytes.HasPrefix(data, []byte("PK")):
		return fromZip(data)
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return fromTar(data)
	case bytes.IndexByte(data[:min(len(data), 512)], 0) >= 0:
		return nil, refuse("no-package", "it is neither YAML nor a zip or tar.gz package")
	case strings.HasSuffix(v.path, ".zip"):
		return nil, refuse("no-package", "it is called .zip and is none")
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

func fromZip(data []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, refuse("no-package", "its zip package cannot be read: "+err.Error())
	}
	for _, f := range z.File {
		if !isYAML(f.Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, refuse("no-package", "its zip package cannot be read: "+err.Error())
		}
		text, err := bounded(r)
		return text, errors.Join(err, r.Close())
	}
	return nil, refuse("no-package", "there is no YAML file in its zip package")
}

func fromTar(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, refuse("no-package", "its tar.gz package cannot be read: "+err.Error())
	}
	t := tar.NewReader(io.LimitReader(z, maxPackage))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, refuse("no-package", "there is no YAML file in its tar.gz package")
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, refuse("no-package", fmt.Sprintf("its tar.gz package is cut off, or has no YAML file among its first %d MiB", maxPackage>>20))
		}
		if err != nil {
			return nil, refuse("no-package", "its tar.gz package cannot be read: "+err.Error())
		}
		if isYAML(h.Name) {
			return bounded(t)
		}
	}
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func bounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, refuse("no-package", "its package cannot be read: "+err.Error())
	}
	if len(text) > maxFile {
		return nil, refuse("too-large", fmt.Sprintf("it unpacks to more than %d MiB", maxFile>>20))
	}
	return text, nil
}
