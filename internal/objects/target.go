package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Target is where new objects go.
type Target interface {
	// Name is for display: "the cluster", or the folder.
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
// when the first object is. Nothing is read or written outside of it.
type Dir struct {
	Root   string
	ledger *Ledger // of the import: it names temporary files, and remembers the folders that were made
}

// Name implements Target.
func (d *Dir) Name() string { return filepath.ToSlash(d.Root) }

// file is where an object lies, below the folder. A name that is longer than
// file systems take (255 bytes) is cut, and ends in its digest. A reference
// that no server would take is a *Refusal.
func (d *Dir) file(ref Ref) (string, error) {
	const most = 255 - len(".yaml")
	if bad := BadRef(ref); bad != nil {
		return "", bad
	}
	name := strings.ToLower(ref.Kind) + "-" + ref.Name
	if len(name) > most {
		digest := Digest(ref.Name)
		name = name[:most-1-len(digest)] + "-" + digest
	}
	return path.Join(ref.Namespace, name+".yaml"), nil
}

// in does something in the folder; one that is not there is fs.ErrNotExist.
func (d *Dir) in(do func(*source.Root) error) error {
	root, err := source.OpenRoot(d.Root)
	if err != nil {
		return err
	}
	return d.within(root, do)
}

// within does something in the open folder, names the folder in what went
// wrong, and closes it.
func (d *Dir) within(root *source.Root, do func(*source.Root) error) error {
	err := do(root)
	var placed *source.Error
	if errors.As(err, &placed) && placed == err { //nolint:errorlint // what is wrapped has its own words
		err = &source.Error{Path: path.Join(d.Name(), placed.Path), Err: placed.Err}
	}
	return errors.Join(err, root.Close())
}

// List implements Target: it looks at the files that Create would name. One
// that cannot be read is an object of that name that is like no other.
func (d *Dir) List(ctx context.Context, r Resource, each func(Object) error) error {
	err := d.in(func(root *source.Root) error {
		return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if !strings.HasPrefix(e.Name(), strings.ToLower(r.Kind)+"-") || path.Ext(name) != ".yaml" {
				return nil
			}
			o, err := d.read(root, name)
			if err != nil {
				o = stub(r, name)
			}
			ref := RefOf(o)
			own, bad := d.file(ref)
			if ref.Kind != r.Kind || ref.APIVersion != r.APIVersion || bad != nil || own != name {
				return nil //nolint:nilerr // another user's
			}
			if r.Name != "" && ref.Name != r.Name || r.Namespace != "" && ref.Namespace != r.Namespace {
				return nil
			}
			return each(o)
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// stub is the object that a file must be, by its name alone.
func stub(r Resource, file string) Object {
	name := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), strings.ToLower(r.Kind)+"-"), ".yaml")
	meta := Object{"name": name}
	if dir := path.Dir(file); dir != "." {
		meta["namespace"] = dir
	}
	return Object{"apiVersion": r.APIVersion, "kind": r.Kind, "metadata": meta}
}

// errNoManifest says that a file is there and is no manifest.
var errNoManifest = errors.New("cannot be read")

// read reads a manifest; one that is there and cannot be read is errNoManifest.
func (d *Dir) read(root *source.Root, name string) (Object, error) {
	data, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var v any
	if err == nil {
		v, err = Parse(data)
	}
	o, ok := v.(map[string]any)
	if err == nil && !ok {
		err = errors.New("not a mapping")
	}
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w: %w", d.Name(), name, errNoManifest, cause(err))
	}
	return o, nil
}

// Get implements Target.
func (d *Dir) Get(_ context.Context, _ Resource, ref Ref) (o Object, err error) {
	name, err := d.file(ref)
	if err != nil {
		return nil, err
	}
	err = d.in(func(root *source.Root) error {
		o, err = d.read(root, name)
		return err
	})
	return o, err
}

// Create implements Target: the file appears whole or not at all, and never
// in the place of another.
func (d *Dir) Create(_ context.Context, _ Resource, o Object) (made Object, err error) {
	name, err := d.file(RefOf(o))
	if err != nil {
		return nil, err
	}
	data, err := Manifest(o)
	if err != nil {
		return nil, err
	}
	if err := d.makeFolders(); err != nil {
		return nil, err
	}
	root, err := source.OutputRoot(d.Root)
	if err != nil {
		return nil, err
	}
	err = d.within(root, func(root *source.Root) error {
		if err := root.CreateBy(name, d.temp(name), data, 0o644); err != nil {
			return err
		}
		made, err = d.read(root, name)
		return err
	})
	return made, err
}

// Delete implements Target.
func (d *Dir) Delete(_ context.Context, _ Resource, s Stored) error {
	name, err := d.file(s.Ref)
	if err != nil {
		return err
	}
	return d.in(func(root *source.Root) error {
		o, err := d.read(root, name)
		if err != nil {
			return err
		}
		if Digest(Normal(o)) != s.digest {
			return errChanged
		}
		return drop(root, name)
	})
}

// drop removes a file, and its folder when nothing is left in it.
func drop(root *source.Root, name string) error {
	err := root.Remove(name)
	if dir := path.Dir(name); err == nil && dir != "." {
		_ = root.Remove(dir) // it may have others
	}
	return err
}

// temp is the temporary file of a manifest: another import has another one.
func (d *Dir) temp(name string) string {
	id := "by-hand"
	if d.ledger != nil && d.ledger.ID() != "" {
		id = d.ledger.ID()
	}
	return path.Join(path.Dir(name), ".cfctl-tmp-"+id+"-"+Digest(name))
}

// makeFolders notes which folders are not there yet, the folder itself and those
// above it, before they are made: Rollback removes them.
func (d *Dir) makeFolders() error {
	var made []string
	for dir := filepath.Clean(d.Root); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, filepath.ToSlash(dir))
	}
	if len(made) == 0 || d.ledger == nil {
		return nil
	}
	return d.ledger.made(made)
}

// clean removes what a kill left of the creation of an object: its temporary file,
// and its folder when nothing is in it.
func (d *Dir) clean(ref Ref) error {
	name, err := d.file(ref)
	if err != nil {
		return nil //nolint:nilerr // no file was named for it
	}
	err = d.in(func(root *source.Root) error { return drop(root, d.temp(name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeFolders removes the folders that the import made, while they are empty.
func (d *Dir) removeFolders() {
	for dir := filepath.Clean(d.Root); d.ledger.folders.made[filepath.ToSlash(dir)]; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || os.Remove(dir) != nil {
			return
		}
	}
}

// errChanged says that an object is not the one that was checked.
var errChanged = errors.New("it was changed in the meantime")

// trials are the first object of each kind that a plan would create, in the
// order met.
type trials []trial

type trial struct {
	res    Resource
	object Object
}

// add takes in an object, which is only made when it is the first of its kind.
func (t *trials) add(res Resource, object func() Object) {
	same := func(other trial) bool { return other.res.APIVersion == res.APIVersion && other.res.Kind == res.Kind }
	if !slices.ContainsFunc(*t, same) {
		*t = append(*t, trial{res, object()})
	}
}

// refusals are what a cluster has against the objects: their form, or that this
// account may not create them.
func (t trials) refusals(ctx context.Context, target Target) ([]report.Finding, error) {
	cluster, ok := target.(*Cluster)
	if !ok {
		return nil, nil
	}
	var list []report.Finding
	for _, first := range t {
		ref := RefOf(first.object)
		err := cluster.Try(ctx, first.res, first.object)
		var refusal *Refusal
		switch {
		case err == nil, errors.Is(err, fs.ErrExist): // one that is there is the plan's own matter
		case errors.As(err, &refusal):
			list = append(list, report.Finding{
				Rule: refusal.Reason, Severity: report.Error, Hint: refusal.Hint,
				Message: fmt.Sprintf("%s would not be taken (asked with dryRun=All for the first %s): %s", ref, ref.Kind, refusal.Message),
			})
		default:
			return list, fmt.Errorf("%s, dryRun=All: %w", ref, err)
		}
	}
	return list, nil
}
