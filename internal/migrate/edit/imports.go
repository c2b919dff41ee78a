package edit

import (
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// An import path is moved by a person, who gets the command.

// ReplaceImport is the command that moves an import of one file, for any sed: that of
// macOS wants the end of a backup's name.
func ReplaceImport(old, fresh, name string) string {
	return fmt.Sprintf(`sed -i.bak 's|"%s"|"%s"|' %s && rm %s && go build ./...`, old, fresh, shellWord(name), shellWord(name+".bak"))
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	if plainShellWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainShellWord = lazyregexp.New(`^[\w@%+=:,./-]+$`)

// imports is the outcome of an import of a package, which a person moves where it is
// none of the tree's own: the path of such a one stays, whatever it is named after.
func imports(s *find.Site, d judge.Decision, o Outcome, imported string) Outcome {
	o.imported, o.stepped = imported, s.Known.Version != "" && d.Answer.To.Version != s.Known.Version
	return o
}

// importHint is the command for an import path that holds a group.
func (m *sheet) importHint(s *find.Site, ver rules.Answer) string {
	imported := string(s.Doc.Data)
	if ver.Outcome == rules.Moves && ver.To.Group == s.Known.Group && s.Ver.Len() > 0 {
		return ReplaceImport(imported, imported[:s.Ver.Start]+ver.To.Version+imported[s.Ver.End:], m.path)
	}
	return "go doc " + imported + " lists its kinds; change the import by kind, then go build ./..."
}
