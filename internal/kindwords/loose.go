package kindwords

import (
	"regexp"
	"slices"
	"strings"
)

// A Loose finds a kind of several words in any case, with or without separators and blanks:
// BaremetalMachine and "bare metal machine" are BareMetalMachine to people. What is a part of
// the new name is none.
type Loose struct {
	Needles    []string // a text without one of them has nothing that is found
	old, fresh *regexp.Regexp
}

// NewLoose makes a Loose, nil for a kind that is too short to be told from other words.
func NewLoose(k *Kind) *Loose {
	l := &Loose{old: loosely(k)}
	if l.old == nil {
		return nil
	}
	for _, word := range NewSet(k).Needles() {
		l.Needles = append(l.Needles, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	if strings.Contains(strings.ToLower(k.New), strings.ToLower(k.Old)) {
		l.fresh = loosely(&Kind{Old: k.New, OldPlural: k.NewPlural})
	}
	return l
}

func loosely(k *Kind) *regexp.Regexp {
	words := k.words()
	if all := strings.Join(words, ""); len(words) < 2 || len(all) < freely {
		return nil
	}
	first, last := words[:len(words)-1], strings.ToLower(words[len(words)-1])
	ends := regexp.QuoteMeta(last)
	if many, ok := strings.CutPrefix(PluralOf(k.OldPlural, k.Old), strings.ToLower(strings.Join(first, ""))); ok {
		ends = "(?:" + regexp.QuoteMeta(many) + "|" + ends + ")"
	}
	return regexp.MustCompile("(?i)" + strings.Join(first, "[-_ ]?") + "[-_ ]?" + ends)
}

// In are the places of the kind in a text.
func (l *Loose) In(text string) [][]int {
	var fresh [][]int
	if l.fresh != nil {
		fresh = l.fresh.FindAllStringIndex(text, -1)
	}
	return slices.DeleteFunc(l.old.FindAllStringIndex(text, -1), func(at []int) bool {
		return !apart(text, at[0], at[1]) || slices.ContainsFunc(fresh, func(f []int) bool { return f[0] <= at[0] && at[1] <= f[1] })
	})
}

// apart says whether what was found begins and ends with a word.
func apart(text string, start, end int) bool {
	prev, next, found := byteAt(text, start-1), byteAt(text, end), text[start:end]
	if strings.ContainsAny(found, "-_ ") {
		return !letter(prev) && !letter(next)
	}
	return !lowerByte(next) || found[1:] == strings.ToLower(found[1:])
}
