package kindwords

import (
	"regexp"
	"strings"
)

// Loosely matches a kind of several words in any case, with or without separators and blanks:
// BaremetalMachine and "bare metal machine" are BareMetalMachine to people. It is nil for a
// kind that is too short to be told from other words.
func Loosely(kind, plural string) *regexp.Regexp {
	words := Split(kind)
	if len(words) < 2 || len(kind) < freely {
		return nil
	}
	last := len(words) - 1
	ends := regexp.QuoteMeta(words[last])
	if many, ok := strings.CutPrefix(PluralOf(plural, kind), strings.ToLower(strings.Join(words[:last], ""))); ok {
		ends = "(?:" + regexp.QuoteMeta(many) + "|" + ends + ")"
	}
	return regexp.MustCompile(`(?i)\b` + strings.Join(words[:last], "[-_ ]?") + "[-_ ]?" + ends + `\b`)
}
