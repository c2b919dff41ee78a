package prove

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// An apiVersion that a shell or a template fills in may come to be one of several.

// filledIn says whether an object whose apiVersion is filled in becomes what the rules say.
func (c *check) filledIn(texts [4]string) bool { return c.eachWay(texts) || c.byVariable(texts) }

// byVariable says whether the apiVersion is a variable of the template, before and after, and
// every text that is given to it becomes, with the kind, what is given to it there.
func (c *check) byVariable(texts [4]string) bool {
	action, err := hex.DecodeString(strings.TrimSuffix(strings.TrimPrefix(texts[0], "Q"), "_"))
	m := actionVariable.FindSubmatch(action)
	if err != nil || m == nil || texts[0] != texts[2] {
		return false
	}
	given := regexp.MustCompile(regexp.QuoteMeta(string(m[1])) + `\s*:?=\s*"([^"]*)"`)
	before, after := given.FindAllSubmatch(c.file.Before, -1), given.FindAllSubmatch(c.file.After, -1)
	if len(before) == 0 || len(before) != len(after) {
		return false
	}
	for i := range before {
		if !c.rules.becomes(withKind(split(string(before[i][1])), texts[1]), withKind(split(string(after[i][1])), texts[3])) {
			return false
		}
	}
	return true
}

// actionVariable is an action that is (1) a variable.
var actionVariable = lazyregexp.New(`^\{\{-?\s*(\$\w+)\s*(?:\|\s*quote\s*)?-?\}\}$`)

// eachWay says whether every apiVersion that one may come to be, and its kind, become what the
// others come to be there. Those are the text for a variable that is not set, and the branches of a
// choice; a kind is for all of them, or there is one for each.
func (c *check) eachWay(texts [4]string) bool {
	var list [4][]string
	for i, text := range texts {
		list[i] = ways(text)
		if n := len(list[0]); i%2 == 1 && len(list[i]) != n {
			list[i] = slices.Repeat([]string{text}, n)
		} else if len(list[i]) != n {
			return false
		}
	}
	told := false
	for i, api := range list[0] {
		if api == "" && list[2][i] == "" {
			continue // nothing stands beside what is filled in
		}
		told = true
		from, to := withKind(way(api), list[1][i]), withKind(way(list[2][i]), list[3][i])
		if !isKind(from.Kind) {
			from.Kind, to.Kind = "", ""
		}
		if from.Version == to.Version && !isVersion(from.Version) {
			from.Version, to.Version = "", "" // the beginning of one
		}
		if !c.rules.becomes(from, to) {
			return false
		}
	}
	return told
}

// ways are the texts that stand apart in an apiVersion, in their order.
// Source: POSIX, Shell Command Language, 2.6.2 (${name:-text}, ${name:=text}).
func ways(text string) []string {
	return strings.Split(maskedAction.ReplaceAllString(unsetVariable.ReplaceAllString(text, "$1"), "\x00"), "\x00")
}

// way is an apiVersion, or a group whose version stands behind the choice.
func way(text string) GVK {
	text = strings.TrimSpace(text)
	if strings.Contains(text, ".") && !strings.Contains(text, "/") {
		return GVK{Group: text}
	}
	return split(text)
}

var (
	unsetVariable = lazyregexp.New(`\$\{\w+:?[-=]([^${}]*)\}`)
	maskedAction  = lazyregexp.New(`Q7b7b[0-9a-f]*_?`) // its end may be cut off
)
