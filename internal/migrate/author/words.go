package author

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// abbreviations are the abbreviations of a kind in the names of Go variables, parameters
// and fields of its type, with how many declarations have each.
type abbreviations struct {
	typed *regexp.Regexp // a declaration
	words map[string]int

	image   *regexp.Regexp // of a container, with the name of the kind
	product string         // the first place of one, by path: the kind has the name of a product; empty for none
}

func newAbbreviations(kind string) *abbreviations {
	kind = regexp.QuoteMeta(kind)
	return &abbreviations{words: map[string]int{},
		image: regexp.MustCompile(`(?i)(?:[a-z0-9_-]/` + kind + `(?::v?\d[\w.-]*|:latest|@sha256)|(?:^|[\s"'` + "`" + `=])` + kind + `:v?\d+\.\d)\b`),
		typed: regexp.MustCompile(`\b(\w+) +(?:\[\])?\*?(?:\w+\.)?` + kind + `\b|\b(\w+) *:?= *&?(?:\w+\.)?` + kind + `\{`)}
}

// add counts those of declarations that were found.
func (a *abbreviations) add(kind string, found [][][]byte) {
	for _, m := range found {
		for _, segment := range kindwords.Split(string(m[1]) + string(m[2])) {
			if word := strings.ToLower(segment); abbreviates(word, kind) {
				a.words[word]++
			}
		}
	}
}

// ofProduct notes where a file names an image that is called like the kind.
func (a *abbreviations) ofProduct(name string, data []byte, at []int) {
	if at == nil || a.product != "" && a.product < name {
		return
	}
	a.product = place(name, source.PositionAt(data, at[0]).Line)
}

// abbreviates says whether a word is the initials of a kind, or has letters of it in
// their order, not of its first word alone, and no vowel but the first one: qw of
// QueuedWorkload, wdgt of Widget.
func abbreviates(word, kind string) bool {
	if all := strings.ToLower(kind); word == all || word == kindwords.InitialsOf(kind) {
		return word != all && len(word) > 1
	}
	if words := kindwords.Split(kind); len(words) > 1 && abbreviates(word, words[0]) {
		return false
	}
	if len(word) < 3 || strings.ContainsAny(word[1:], "aeiou") {
		return false
	}
	rest, ok := strings.ToLower(kind), true
	for i, c := range word {
		at := strings.IndexRune(rest, c)
		if ok = ok && at >= 0 && (i > 0 || at == 0); !ok {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// proposeWords writes, as a comment below a rule, what the tree calls the variables of
// its kind. The author of the ruleset decides.
func (w ruleWriter) proposeWords(kind, renamed string, short *abbreviations) {
	words := short.words
	if short.product != "" {
		fmt.Fprintf(w.b, "    words: surface # %s is also an image, %s: remove this to rename it in Go names and prose, too\n", strings.ToLower(kind), short.product)
	}
	if len(words) == 0 {
		return
	}
	var list []string
	n := 0
	for _, old := range slices.Sorted(maps.Keys(words)) {
		to := kindwords.InitialsOf(renamed)
		if old != kindwords.InitialsOf(kind) || len(to) < 2 {
			first := kindwords.Split(renamed)[0]
			to = strings.ToLower(first) + renamed[len(first):]
		}
		list = append(list, old+": "+to)
		n += words[old]
	}
	fmt.Fprintf(w.b, "    # words: {%s} # abbreviations in the names of %s\n", strings.Join(list, ", "), report.Plural(n, "Go variable"))
}
