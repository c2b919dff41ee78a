package migrate

import (
	"fmt"
	"path"
	"strings"

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
	return "(" + report.Shell("cd", operand(dir)) + " && " + command + ")"
}

// fileInHint is what stands for the path of the file in the commands of rulesets.
const fileInHint = "{file}"

// Hint is what the user can do about a site of the file, as it is printed.
func (f *File) Hint(s Site) string {
	if s.Role() == roleShape && strings.Contains(s.Hint(), fileInHint) {
		return f.m.inFolder(s.In, strings.ReplaceAll(s.Hint(), fileInHint, report.Shell(operand(f.Path))))
	}
	if s.In == "" || s.Hint() == "" {
		return s.Hint()
	}
	return f.m.inFolder(s.In, s.Hint())
}

// operand is the name of a file as a word of a command, which takes none that begins
// with a dash for an option.
func operand(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

// replaceImport is the command that changes an import of one file, for any sed: that of
// macOS wants the end of a backup's name.
func replaceImport(old, fresh, name string) string {
	name = operand(name)
	return report.Shell("sed", "-i.bak", fmt.Sprintf(`s|"%s"|"%s"|`, old, fresh), name) + " && " + report.Shell("rm", name+".bak")
}
