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
// for each module with a file that the plan changes.
func compiled(ctx context.Context, tree treeFS, t *gorefactor.Tree, plan *gorefactor.Plan) *gocmd.Packages {
	changed, own := map[string]bool{}, map[string]bool{}
	for name := range plan.Edits {
		changed[moduleOf(tree, path.Dir(name))] = true
	}
	for _, p := range t.Packages {
		own[p.Path] = true
	}
	imports := map[string][]string{}
	for _, p := range t.Packages {
		module := moduleOf(tree, p.Dir)
		if !changed[module] {
			continue
		}
		for _, f := range p.Files {
			for _, spec := range f.AST.Imports {
				if name, _ := strconv.Unquote(spec.Path.Value); !own[name] && name != "C" && name != "unsafe" {
					imports[module] = append(imports[module], name)
				}
			}
		}
	}
	for module, list := range imports {
		slices.Sort(list)
		imports[module] = slices.Compact(list)
	}
	return gocmd.Compiled(ctx, filepath.FromSlash(tree.Base()), imports)
}

// moduleOf is the folder of the module that holds a folder, "" outside of one.
func moduleOf(tree treeFS, dir string) string {
	for ; ; dir = path.Dir(dir) {
		if tree.Exists(path.Join(dir, "go.mod")) {
			return dir
		}
		if dir == "." || dir == "/" || dir == ".." {
			return ""
		}
	}
}
