package migrate

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/gocmd"
	"github.com/project-codeflare/cfctl/internal/gorefactor"
)

// compiled finds the packages of other modules that the Go code of a plan imports in the build cache of the go command,
// for each module with a file that the plan changes. It is nil where they are not asked for.
func (r *refactoring) compiled(ctx context.Context, t *gorefactor.Tree, plan *gorefactor.Plan) *gocmd.Packages {
	if !r.m.opts.BuildCache || r.tree.Base() == "" {
		return nil
	}
	changed, own := map[string]bool{}, map[string]bool{}
	for name := range plan.Edits {
		changed[r.moduleOf(path.Dir(name))] = true
	}
	for _, p := range t.Packages {
		own[p.Path] = true
	}
	imports := map[string][]string{}
	for _, p := range t.Packages {
		module := r.moduleOf(p.Dir)
		if module == "" || !changed[module] {
			continue
		}
		for _, f := range p.Files {
			for _, spec := range f.AST.Imports {
				if name, _ := strconv.Unquote(spec.Path.Value); !own[name] && name != "C" && name != "unsafe" {
					imports[module] = append(imports[module], name)
				}
			}
		}
		slices.Sort(imports[module])
		imports[module] = slices.Compact(imports[module])
	}
	return gocmd.Compiled(ctx, filepath.FromSlash(r.tree.Base()), imports)
}

// moduleOf is the folder of the module that holds a folder, "" outside of one.
func (r *refactoring) moduleOf(dir string) string {
	for ; ; dir = path.Dir(dir) {
		if r.tree.Exists(path.Join(dir, "go.mod")) {
			return dir
		}
		if dir == "." || dir == "/" || dir == ".." {
			return ""
		}
	}
}
