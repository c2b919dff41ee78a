package refs

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// An object that is not read as one, in a comment, in a string that is filled in, in a format
// that no reader knows, is known by the words of its fields alone.

// apart is what may be between the name of a field and its value, in whatever notation: quotes, an
// anchor, a tag or an entity of HTML.
const apart = "(?:\\\\[nrt]|!!?str\\b|&[\\w-]+[;\\s]|</?\\w[^<>\\n]*>|[\\s\"'`:=\\\\|>+?*_!,#/-])+"

var (
	ofAPIVersion = lazyregexp.New(`^(?:apiVersion|API Version)` + apart + `$`)
	kindBefore   = lazyregexp.New(`(?:\b|\\[nrt])[kK]ind` + apart + `$`)
	ofVersion    = lazyregexp.New(`(?:\b|\\[nrt])version` + apart + `(v[0-9][a-z0-9]*)`)
)

// nearBefore is how far before a name the name of its field is looked for.
const nearBefore = 100

// BehindKind says whether the field of a kind is before an offset of a text.
func BehindKind(b []byte, at int) bool {
	near := b[max(0, at-nearBefore):at]
	return bytes.Contains(near, []byte("ind")) && kindBefore.Match(near)
}

// versionNear takes the version that a text names near a group of which only versions change: it decides
// which rule the group is about, and is no part of it.
func (x *search) versionNear() {
	steps, ok := x.table.RulesOf(x.Known.Group).Steps()
	if !ok || len(x.Known.Versions) > 0 {
		return
	}
	b, at := x.Leaf.View.B, x.Leaf.Start+x.Token.At.Start
	for _, m := range ofVersion.FindAllSubmatch(b[max(0, at-nearBefore):min(len(b), at+2*nearBefore)], -1) {
		if v := string(m[1]); slices.Contains(steps, v) {
			x.Known.Versions = []string{v}
			return
		}
	}
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

// isListed says whether an object is a CRD in a list: it has a kind, a version and no apiVersion.
func isListed(o *syntax.Node) bool {
	kind := o.Child("kind")
	return kind != nil && kind.String() != "CustomResourceDefinition" && o.Child("version") != nil && o.Child("apiversion") == nil
}

// positional says whether the leaf is an argument without a name, or an item of a list with its
// version behind it.
func (x *Ref) positional() bool {
	next := x.Leaf.Seq + 1
	return x.Leaf.Item && x.Leaf.Quoted && x.Whole && (x.Leaf.Up.Type != "" || next < len(x.Leaf.Up.Kids) && x.Leaf.Name == "" && names.IsVersion(x.Leaf.Up.Kids[next].String())) || x.Leaf.Kind == syntax.Entry && x.Leaf.Up.Kind == syntax.Command
}
