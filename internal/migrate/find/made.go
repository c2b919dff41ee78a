package find

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A string may be made of others by a call: path.Join("GROUP", "owner"),
// strings.Join([]string{"GROUP", "owner"}, "/"), Sprintf("%s/%s", "GROUP", "owner"),
// concat!("GROUP", "/owner"), {{ print "GROUP" "/owner" }}.

const (
	stringArgument = "(?:\"[^\"\\n]*\"|'[^'\\n]*'|\x60[^\x60\\n]*\x60)"
	oneArgument    = "(?:" + stringArgument + `|[&*]?[$\w.:]+(?:\(\))?)`
	listBegins     = `(?:\[\]string|new String\[\]|vec!|&?)\s*[\[{(]|(?:List\.of|listOf|Arrays\.asList|Set\.of)\(`
)

var (
	// callBegins is (1) what is called, with the string that it is called on, (2) the
	// arguments before another one, and (3) those before it in a list that is one.
	callBegins = lazyregexp.New(`((?:` + stringArgument + `\s*\.\s*)?[\w.:!]*|` + stringArgument + `\s*%\s*)\(\s*((?:` + oneArgument + `\s*,\s*)*)(?:(?:` + listBegins + `)\s*((?:` + oneArgument + `\s*,\s*)*))?$`)
	// listedAlone is a list that nothing is called with, up to one of (1) its strings.
	listedAlone = lazyregexp.New(`(?:^|[^\w\])])\[\s*((?:` + oneArgument + `\s*,\s*)*)$`)
	// callGoesOn is (1) the arguments behind one, and (2) what comes behind the list of them.
	callGoesOn = lazyregexp.New(`^((?:\s*,\s*` + oneArgument + `)*)\s*,?\s*[\])}](?:\s*,\s*(` + stringArgument + `)\s*,?\s*\)|\s*\.join\(\s*(` + stringArgument + `)\s*\))?`)
	// printed is a template that prints, up to one of (1) its arguments; printedOn is (1) those behind it.
	printed   = lazyregexp.New(`\bprint(f?)\s+((?:` + oneArgument + `\s+)*)$`)
	printedOn = lazyregexp.New(`^((?:\s+` + oneArgument + `)*)\s*(?:[|)]|-?\}\})`)
	// putBehind is a string (1) that is put behind another one by a call of its own.
	putBehind = lazyregexp.New(`^\s*\.(?:concat|plus)\(\s*(` + stringArgument + `)`)

	arguments   = lazyregexp.New(oneArgument)
	pathCalls   = lazyregexp.New(`(?i)(^|\.)(path|filepath|posixpath|paths?)\.join$|^join_?path$|\.join_?path$`)
	formatCalls = lazyregexp.New(`(?i)(printf|format|errorf|formatted)!?$`)
	concatCalls = lazyregexp.New(`(?i)(^|[.:])(concat!?|sprint)$`)
	fillIns     = lazyregexp.New(`%(?:\[(\d+)\])?[svq]|\{(\d*)\}|%(\d+)\$s`)
)

// madeByCall is what stands around an argument in the word that a call makes of it; it says
// false for what is no argument of such a call.
func madeByCall(left, right []byte) (before string, behind []byte, ok bool) {
	if m := putBehind.FindSubmatch(right); m != nil {
		return "", m[1][1 : len(m[1])-1], true
	}
	if m := printed.FindSubmatch(left); m != nil {
		on := printedOn.FindSubmatch(right)
		if on == nil {
			return "", nil, false
		}
		list, own := argumentsOf(m[2], on[1])
		if len(m[1]) > 0 {
			return formattedOf(list, own)
		}
		return inWord(list, own, "")
	}
	on := callGoesOn.FindSubmatch(right)
	if on == nil {
		return "", nil, false
	}
	if m := callBegins.FindSubmatch(left); m != nil {
		return madeBy(m, on)
	}
	if m := listedAlone.FindSubmatch(left); m != nil && len(on[3]) > 0 {
		list, own := argumentsOf(m[1], on[1])
		return inWord(list, own, bare(on[3]))
	}
	return "", nil, false
}

// madeBy is madeByCall for a call that begins and goes on as said.
func madeBy(begins, on [][]byte) (before string, behind []byte, ok bool) {
	name, first := string(bytes.TrimSpace(begins[1])), begins[2]
	of := ""
	if s := arguments.FindString(name); strings.ContainsAny(s, "\"'`") {
		of, name = s, strings.TrimLeft(name[len(s):], " \t.")
	}
	inList := begins[3] != nil
	if inList {
		first = begins[3]
	}
	list, own := argumentsOf(first, on[1])
	joins := strings.EqualFold(name[strings.LastIndexAny(name, ".:")+1:], "join")
	switch {
	case name == "%", of != "" && formatCalls.MatchString(name):
		return formattedOf(slices.Insert(list, 0, of), own+1)
	case of != "" && joins:
		return inWord(list, own, bare([]byte(of)))
	case pathCalls.MatchString(name):
		return inWord(list, own, "/")
	case inList && joins && len(on[2]) > 0:
		return inWord(list, own, bare(on[2]))
	case inList:
		return "", nil, false
	case joins && own > 0:
		return inWord(list[1:], own-1, bare([]byte(list[0])))
	case formatCalls.MatchString(name):
		return formattedOf(list, own)
	case concatCalls.MatchString(name):
		return inWord(list, own, "")
	}
	return "", nil, false
}

// argumentsOf are the arguments before one, itself, which is "", and those behind it; and
// its index.
func argumentsOf(first, last []byte) (list []string, own int) {
	for _, a := range arguments.FindAll(first, -1) {
		list = append(list, string(a))
	}
	own = len(list)
	list = append(list, "")
	for _, a := range arguments.FindAll(last, -1) {
		list = append(list, string(a))
	}
	return list, own
}

// inWord is what stands around an argument in the word of arguments that are put together.
func inWord(list []string, own int, between string) (before string, behind []byte, ok bool) {
	for _, a := range list[:own] {
		before += filledAs(a) + between
	}
	for _, a := range list[own+1:] {
		behind = append(behind, between+filledAs(a)...)
	}
	before, behind = ofOneWord(before, behind)
	return before, behind, true
}

// formattedOf is what stands around an argument in the text that the first string before it
// formats; it says false where none does.
func formattedOf(list []string, own int) (before string, behind []byte, ok bool) {
	i := slices.IndexFunc(list[:own], func(a string) bool { return strings.ContainsAny(a, "\"'`") && fillIns.MatchString(a) })
	if i < 0 {
		return "", nil, false
	}
	format, next, at := bare([]byte(list[i])), i, 0
	var filled strings.Builder
	for _, m := range fillIns.FindAllStringSubmatchIndex(format, -1) {
		next++
		which := next
		for k, from := range []int{1, 0, 1} { // Go and Java count from 1
			if s := m[2+2*k : 4+2*k]; s[0] >= 0 && s[1] > s[0] {
				n, _ := strconv.Atoi(format[s[0]:s[1]])
				which = i + 1 + n - from
			}
		}
		filled.WriteString(format[at:m[0]])
		at = m[1]
		switch {
		case which == own && !ok:
			before, ok = filled.String(), true
			filled.Reset()
		case which > i && which < len(list):
			filled.WriteString(filledAs(list[which]))
		default:
			filled.WriteString("{}")
		}
	}
	filled.WriteString(format[at:])
	before, behind = ofOneWord(before, []byte(filled.String()))
	return before, behind, ok
}

// ofOneWord is what of two texts belongs to the word between them.
func ofOneWord(before string, behind []byte) (string, []byte) {
	return before[strings.LastIndexAny(before, " \t\"'`=,([|<>:;\\")+1:], behind[:len(filledEnd.Find(behind))]
}

// filledAs is what an argument is filled in as: a string as it stands, a name in braces.
func filledAs(argument string) string {
	if strings.ContainsAny(argument, "\"'`") {
		return bare([]byte(argument))
	}
	argument = strings.TrimSuffix(argument, "()")
	return "{" + argument[strings.LastIndexAny(argument, ".:&*$")+1:] + "}"
}

// bare is a string without its quotes.
func bare(s []byte) string { return string(bytes.Trim(s, "\"'`")) }

// quotedJoin says whether a key of labels or a longer domain is made of a name in quotes:
// 'GROUP'/owner, ${"GROUP"}/owner, {{ print "GROUP" "/owner" }}.
func quotedJoin(p *spot) bool {
	if !quotedBy(p.left, p.right, "\"'`") {
		return false
	}
	left, right := p.left[:len(p.left)-1], p.right[1:]
	if before, behind, ok := filledWord(left, right); ok {
		return isJoin(left, before, behind)
	}
	if printed.Match(left) {
		before, behind, ok := madeByCall(left, right)
		return ok && isJoin(left, before, behind)
	}
	return p.mode == InShell && isJoin(left, "", right[:len(filledEnd.Find(right))])
}

// sideBySide says whether a key or a longer domain is made of a string by those that stand
// beside it with nothing between, as Python puts them together.
func sideBySide(left, right []byte) bool {
	var before string
	if m := besideBefore.FindSubmatch(left); m != nil {
		before = bare(m[1])
	}
	before, behind := ofOneWord(before, []byte(bare(bytes.TrimSpace(besideBehind.Find(right)))))
	return isJoin(nil, before, behind)
}

var (
	besideBefore = lazyregexp.New(`[=(\[{,:\s](` + stringArgument + `)\s+$`)
	besideBehind = lazyregexp.New(`^\s*` + stringArgument)
)

// isJoin says whether what stands around a name makes a key or a longer domain of it.
func isJoin(left []byte, before string, behind []byte) bool {
	_, ok := joinOf(left, before, behind)
	return ok
}
