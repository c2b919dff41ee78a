package migrate

import (
	"cmp"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A command that a hint gives is run as it is printed, in the directory that cfctl was
// started in: it goes itself to the folder that it is for, and comes back.

// inFolder is a command for a folder, given from the base of the tree, as it is run where
// cfctl was started.
func (m *Migration) inFolder(dir, command string) string {
	if m != nil && m.tree != nil {
		dir = path.Join(m.tree.From(), dir)
	}
	if dir == "" || dir == "." {
		return command
	}
	return "(" + report.Shell("cd", edit.Operand(dir)) + " && " + command + ")"
}

// fileInHint is what stands for the path of the file in the commands of rulesets.
const fileInHint = "{file}"

// Hint is what a person is told to do about a site of the file, as it is printed.
func (f *File) Hint(s Site) string {
	if s.In == "" || s.Hint == "" {
		return s.Hint
	}
	command := s.Hint
	if s.Role == find.RoleShape {
		command = strings.ReplaceAll(command, fileInHint, report.Shell(edit.Operand(f.Path)))
	}
	return f.m.inFolder(s.In, command)
}

// A remaker says which command writes in a folder of a tree what is generated there, ""
// where nothing in that folder tells.
type remaker func(tree Others, dir string) string

// commands are those that make files of a tree anew: of the nearest folder above a file
// that has one, up to the top of its work tree, each looked for once; otherwise is the
// hint where there is none.
func (m *Migration) commands(tree Others, command remaker, otherwise string) func(name string) string {
	known := map[string]string{}
	return func(name string) string {
		from := path.Dir(name)
		if _, ok := known[from]; !ok {
			known[from] = otherwise
			for _, dir := range m.foldersAbove(from) {
				if run := command(tree, dir); run != "" {
					known[from] = m.inFolder(dir, run)
					break
				}
			}
		}
		return known[from]
	}
}

// foldersAbove are a folder and those above it, up to the top of its work tree, which may
// be above the base.
func (m *Migration) foldersAbove(dir string) []string {
	top, list := m.rootOf(path.Join(dir, "x")), []string{}
	for ; dir != "." && dir != "/" && !isAbove(dir); dir = path.Dir(dir) {
		list = append(list, dir)
		if dir == top {
			return list
		}
	}
	list = append(list, ".")
	for at := m.below; at != "" && at != "."; at = path.Dir(at) {
		list = append(list, path.Join(list[len(list)-1], ".."))
	}
	return list
}

var documentTarget = lazyregexp.New(`(?m)^([a-z-]*(?:api-?(?:docs?|reference)|docs?-api|gen(?:erate)?-docs?|reference))[ \t]*:`)

// documentNeeds is a target that needs a program which writes references.
var documentNeeds = lazyregexp.New(`(?m)^([a-z-]*docs?)[ \t]*:[^=\n]*\s(?:crdocs?|crd-ref-docs|gen-crd-api-reference-docs)(?:\s|$)`)

// documentCommand is the command of a folder that writes the API reference.
func documentCommand(tree Others, dir string) string {
	return cmp.Or(target(tree, dir, documentTarget), target(tree, dir, documentNeeds))
}

const documentOtherwise = "move the Go types, then generate the reference as the project does"

var generateTarget = lazyregexp.New(`(?m)^(generate|codegen|update-codegen|gen)[ \t]*:`)

// generateCommand is the command of a folder that writes the generated code.
func generateCommand(tree Others, dir string) string {
	if run := target(tree, dir, generateTarget); run != "" {
		return run
	}
	switch {
	case tree.Exists(path.Join(dir, "hack/update-codegen.sh")):
		return "hack/update-codegen.sh"
	case tree.Exists(path.Join(dir, modName)):
		return generateOtherwise
	}
	return ""
}

const generateOtherwise = "go generate ./..."

// target is the command that makes a target of the Makefile of a folder, "" where it has
// none.
func target(tree Others, dir string, name *lazyregexp.Regexp) string {
	data, err := tree.ReadFile(path.Join(dir, "Makefile"))
	if err != nil {
		return ""
	}
	if found := name.FindSubmatch(data); found != nil {
		return "make " + string(found[1])
	}
	return ""
}
