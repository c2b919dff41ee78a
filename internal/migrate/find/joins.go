package find

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Join is a key of labels or a longer domain that is made of the use of a constant:
// GROUP + "/owner", f"{GROUP}/owner", "webhook.${GROUP}", $(GROUP).svc.
type Join struct {
	Name   string // of the constant
	At     int    // of its use
	Before string // "webhook.", with its dot; "" = nothing
	Behind string // "/owner", ".svc"; "" = known when it runs, as a key
	filled bool   // what stands before it is filled in: it may be a resource of the group as well
}

// Joins are those of a file, of the names that are known.
func Joins(data []byte, known func(name string) bool) []Join {
	var list []Join
	EachName(data, func(name string, at source.Span) {
		if known(name) {
			if j, ok := joinAt(data, at); ok && !j.filled {
				j.Name = name
				list = append(list, j)
			}
		}
	})
	return list
}

// joinAt reads what stands around the use of a name; it says false where that is no key and no
// longer domain.
func joinAt(data []byte, use source.Span) (Join, bool) {
	line := text.LineAround(data, use)
	left, right := data[max(line.Start, use.Start-text.Nearby):use.Start], data[use.End:min(line.End, use.End+text.Nearby)]
	before, behind, ok := filledWord(left, right)
	if !ok {
		before, behind, ok = madeByCall(left, right)
	}
	if !ok {
		before, behind = summed(left, right)
	}
	j, ok := joinOf(left, before, behind)
	j.At = use.Start
	return j, ok
}

// joinOf is what a name is made into by what stands around it in its word, behind what stands
// on its line.
func joinOf(left []byte, before string, behind []byte) (Join, bool) {
	if commentedLine.Match(left) {
		return Join{}, false
	}
	j := Join{Before: before}
	if m := filledBefore.FindStringSubmatch(before); m != nil {
		return j.behindFilled(m[1] != "", m[3], left, behind)
	}
	switch {
	case strings.ContainsRune(before, '/'): // a path
		return j, false
	case labelsBefore.MatchString(before) && !commandLine.Match(left):
		j.Behind = string(labelsBehind.Find(behind))
		if strings.HasSuffix(before, "s.") { // PLURAL.GROUP
			return j, j.Behind != "" && !slices.Contains(fileEnds, path.Ext(j.Behind))
		}
		return j, true
	case before != "":
		return j, false
	}
	if m := labelsBehind.Find(behind); m != nil && !slices.Contains(fileEnds, path.Ext(string(m))) {
		j.Behind = string(m)
		return j, true
	}
	m := keyBehind.FindSubmatch(behind)
	switch {
	case m == nil, rules.APIVersion.Match(m[1]), slices.Contains(fileEnds, path.Ext(string(m[1]))), otherPart.Match(m[2]), rules.APIVersion.Match(m[2]):
		return j, false
	case len(m[1]) > 0 && len(m[2]) == 0:
		j.Behind = "/" + string(m[1])
	}
	return j, len(m[1]) > 0 || len(m[2]) > 0
}

// behindFilled is a join of a name behind what is filled in: the host of a URL, an address of
// e-mail, a longer domain where labels follow, and what nobody knows, unless the name that is
// filled in says that it is a resource, or the name is one in a command.
func (j Join) behindFilled(url bool, filled string, left, behind []byte) (Join, bool) {
	j.Behind = string(labelsBehind.Find(behind))
	if j.Behind == "" && !url && !strings.HasSuffix(j.Before, "@") {
		j.filled = true
		return j, !resourceName.MatchString(filled) && !commandLine.Match(left)
	}
	return j, !strings.Contains(j.Before, "s.{") && !slices.Contains(fileEnds, path.Ext(j.Behind))
}

var (
	// filledBefore is (1) the begin of a URL and (3) what is filled in before a dot or an @.
	filledBefore = lazyregexp.New(`^(//)?(?:[\w.-]*(?:` + filling + `)\.)*[\w.-]*(` + filling + `)[.@]$`)
	// resourceName is a name that speaks of a resource.
	resourceName = lazyregexp.New(`(?i)resource|plural|singular|kind|crd|gvr|gvk|type|^res$`)

	commentedLine = lazyregexp.New(`^\s*(#|//|\*|\{\{-?\s*/\*)`)
	commandLine   = rx(`\b(kubectl|oc|k)(\.exe)?\s`, "kubectl", "oc", "k ")
	labelsBefore  = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.$`)
	labelsBehind  = lazyregexp.New(`^(?:\.[a-z][a-z0-9-]*)+`)
	// keyBehind is (1) the name of a key, or (2) the last part of what is filled in for it.
	keyBehind = lazyregexp.New(`^/([A-Za-z0-9._-]*)(?:[$#]?[({%]+-?\s*(?:[\w.$]*\.)?\$?(\w*)[^/]*|\$(\w+))?$`)
	// otherPart is a name for what follows a group and is no part of a key.
	otherPart = lazyregexp.New(`(?i)(^v|vers?|version|kind|resource|plural|gvk|gvr)s?$`)
	// fileEnds are those of the names of files.
	fileEnds = []string{".yaml", ".yml", ".json", ".tgz", ".gz", ".tar", ".md", ".go", ".py", ".sh", ".crt", ".pem", ".txt"}
)

// fillings are how a name is filled into a text: what stands before it, and behind it.
var fillings = []struct{ before, behind *lazyregexp.Regexp }{
	{lazyregexp.New(`\{\{-?\s*\$?$`), lazyregexp.New(`^\s*(\|[^{}]*)?-?\}\}`)},
	{lazyregexp.New(`[$#]?\{(\w+\.)*$`), lazyregexp.New(`^(:?[-=?+][^}]*)?\}`)},
	{lazyregexp.New(`[$\\]\((\w+\.)*$`), lazyregexp.New(`^\)`)},
	{lazyregexp.New(`\$$`), lazyregexp.New(`^`)},
}

// filledWord is what stands around a name in the word that it is filled into; it says false
// for a name that is not filled into one.
func filledWord(left, right []byte) (before string, behind []byte, ok bool) {
	for _, f := range fillings {
		l, r := f.before.FindIndex(left), f.behind.FindIndex(right)
		if l == nil || r == nil {
			continue
		}
		left, right = left[:l[0]], right[r[1]:]
		return string(filledBegin.Find(left)), right[:len(filledEnd.Find(right))], true
	}
	return "", nil, false
}

// filledBegin and filledEnd are a word up to a name and behind it, with what is filled into it.
var (
	filledBegin = lazyregexp.New("(?:\\{\\{[^{}]*\\}\\}|[$#]?\\{[^{}]*\\}|\\$\\([^()]*\\)|[^\\s\"'`=,()\\[\\]{}|<>:;\\\\])*$")
	filledEnd   = lazyregexp.New("^(?:\\{\\{[^{}]*\\}\\}|[$#]?\\{[^{}]*\\}|\\$\\([^()]*\\)|[^\\s\"'`=,()\\[\\]{}|<>:;&\\\\])*")
)

// summed is what stands around a name in a sum of strings, or in a text that it is formatted
// into as the first.
func summed(left, right []byte) (before string, behind []byte) {
	left = left[:len(left)-len(qualifier.Find(left))]
	if m := formatted.FindSubmatch(left); m != nil {
		rest := m[2]
		if next := nextArgument.FindSubmatch(right); next != nil {
			rest = placeholder.ReplaceAll(rest, slices.Concat([]byte("{"), next[1], []byte("}")))
		}
		return string(m[1]), rest
	}
	if m := addedTo.FindSubmatch(left); m != nil {
		if before = string(m[2]); strings.HasPrefix(before, ".") && len(m[1]) > 0 {
			before = "{" + string(m[1]) + "}" + before
		}
	}
	if m := added.FindSubmatch(right); m != nil {
		behind = m[1]
		if len(m[2]) > 0 {
			behind = slices.Concat(behind, []byte("{"), m[2], []byte("}"))
		}
	}
	return before, behind
}

var (
	qualifier = lazyregexp.New(`(?:\w+(?:\.|::))*$`)
	addedTo   = lazyregexp.New(`(?:(\w+)(?:\(\w*\)|\[\w+\])?\s*\+\s*)?["'\x60]([^"'\x60\s]*)["'\x60]\s*\+\s*$`)
	added     = lazyregexp.New(`^\s*\+\s*["'\x60]([^"'\x60\s]*)["'\x60](?:\s*\+\s*(?:\w+(?:\.|::))*(\w+))?`)
	// formatted is a text, up to (1) and from (2) what is filled in first, before the
	// arguments of it.
	formatted    = lazyregexp.New(`["'\x60]([^"'\x60\s%{]*)(?:%[sv]|\{0?\})([^"'\x60\s]*)["'\x60]\s*(?:,|%\s*\(?|\.format\()\s*$`)
	nextArgument = lazyregexp.New(`^\s*,\s*["'\x60]?(?:\w+(?:\.|::))*(\w+)`)
	placeholder  = lazyregexp.New(`%[sv]|\{1?\}`)
)
