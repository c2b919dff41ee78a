// Package gocmd asks the go command for what it has compiled on this machine. Nothing is downloaded,
// compiled or run for it: a package that is not in the build cache is left out.
package gocmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	p, asked := &Packages{files: map[string]string{}}, map[string]bool{}
	for _, module := range slices.Sorted(maps.Keys(imports)) {
		for _, name := range imports[module] {
			asked[name] = true
		}
		p.find(ctx, filepath.Join(dir, filepath.FromSlash(module)), imports[module])
	}
	p.Asked = len(asked)
	p.types = importer.ForCompiler(token.NewFileSet(), "gc", p.open)
	return p
}

// Len is the number of packages that were found.
func (p *Packages) Len() int { return len(p.files) }

// Import returns the types of a package, which its file has, with those that it uses of others.
func (p *Packages) Import(name string) (*types.Package, error) { return p.types.Import(name) }

func (p *Packages) open(name string) (io.ReadCloser, error) { return os.Open(p.files[name]) }

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Export string
	Stale              bool // it would have to be compiled
}

// find adds the packages that a module imports. Which of them are compiled is asked first, as
// asking for the file of one compiles it.
func (p *Packages) find(ctx context.Context, module string, names []string) {
	var compiled []string
	for _, x := range list(ctx, module, "-json=ImportPath,Stale", names) {
		if !x.Stale {
			compiled = append(compiled, x.ImportPath)
		}
	}
	for _, x := range list(ctx, module, "-json=ImportPath,Export", compiled, "-export") {
		if x.Export != "" { // it can be had
			p.files[x.ImportPath] = x.Export
		}
	}
}

// list runs go list on packages in the folder of a module.
func list(ctx context.Context, module, fields string, names []string, flags ...string) (found []listed) {
	if len(names) == 0 {
		return nil // go list would take the folder
	}
	args := append([]string{"list", "-e", "-buildvcs=false", fields}, flags...)
	if _, err := os.Lstat(filepath.Join(module, "vendor")); errors.Is(err, os.ErrNotExist) {
		args = append(args, "-mod=readonly") // whatever GOFLAGS says: go.mod is not written
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, "--"), names...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = module, append(os.Environ(), Offline...), 5*time.Second
	out, _ := cmd.Output() // with an error it is empty, or has what was found
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var x listed
		if d.Decode(&x) != nil {
			return found
		}
		found = append(found, x)
	}
}
