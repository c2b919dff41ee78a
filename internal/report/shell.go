package report

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// plainWord is a word that means itself in every shell.
var plainWord = lazyregexp.New(`^[\w@%+=:,./-]+$`)

// Shell spells a command so that a POSIX shell takes each of the words as it
// is. A command that a user may copy is printed through it.
func Shell(words ...string) string {
	spelled := make([]string, len(words))
	for i, w := range words {
		spelled[i] = w
		if !plainWord.MatchString(w) {
			spelled[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(spelled, " ")
}
