package kindwords

import (
	"cmp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/spelling"
)

// formsOf are all spellings of a kind, singular and plural, each once. Where the old name
// is the plural of the new one, its words with separators are right as they are.
func formsOf(k *Kind) []form {
	many := strings.EqualFold(PluralOf(k.NewPlural, k.New), k.Old)
	words, plural := Split(k.Old), PluralOf(k.OldPlural, k.Old)
	from := spellings(words, plural)
	to := spellings(Split(k.New), PluralOf(k.NewPlural, k.New))
	var forms []form
	seen := map[string]bool{}
	for i, f := range from {
		if !seen[f.old] && f.old != "" && !(many && f.style.separated()) && !(k.Types && f.style != camel) {
			seen[f.old] = true
			forms = append(forms, form{f.old, cmp.Or(to[i].old, to[i&^1].old), f.style, k, len(words) > 1})
		}
	}
	return forms
}

// PluralOf is a plural that is known, or the usual one of a kind.
func PluralOf(known, kind string) string { return cmp.Or(known, spelling.Plurals(kind)[0]) }

// spellings lists the spellings of words in a fixed order, the singular of
// each before its plural. The plural is that of the words joined in lower case.
func spellings(words []string, plural string) []form {
	low := strings.Fields(strings.ToLower(strings.Join(words, " ")))
	name, all := strings.Join(words, ""), strings.Join(low, "")
	first := low[0] + strings.Join(words[1:], "")
	list := []form{
		{old: name, style: camel},
		{old: first, style: lowerCamel},
		{old: strings.ToLower(name[:1]) + name[1:], style: lowerCamel}, // client-gen: kFServices
		{old: all, style: joined},
		{old: strings.ToUpper(all[:1]) + all[1:], style: title},
		{old: strings.ToUpper(all), style: upper},
		{old: strings.Join(low, "-"), style: kebab},
		{old: strings.Join(low, "_"), style: snake},
		{old: strings.ToUpper(strings.Join(low, "_")), style: screaming},
	}
	same := 0
	for same < len(all) && same < len(plural) && all[same] == plural[same] {
		same++
	}
	cut, tail := len(all)-same, plural[same:]
	var out []form
	for _, s := range list {
		many := s
		if cut == 0 && tail == "" || cut > len(low[len(low)-1]) {
			many.old = "" // the plural is the singular, or not a form of it
		} else if s.style == upper || s.style == screaming {
			many.old = s.old[:len(s.old)-cut] + strings.ToUpper(tail)
		} else {
			many.old = s.old[:len(s.old)-cut] + tail
		}
		out = append(out, s, many)
	}
	return out
}
