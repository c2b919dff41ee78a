package names

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// movedKeys finds the keys that a ruleset renames.
func (n *Names) movedKeys(b []byte, k rules.KeyRule, list []Token, taken claims) []Token {
	list = n.keysAs(b, k, k.From, list, taken)
	if p := pointer(k.From); p != k.From {
		list = n.keysAs(b, k, p, list, taken)
	}
	return list
}

// pointer is how a JSON pointer spells a key.
func pointer(key string) string { return strings.ReplaceAll(key, "/", "~1") }

func (n *Names) keysAs(b []byte, k rules.KeyRule, spelled string, list []Token, taken claims) []Token {
	for i := range source.All(b, spelled) {
		at := i + len(spelled)
		if i > 0 && (isLabel(b[i-1]) || b[i-1] == '.' || b[i-1] == '-' || b[i-1] == '/' && spelled == k.From || b[i-1] == '@') || taken.touch(i, at) {
			continue
		}
		if k.From[len(k.From)-1] != '/' && at < len(b) && (isLabel(b[at]) || b[at] == '-' && at+1 < len(b) && isLabel(b[at+1]) || b[at] == '_' || b[at] == '/' || b[at] == '.' && at+1 < len(b) && isLabel(b[at+1])) {
			continue
		}
		t := Token{Form: MovedKey, Group: k.From, Spelled: k.From, At: source.Span{Start: i, End: at}, End: at}
		if rest := b[at:]; k.From[len(k.From)-1] == '/' && len(rest) > 1 && (rest[0] == '*' || isVersion(wordAt(rest))) {
			continue // GROUP/v1, GROUP/*/Kind
		}
		list = append(list, t)
	}
	return list
}

// spelled finds the paths of webhooks and the links to headings that are made of a group.
func (n *Names) spelled(b []byte, g string, m made, list []Token) []Token {
	for _, x := range []struct {
		form Form
		text string
	}{{Hook, m.hook}, {Anchor, m.anchor}} {
		for i := range source.All(b, x.text) {
			i++
			at := i + len(x.text) - 1 // the version
			t := Token{Form: x.form, Group: g, At: source.Span{Start: i, End: i + len(strings.Trim(x.text, "#-"))}, Spelled: strings.Trim(x.text, "#-")}
			end := at + len(wordAt(b[at:]))
			if x.form == Hook && !inPath(b, i-1) {
				continue
			}
			switch {
			case isVersion(b[at:end]):
				t.Version, t.End = source.Span{Start: at, End: end}, end
			case x.form == Hook && at < len(b) && strings.IndexByte("{$%", b[at]) >= 0:
				t.Open, t.End = true, t.At.End
			default:
				continue
			}
			if x.form == Hook && end < len(b) && b[end] == '-' {
				t.kind(b, end+1)
			}
			list = append(list, t)
		}
	}
	return list
}

// patterns finds the regular expressions of a group.
func (n *Names) patterns(b []byte, g string, patterns []string, list []Token, taken claims) []Token {
	for way, pattern := range patterns {
		spelling := func(group string) string { return patternsOf(group)[way] }
		for i := range source.All(b, pattern) {
			at := i + len(pattern)
			if s := (source.Span{Start: i, End: at}); !taken.touch(i, at) && !n.isNew(b, g, i, spelling) {
				form := Pattern
				key := keyFollows(b[at:])
				moves := func(k rules.KeyRule) bool { return k.From == g+"/" || strings.HasPrefix(k.From, g+"/"+key) }
				if key != "" && (!bytes.HasSuffix(b[:i], []byte(`\.`)) || ofMetadata.Match(b[max(0, i-maxDomain):i])) && !slices.ContainsFunc(n.keys, moves) {
					form = Path
				}
				list = append(list, Token{Form: form, Group: g, At: s, End: at, Spelled: pattern})
			}
		}
	}
	return list
}

// inParts finds the versions of a group whose first label is filled in.
func inParts(b []byte, g string, parts []string, list []Token) []Token {
	for _, part := range parts {
		for i := range source.All(b, part) {
			at := i + len(part) - 1
			if end := at + len(wordAt(b[at:])); isVersion(b[at:end]) {
				list = append(list, Token{Form: Part, Group: g, At: source.Span{Start: i + 2, End: at - 1}, Version: source.Span{Start: at, End: end}, End: end, Spelled: part[2 : len(part)-2]})
			}
		}
	}
	return list
}

// ofMetadata is the path of a label or annotation up to a part of the domain of its key.
var ofMetadata = lazyregexp.New(`(?:labels|annotations)\.(?:[a-z0-9-]+\\+\.)+$`)

// keyFollows is the word behind a slash that is no version, as in the path of a label; "" for none.
func keyFollows(b []byte) string {
	word, ok := bytes.CutPrefix(bytes.TrimLeft(b, `\\`), []byte("/"))
	end := 0
	for end < len(word) && (isLabel(word[end]) || word[end] == '-') {
		end++
	}
	if !ok || end == 0 || word[0] < 'a' || isVersion(word[:end]) {
		return ""
	}
	return string(word[:end])
}

// inPath says whether one word is between a slash and an offset.
func inPath(b []byte, at int) bool {
	for at > 0 && isLabel(b[at-1]) {
		at--
	}
	return at > 0 && b[at-1] == '/'
}

// isVersion says whether a text is an API version: v1, v1beta2.
func isVersion(b []byte) bool { return len(b) > 1 && b[0] == 'v' && rules.APIVersion.Match(b) }

// IsVersion says whether a text is an API version: v1, v1beta2.
func IsVersion(s string) bool { return isVersion([]byte(s)) }

// few is up to how many groups each is searched by itself.
const few = 3

// groupsIn are the groups that a text may spell, the longest first.
func (n *Names) groupsIn(b []byte) []string {
	if len(n.groups) <= few {
		return n.groups
	}
	found := make([]bool, len(n.groups))
	n.inText.Each(b, func(x string) {
		for _, g := range n.asks[x] {
			found[g] = true
		}
	})
	var list []string
	for i, ok := range found {
		if ok {
			list = append(list, n.groups[i])
		}
	}
	return list
}

// wordAt is the word that a text begins with.
func wordAt(b []byte) []byte {
	end := 0
	for end < len(b) && isLabel(b[end]) {
		end++
	}
	return b[:end]
}
