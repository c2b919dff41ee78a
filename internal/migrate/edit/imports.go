package edit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// An import path is moved by a person, who gets the command.

// ReplaceImport is the command that moves an import of one file, for any sed: that of
// macOS wants the end of a backup's name. Where the package has another name afterwards
// and the import gives it none, named is the one that the file uses, else "".
func ReplaceImport(old, fresh, name, named string) string {
	if named != "" {
		named += " "
	}
	name = Operand(name)
	return fmt.Sprintf(`sed -i.bak 's|"%s"|%s"%s"|' %s && rm %s`, old, named, fresh, shellWord(name), shellWord(name+".bak"))
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	if plainShellWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainShellWord = lazyregexp.New(`^[\w@%+=:,./-]+$`)

// Operand is the name of a file as a word of a command, which takes none that begins
// with a dash for an option.
func Operand(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

// imports is the outcome of an import of a package, which a person moves where it is
// none of the tree's own: the path of such a one stays, whatever it is named after.
func imports(s *find.Site, d judge.Decision, o Outcome, imported string) Outcome {
	o.imported, o.stepped = imported, s.Known.Version != "" && d.Answer.To.Version != s.Known.Version
	return o
}

// leaveImport leaves the import of a package whose path holds a group, with the command
// that moves it.
func (m *sheet) leaveImport(s *find.Site, d judge.Decision, o Outcome) Outcome {
	imported := string(s.Doc.Data)
	o = imports(s, d, o, imported)
	if d.Answer.Outcome != rules.Moves || d.Answer.To.Group != s.Known.Group || s.Ver.Len() == 0 {
		return o.Leave(d.Reason, d.Why, "go doc "+imported+" lists its kinds; change the import by kind")
	}
	named := ""
	if is := s.Known.Version; strings.HasSuffix(imported, "/"+is) && m.isUnnamed(o.Start-s.Word.Start) {
		named = is
	}
	fresh := imported[:s.Ver.Start] + d.Answer.To.Version + imported[s.Ver.End:]
	return o.LeaveTo(d.Reason, d.Why, ".", ReplaceImport(imported, fresh, m.path, named))
}

// isUnnamed says whether an import gives its package no name, by what stands before the
// path, which begins behind a quote.
func (m *sheet) isUnnamed(at int) bool {
	before := m.file[:max(at-1, 0)]
	before = bytes.TrimRight(before[bytes.LastIndexByte(before, '\n')+1:], " \t")
	return len(before) == 0 || bytes.HasSuffix(before, []byte("import"))
}
