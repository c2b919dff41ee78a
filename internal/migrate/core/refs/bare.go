package refs

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// An object that is not read as one, in a comment, in a string that is filled in, in a format
// that no reader knows, is known by the words of its fields alone.

// apart is what may be between the name of a field and its value, in whatever notation.
const apart = "(?:\\\\[nrt]|!!?str\\b|[\\s\"'`:=\\\\|>+?*_!,#/-])+"

var (
	ofAPIVersion = lazyregexp.New(`^(?:apiVersion|API Version)` + apart + `$`)
	ofKind       = lazyregexp.New(`(?:\b|\\[nrt])[kK]ind` + apart + `([A-Z][A-Za-z0-9]*)`)
	kindBefore   = lazyregexp.New(`(?:\b|\\[nrt])[kK]ind` + apart + `$`)
)

// nearBefore is how far before a name the name of its field is looked for.
const nearBefore = 100

// BehindKind says whether the field of a kind is before an offset of a text.
func BehindKind(b []byte, at int) bool {
	near := b[max(0, at-nearBefore):at]
	return bytes.Contains(near, []byte("ind")) && kindBefore.Match(near)
}

// Bare says whether a reference is the apiVersion of such an object, and not what kubectl
// describes, of which no field is read.
func (x *Ref) Bare() bool {
	at := x.bare()
	return at >= 0 && x.Leaf.View.B[at] == 'a'
}

// bare is where the apiVersion of such an object begins in the view, -1 for none.
func (x *Ref) bare() int {
	lang := x.Leaf.Document().Lang
	if x.Leaf.Kind == syntax.Entry && (x.Object != nil && x.Label == "apiversion" || lang == "yaml" || lang == "json" || lang == "helm") {
		return -1
	}
	at := x.Leaf.Start + x.Token.At.Start
	from := max(0, at-nearBefore)
	near := x.Leaf.View.B[from:at]
	begin := max(bytes.LastIndex(near, []byte("apiVersion")), bytes.LastIndex(near, []byte("API Version"))) // as kubectl describes it
	if begin < 0 || !ofAPIVersion.Match(near[begin:]) {
		return -1
	}
	return from + begin
}

// ofObject takes the kinds that such an object names: they decide which rule it is about, and
// are no parts of it. The kinds of rules come before words that only may be one.
func (r *reader) ofObject(x *Ref) {
	at := x.bare()
	if at < 0 {
		return
	}
	b := x.Leaf.View.B
	end := x.Leaf.Start + x.Token.End
	before, after := b[max(0, at-sentence):at], b[end:min(len(b), end+sentence)]
	for _, stop := range []string{"apiVersion", "API Version", "---", "\n\n"} {
		before = before[bytes.LastIndex(before, []byte(stop))+1:]
		after, _, _ = bytes.Cut(after, []byte(stop))
	}
	var kinds, outer []string
	inner := false
	column := indent(b[:at])
	for _, text := range [][]byte{before, after} {
		for _, m := range ofKind.FindAllSubmatchIndex(text, -1) {
			field := bytes.TrimLeft(text[m[0]:m[2]], "\\nrt")
			lead, kind := text[:m[2]-len(field)], string(text[m[2]:m[3]])
			switch i := indent(lead); {
			case follows(lead) || i == column:
				kinds = append(kinds, kind)
			case i > column: // of an object in this one
				inner = true
			default:
				outer = append(outer, kind)
			}
		}
	}
	if len(kinds) == 0 {
		kinds = outer
	}
	x.OpenKind = x.OpenKind || inner && len(kinds) == 0
	if ruled := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return !slices.Contains(r.table.KindsOf(x.Known.Group), kind) }); len(ruled) > 0 {
		kinds = ruled
	}
	slices.Sort(kinds)
	x.Known.Kinds = slices.Compact(kinds)
}

// indent is how many blanks and dashes a text ends with.
func indent(text []byte) int { return len(text) - len(bytes.TrimRight(text, " -")) }

// follows says whether a field is behind another one on its line.
func follows(lead []byte) bool {
	lead = bytes.TrimRight(lead, " -")
	return len(lead) > 0 && bytes.IndexByte([]byte(",{;("), lead[len(lead)-1]) >= 0
}
