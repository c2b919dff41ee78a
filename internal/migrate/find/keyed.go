package find

import (
	"bytes"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A string that is nothing but a group is, as the key of a map, a group or a label,
// a host, the name of a file: whatever the keys of the map are. What holds the map
// says so, or what is written behind the key.

// keysWhat says whether a group is the key of a map of which nothing tells that its
// keys are groups.
func keysWhat(l *literal) bool {
	if of := l.indexed(); of != "" {
		return !speaksOfGroups(of)
	}
	return l.isMapEntry() && !speaksOfGroups(l.mapHolder()) && !l.valueOfGroup()
}

var (
	indexedName = lazyregexp.New(`([A-Za-z_][\w.]*)\??\.?\[\s*$`)
	mapCall     = lazyregexp.New(`([A-Za-z_][\w.]*)\.(put|putIfAbsent|computeIfAbsent|getOrDefault|containsKey|setdefault|of|entry)\(\s*$`)
	groupKeys   = lazyregexp.New(`(?i)groups?|gv[kr]?s?([^a-z]|$)`)
)

func speaksOfGroups(name string) bool { return groupKeys.MatchString(name) }

// indexed is the map of which a string is the index: it stands in its brackets, or
// is the key that its method is called with. Empty = it is none.
func (l *literal) indexed() string {
	after := bytes.TrimLeft(l.v.Data[l.lit.Outer.End:min(len(l.v.Data), l.lit.Outer.End+8)], " \t")
	if len(after) == 0 {
		return ""
	}
	if m := indexedName.FindSubmatch(l.lit.Before); m != nil && after[0] == ']' {
		return string(m[1])
	}
	m := mapCall.FindSubmatch(l.lit.Before)
	switch {
	case m == nil || after[0] != ',' && after[0] != ')':
		return ""
	case string(m[1]) == "Map": // the line says what it becomes
		return string(l.lit.Before)
	case string(m[2]) == "of":
		return ""
	}
	return string(m[1])
}

// separatorsOf are what stands between the key and the value of an entry, by the
// ends of the names of files; every other language has a colon.
var separatorsOf = map[string]string{".rb": "=>", ".tf": "=", ".hcl": "=", ".tfvars": "=", ".scala": "->", ".kt": "to ", ".kts": "to ", ".nix": "="}

// isMapEntry says whether a string stands before the separator of an entry, behind
// a bracket or another entry.
func (l *literal) isMapEntry() bool {
	data, lit := l.v.Data, l.lit
	after := bytes.TrimLeft(data[lit.Outer.End:min(len(data), lit.Outer.End+40)], " \t")
	colon := len(after) > 0 && after[0] == ':' && !bytes.HasPrefix(after, []byte(":=")) && !bytes.HasPrefix(after, []byte("::"))
	if sep := separatorsOf[path.Ext(l.path)]; !colon && (sep == "" || !bytes.HasPrefix(after, []byte(sep)) || bytes.HasPrefix(after, []byte("=="))) {
		return false
	}
	return lit.Scope >= 0 && opened.Match(bytes.TrimRight(lit.Before, "[")) && !l.inCase()
}

// inCase says whether a string belongs to a branch of a switch, whose list may have
// begun some lines before.
func (l *literal) inCase() bool {
	line := text.LineAround(l.v.Data, l.lit.Outer)
	for range linesBeside {
		content := bytes.TrimSpace(line.Of(l.v.Data))
		if bytes.HasPrefix(content, []byte("case ")) {
			return true
		}
		if line.Start < 2 {
			return false
		}
		line = text.LineAround(l.v.Data, source.Span{Start: line.Start - 2, End: line.Start - 2})
		if !bytes.HasSuffix(bytes.TrimSpace(line.Of(l.v.Data)), []byte(",")) && !bytes.HasSuffix(bytes.TrimSpace(line.Of(l.v.Data)), []byte("case")) {
			return false
		}
	}
	return false
}

// mapHolder is the line up to the bracket that begins the map of an entry.
func (l *literal) mapHolder() string {
	at := l.lit.Scope
	line := text.LineAround(l.v.Data, source.Span{Start: at, End: at})
	return string(l.v.Data[line.Start:at])
}

// valueOfGroup says whether what stands behind a key tells that it is a group: a
// version, a kind or a resource of it, its registration.
func (l *literal) valueOfGroup() bool {
	value := l.entryValue()
	if speaksOfGroups(string(value.Of(l.v.Data))) || registered.Match(value.Of(l.v.Data)) {
		return true
	}
	group := string(l.lit.Text.Of(l.v.Data))
	for _, lit := range l.c.Literals[l.i+1:] {
		if lit.Outer.Start >= value.End {
			return false
		}
		if name := string(lit.Text.Of(l.v.Data)); rules.APIVersion.MatchString(name) || l.kinds[name] || l.knows(group, strings.TrimSuffix(name, "."+group)) {
			return true
		}
	}
	return false
}

var registered = lazyregexp.New(`AddToScheme|(^|[^"'\w])v[1-9][0-9]*((alpha|beta)[0-9]+)?\.`)

// entryValue is what stands behind the separator of an entry: up to the end of its
// line, or of the bracket that begins on it.
func (l *literal) entryValue() source.Span {
	const most = 400
	data := l.v.Data
	from, limit, depth := l.lit.Outer.End, min(len(l.v.Data), l.lit.Outer.End+most), 0
	for at := from; at < limit; at++ {
		switch data[at] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth < 0 {
				return source.Span{Start: from, End: at}
			}
		case ',', '\n':
			if depth == 0 {
				return source.Span{Start: from, End: at}
			}
		}
	}
	return source.Span{Start: from, End: limit}
}
