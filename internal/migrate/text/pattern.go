package text

import (
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A Pattern is a regular expression that is not asked about text in which none
// of its words stands: there are as many questions as there are names in a file.
type Pattern struct {
	rx    *lazyregexp.Regexp
	words [][]byte // in lower case; one of them is in every match, in whatever case
	tail  int      // it is asked about so many bytes at the end; 0 = about all
}

// longestWord is how much of two parts of a long text overlaps.
const longestWord = 32
