package bundle

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Write puts the bundle into dir, which is made when it is not there. When it
// fails, what was written stays: the folder is to be thrown away.
func (b *Bundle) Write(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := writeNew(file, b.Files[name]); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o644))
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
