// Package gocmd asks the go command for what it has compiled on this machine. Nothing is downloaded,
// compiled or run for it: a package that is not in the build cache is left out.
package gocmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Offline is the environment in which Go uses no network.
var Offline = []string{"GOPROXY=off", "GONOPROXY=none", "GOSUMDB=off", "GOTOOLCHAIN=local"}

// patience is how long the go command may take. It reads go.mod files that anyone can write.
const patience = 2 * time.Minute

// Packages are the compiled packages that the Go code of a tree imports. It is a types.Importer.
type Packages struct {
	Asked int               // packages that were asked for
	files map[string]string // of export data, by import path
	types types.Importer
}

// Compiled finds packages in the build cache. Imports are import paths, by the folder in dir of the module that imports
// them. The result is empty where Go is not installed, or cannot load the modules without a network.
func Compiled(ctx context.Context, dir string, imports map[string][]string) *Packages {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p := &Packages{files: map[string]string{}}
	all := map[string]bool{}
	for _, module := range slices.Sorted(maps.Keys(imports)) {
		var fresh []string
		for _, name := range imports[module] {
			if all[name] = true; p.files[name] == "" {
				fresh = append(fresh, name)
			}
		}
		p.find(ctx, filepath.Join(dir, filepath.FromSlash(module)), fresh)
	}
	p.Asked = len(all)
	p.types = importer.ForCompiler(token.NewFileSet(), "gc", p.open)
	return p
}

// Len is the number of packages that were found.
func (p *Packages) Len() int { return len(p.files) }

// Import returns the types of a package. What its files name is read from them alone.
func (p *Packages) Import(name string) (*types.Package, error) {
	if p.files[name] == "" {
		return nil, fmt.Errorf("%s is not in the build cache", name)
	}
	return p.types.Import(name)
}

func (p *Packages) open(name string) (io.ReadCloser, error) { return os.Open(p.files[name]) }

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Export string
	Stale, Incomplete  bool // it would have to be compiled; it or an import of it cannot be loaded
}

// find adds the packages that a module imports. Which of them are compiled is asked first, as
// asking for the file of one compiles it.
func (p *Packages) find(ctx context.Context, module string, names []string) {
	found := slices.DeleteFunc(list(ctx, module, "-json=ImportPath,Stale,Incomplete", names), func(x listed) bool { return x.Stale || x.Incomplete })
	var compiled []string
	for _, x := range found {
		compiled = append(compiled, x.ImportPath)
	}
	for _, x := range list(ctx, module, "-json=ImportPath,Export", compiled, "-export") {
		if x.Export != "" {
			p.files[x.ImportPath] = x.Export
		}
	}
}

// list runs go list on packages in the folder of a module. With an error it is empty.
func list(ctx context.Context, module, fields string, names []string, flags ...string) []listed {
	if len(names) == 0 {
		return nil
	}
	args := append([]string{"list", "-e", "-buildvcs=false", fields}, flags...)
	if _, err := os.Lstat(filepath.Join(module, "vendor")); errors.Is(err, os.ErrNotExist) {
		args = append(args, "-mod=readonly") // whatever GOFLAGS says: go.mod is not written
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, "--"), names...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = module, append(os.Environ(), Offline...), 5*time.Second
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	var found []listed
	for d := json.NewDecoder(out); ; {
		var x listed
		if d.Decode(&x) != nil {
			break
		}
		found = append(found, x)
	}
	if cmd.Wait() != nil {
		return nil
	}
	return found
}
