package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// modules have the types of all kinds that the API server serves. Minor version
// N of each belongs to Kubernetes 1.N.
var modules = []string{"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"}

// A moduleRelease is the source of one module for one release of Kubernetes.
type moduleRelease struct {
	minor int
	dir   string
}

// A gvk names a kind.
type gvk struct{ group, version, kind string }

func (x gvk) String() string { return x.group + "/" + x.version + " " + x.kind }

// A life is what the types say about a kind: minor versions of Kubernetes, 0 for
// those that the types do not say.
type life struct {
	first, last                     int // releases whose modules have the type
	introduced, deprecated, removed int
	replacement                     gvk
	resource                        bool // clients send it to a path of its own
}

// A history has the life of each kind, from the oldest release to the newest.
type history map[gvk]*life

func (h history) newest() int {
	newest := 0
	for _, l := range h {
		newest = max(newest, l.last)
	}
	return newest
}

func release(minor int) string {
	if minor == 0 {
		return ""
	}
	return "1." + strconv.Itoa(minor)
}

// releases are the last patch releases of each minor version of the modules, oldest first.
func releases() ([]moduleRelease, error) {
	var all []moduleRelease
	for _, m := range modules {
		versions, err := versionsOf(m)
		if err != nil {
			return nil, err
		}
		for i, v := range versions {
			if i+1 < len(versions) && semver.MajorMinor(versions[i+1]) == semver.MajorMinor(v) {
				continue
			}
			r, err := download(m, v)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b moduleRelease) int { return a.minor - b.minor })
	return all, nil
}

// versionsOf are the released versions v0.N.P of a module, in order.
func versionsOf(module string) ([]string, error) {
	out, err := run1("go", "list", "-m", "-versions", module)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, v := range strings.Fields(string(out)) {
		if semver.Major(v) == "v0" && semver.Prerelease(v) == "" {
			list = append(list, v)
		}
	}
	semver.Sort(list)
	if len(list) == 0 {
		return nil, fmt.Errorf("the proxy has no version of %s", module)
	}
	return list, nil
}

func download(module, version string) (moduleRelease, error) {
	out, err := run1("go", "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return moduleRelease{}, err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return moduleRelease{}, fmt.Errorf("go mod download %s: %w", module, err)
	}
	minor, err := strconv.Atoi(strings.TrimPrefix(semver.MajorMinor(version), "v0."))
	return moduleRelease{minor: minor, dir: got.Dir}, err
}

func run1(name string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(context.Background(), name, args...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		err = fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}

var groupName = lazyregexp.New(`GroupName += +"(.*)"`)

// read adds what a module's types say. Of several releases the newest that has a
// type decides.
func (h history) read(r moduleRelease) error {
	var files []string
	for _, pattern := range []string{"*/*/register.go", "pkg/apis/*/*/register.go"} {
		found, err := filepath.Glob(filepath.Join(r.dir, pattern))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, name := range files {
		data, err := source.ReadFile(name)
		if err != nil {
			return err
		}
		group := groupName.FindSubmatch(data)
		if group == nil {
			// The aggregator has the name in the package of its internal types.
			if data, err = source.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(name)), "register.go")); err != nil {
				continue // a package that is no API
			}
			if group = groupName.FindSubmatch(data); group == nil {
				continue
			}
		}
		if err := h.readPackage(r.minor, string(group[1]), filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

// readPackage reads the types of one version of a group.
func (h history) readPackage(minor int, group, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	resources := map[string]bool{}
	var methods []*ast.FuncDecl
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil {
				methods = append(methods, m)
			}
		}
		for kind := range clients(f) {
			resources[kind] = true
		}
	}
	h.readMethods(minor, gvk{group: group, version: filepath.Base(dir)}, methods)
	for kind := range resources {
		if l := h[gvk{group, filepath.Base(dir), kind}]; l != nil {
			l.resource = true
		}
	}
	return nil
}

// clients are the types of a file for which a client is generated: the resources.
func clients(f *ast.File) map[string]bool {
	kinds := map[string]bool{}
	end := token.NoPos
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.TYPE {
			for _, c := range f.Comments { // a marker need not be next to the type
				if c.Pos() < end || c.End() > d.End() {
					continue
				}
				var text strings.Builder
				for _, line := range c.List {
					text.WriteString(line.Text + "\n")
				}
				if strings.Contains(text.String(), "+genclient\n") && !strings.Contains(text.String(), "+genclient:noVerbs") {
					kinds[g.Specs[0].(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
		end = d.End()
	}
	return kinds
}

// readMethods reads the methods of API objects.
func (h history) readMethods(minor int, of gvk, methods []*ast.FuncDecl) {
	for _, m := range methods {
		star, ok := m.Recv.List[0].Type.(*ast.StarExpr)
		if !ok || m.Name.Name != "DeepCopyObject" && !strings.HasPrefix(m.Name.Name, "APILifecycle") {
			continue
		}
		of.kind = star.X.(*ast.Ident).Name
		if strings.HasSuffix(of.kind, "List") || strings.HasSuffix(of.kind, "Options") {
			continue
		}
		l := h[of]
		if l == nil {
			l = &life{first: minor}
			h[of] = l
		}
		if l.last != minor {
			*l = life{first: l.first, last: minor}
		}
		if m.Name.Name == "DeepCopyObject" {
			continue
		}
		values := literals(m)
		switch m.Name.Name {
		case "APILifecycleIntroduced":
			l.introduced = minorOf(values)
		case "APILifecycleDeprecated":
			l.deprecated = minorOf(values)
		case "APILifecycleRemoved":
			l.removed = minorOf(values)
		case "APILifecycleReplacement":
			if len(values) == 3 {
				l.replacement = gvk{values[0], values[1], values[2]}
			}
		}
	}
}

// literals are the constants in a function, in their order.
func literals(f *ast.FuncDecl) []string {
	var list []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.BasicLit); ok {
			list = append(list, strings.Trim(x.Value, `"`))
		}
		return true
	})
	return list
}

// minorOf is the minor version of a major and a minor one.
func minorOf(values []string) int {
	if len(values) != 2 || values[0] != "1" {
		return 0
	}
	n, err := strconv.Atoi(values[1])
	if err != nil {
		return 0
	}
	return n
}
