package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Target is where new objects go.
type Target interface {
	// Name is for people: "the cluster", or the folder.
	Name() string
	// List hands out every object of a resource.
	List(ctx context.Context, r Resource, each func(Object) error) error
	// Get returns an object; one that is not there is fs.ErrNotExist.
	Get(ctx context.Context, r Resource, ref Ref) (Object, error)
	// Create makes an object that is not there and returns it as it is then.
	// One that is there is fs.ErrExist; what the target refuses for the
	// object's own sake is a *Refusal.
	Create(ctx context.Context, r Resource, o Object) (Object, error)
	// Delete removes the object only if it is still exactly this one.
	Delete(ctx context.Context, r Resource, s Stored) error
}

// A Dir is a folder of manifests: NAMESPACE/KIND-NAME.yaml. It is created
// when the first object is.
type Dir struct{ Root string }

// Name implements Target.
func (d *Dir) Name() string { return filepath.ToSlash(d.Root) }

// file is where an object lies. A name that is longer than file systems take
// (255 bytes) is cut, and ends in its digest.
func (d *Dir) file(ref Ref) string {
	const most = 255 - len(".yaml")
	name := strings.ToLower(ref.Kind) + "-" + ref.Name
	if len(name) > most {
		digest := Digest(ref.Name)
		name = name[:most-1-len(digest)] + "-" + digest
	}
	return filepath.Join(d.Root, ref.Namespace, name+".yaml")
}

// List implements Target: it looks at the files that Create would name.
func (d *Dir) List(ctx context.Context, r Resource, each func(Object) error) error {
	if _, err := os.Stat(d.Root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(d.Root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if !strings.HasPrefix(e.Name(), strings.ToLower(r.Kind)+"-") || filepath.Ext(p) != ".yaml" {
			return nil
		}
		o, err := d.read(p)
		if err != nil {
			return err
		}
		ref := RefOf(o)
		if ref.Kind != r.Kind || ref.APIVersion != r.APIVersion || filepath.Clean(d.file(ref)) != filepath.Clean(p) {
			return nil // somebody else's
		}
		if r.Name != "" && ref.Name != r.Name || r.Namespace != "" && ref.Namespace != r.Namespace {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return each(o)
	})
}

func (d *Dir) read(path string) (Object, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(path), err)
	}
	o, _ := v.(map[string]any)
	return o, nil
}

// Get implements Target.
func (d *Dir) Get(_ context.Context, _ Resource, ref Ref) (Object, error) {
	return d.read(d.file(ref))
}

// Create implements Target: the file appears whole or not at all, and never
// in the place of another.
func (d *Dir) Create(_ context.Context, _ Resource, o Object) (Object, error) {
	data, err := Manifest(o)
	if err != nil {
		return nil, err
	}
	path := d.file(RefOf(o))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := writeNew(path, data); err != nil {
		return nil, err
	}
	return d.read(path)
}

// writeNew puts a file where none is: written beside it, synced, then linked.
func writeNew(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".cfctl-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // the link stays
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	err = os.Link(tmp.Name(), path)
	if errors.Is(err, fs.ErrExist) || err == nil {
		return err
	}
	if _, serr := os.Lstat(path); serr == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(tmp.Name(), path)
}

// Delete implements Target.
func (d *Dir) Delete(_ context.Context, _ Resource, s Stored) error {
	path := d.file(s.Ref)
	o, err := d.read(path)
	if err != nil {
		return err
	}
	if Digest(Normal(o)) != s.Digest {
		return errChanged
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(path)) // only when nothing is left in it
	return nil
}

// errChanged says that an object is not the one that was looked at.
var errChanged = errors.New("it was changed in the meantime")
