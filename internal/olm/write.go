package olm

import (
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Write puts the bundle into dir, which is made when it is not there; none of
// its files may be. When it fails, what was written stays: the folder is to be
// thrown away.
func (b *Bundle) Write(dir string) error {
	root, err := source.OutputRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what was written is on the disk
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		if err := root.Create(name, b.Files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
