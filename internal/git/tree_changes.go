package git

import (
	"maps"
	"path"
	"slices"
)

// Changes are the paths of the files that differ between two trees, sorted: by
// their hashes and modes, so that no content is read. A file that moved is two.
func (t *Tree) Changes(other *Tree) ([]string, error) {
	var list []string
	err := t.changes(other, ".", t.root, other.root, &list)
	slices.Sort(list)
	return list, err
}

// changes compares two tree objects; an empty hash is a folder that is not there.
func (t *Tree) changes(other *Tree, at, mine, theirs string, list *[]string) error {
	if mine == theirs {
		return nil
	}
	a, err := t.entries(mine)
	if err != nil {
		return err
	}
	b, err := other.entries(theirs)
	if err != nil {
		return err
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	for name := range names {
		was, is := a[name], b[name]
		if was == is {
			continue
		}
		if was.file() || is.file() {
			*list = append(*list, path.Join(at, name))
		}
		if err := t.changes(other, path.Join(at, name), was.folder(), is.folder(), list); err != nil {
			return err
		}
	}
	return nil
}

// entries are the entries of a tree object by name; none of an empty hash.
func (t *Tree) entries(hash string) (map[string]entry, error) {
	byName := map[string]entry{}
	if hash == "" {
		return byName, nil
	}
	list, err := t.dir(hash)
	for _, e := range list {
		byName[e.name] = e
	}
	return byName, err
}

// file says whether an entry is there and no folder.
func (e entry) file() bool { return e.mode != "" && e.mode != "40000" }

// folder is the hash of a folder; empty for what is none.
func (e entry) folder() string {
	if e.mode == "40000" {
		return e.hash
	}
	return ""
}
