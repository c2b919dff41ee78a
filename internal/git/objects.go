package git

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// objects writes objects into a repository as loose files (gitrepository-layout(5)): a commit
// needs no process of git's.
type objects struct {
	repo *Repo
	dir  string
	hash func() hash.Hash
}

func (r *Repo) objects(ctx context.Context) (*objects, error) {
	if r.own != nil {
		return &objects{r, filepath.Join(r.Dir, "objects"), sha1.New}, nil
	}
	out, err := r.git(ctx, "rev-parse", "--show-object-format", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	format, dir, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	w := &objects{r, filepath.FromSlash(dir), sha1.New}
	if format == "sha256" {
		w.hash = sha256.New
	}
	if !filepath.IsAbs(w.dir) {
		w.dir = filepath.Join(r.Dir, w.dir)
	}
	return w, nil
}

// write writes an object, if it is not there, and returns its hash.
func (w *objects) write(kind string, data []byte) (name string, err error) {
	whole := append([]byte(kind+" "+strconv.Itoa(len(data))+"\x00"), data...)
	sum := w.hash()
	sum.Write(whole)
	name = hex.EncodeToString(sum.Sum(nil))
	at := filepath.Join(w.dir, name[:2], name[2:])
	if _, err := os.Stat(at); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(at), "tmp_obj_") // which git tidies up
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	z := zlib.NewWriter(f)
	_, err = z.Write(whole)
	if err = errors.Join(err, z.Close(), f.Sync(), f.Chmod(0o444), f.Close()); err != nil {
		return "", err
	}
	return name, os.Rename(f.Name(), at)
}

const folderMode = "40000"

// tree writes a tree with changes below it, and returns its hash; "" where nothing is left.
func (w *objects) tree(ctx context.Context, old object, changes []Change) (string, error) {
	entries, err := parseTree(old)
	if err != nil {
		return "", err
	}
	find := func(name string) int { return slices.IndexFunc(entries, func(e entry) bool { return e.name == name }) }
	below := map[string][]Change{}
	var folders []string
	var files []Change
	for _, c := range changes {
		name, rest, deep := strings.Cut(c.Path, "/")
		switch i := find(name); {
		case deep:
			if below[name] == nil {
				folders = append(folders, name)
			}
			c.Path = rest
			below[name] = append(below[name], c)
		case !c.Delete:
			files = append(files, c)
		case i >= 0 && entries[i].mode != folderMode:
			entries = slices.Delete(entries, i, i+1)
		}
	}
	for _, name := range folders {
		var sub object
		i := find(name)
		if i >= 0 {
			if entries[i].mode != folderMode {
				if slices.ContainsFunc(below[name], func(c Change) bool { return !c.Delete }) {
					return "", fmt.Errorf("%s is a file, and no folder", name)
				}
				continue
			}
			if sub, err = w.repo.object(ctx, entries[i].hash); err != nil {
				return "", err
			}
			entries = slices.Delete(entries, i, i+1)
		}
		hash, err := w.tree(ctx, sub, below[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if hash != "" {
			entries = append(entries, entry{name, folderMode, hash})
		}
	}
	for _, c := range files {
		if entries, err = w.file(entries, find(c.Path), c); err != nil {
			return "", err
		}
	}
	if len(entries) == 0 {
		return "", nil
	}
	return w.write("tree", encodeTree(entries))
}

// file writes a file into the entries of a folder, of which one may be it.
func (w *objects) file(entries []entry, i int, c Change) ([]entry, error) {
	mode := "100644"
	if c.Exec {
		mode = "100755"
	}
	if i >= 0 {
		if entries[i].mode == folderMode {
			return nil, fmt.Errorf("%s is a folder, and no file", c.Path)
		}
		if strings.HasPrefix(entries[i].mode, "100") {
			mode = entries[i].mode
		}
		entries = slices.Delete(entries, i, i+1)
	}
	hash, err := w.write("blob", c.Data)
	return append(entries, entry{c.Path, mode, hash}), err
}

// encodeTree is the form that parseTree reads. Git sorts a folder as if its name ended with a
// slash.
func encodeTree(entries []entry) []byte {
	sorted := func(e entry) string {
		if e.mode == folderMode {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(sorted(a), sorted(b)) })
	var data bytes.Buffer
	for _, e := range entries {
		data.WriteString(e.mode + " " + e.name + "\x00")
		raw, _ := hex.DecodeString(e.hash) // as parseTree or write wrote it
		data.Write(raw)
	}
	return data.Bytes()
}
