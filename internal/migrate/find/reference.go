package find

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// The reference of an API is generated from its Go types, with an anchor for
// each group and version and each type, and links to them:
// <h3 id="mcad.ibm.com/v1beta1.AppWrapper">, <a href="#mcad.ibm.com%2fv1beta1">.
// Where groups only change their names it is written as its generator would.

// goReference is the program whose anchors spell the group.
const goReference = "gen-crd-api-reference-docs"

// ReferenceMark stands at the end of the API references that it makes; Flux and others write
// it within a sentence.
// Source: https://github.com/ahmetb/gen-crd-api-reference-docs, template/pkg.tpl.
var ReferenceMark = []byte("enerated with <code>" + goReference + "</code>")

// referenceMarks are what programs write into each reference that they make: the row of the
// apiVersion of a kind, and the heading above the kinds.
// Source: fybrik/crdoc, pkg/builder; elastic/crd-ref-docs, templates/markdown/type.tpl and
// templates/asciidoctor/type.tpl.
var referenceMarks = []struct {
	program string
	marks   [][]byte
}{
	{"crdoc", [][]byte{[]byte("<td><b>apiVersion</b></td>"), []byte("Resource Types:")}},
	{"crd-ref-docs", [][]byte{[]byte("| `apiVersion` _string_ | `"), []byte("# Resource Types")}},
	{"crd-ref-docs", [][]byte{[]byte("| *`apiVersion`* __string__ | `"), []byte("Resource Types")}},
}

// ReferenceBy is the program that made a document from the types of an API, "" for none.
func ReferenceBy(data []byte) string {
	if bytes.Contains(data[max(0, len(data)-4096):], ReferenceMark) {
		return goReference
	}
	for _, x := range referenceMarks {
		if !slices.ContainsFunc(x.marks, func(mark []byte) bool { return !bytes.Contains(data, mark) }) {
			return x.program
		}
	}
	return ""
}

// WritesKinds says whether a program writes the kind below each apiVersion of a reference.
func WritesKinds(program string) bool { return program != "" && program != goReference }

// kindCell is (1 or 2) the kind in the row below the apiVersion in such a reference.
var kindCell = lazyregexp.New("^(?:</td>\\s*<td>true</td>\\s*</tr>\\s*<tr>\\s*<td><b>kind</b></td>\\s*<td>string</td>\\s*<td>([A-Z][A-Za-z0-9]*)</td>|" +
	"`[^\n]*\n\\| \\*?`kind`\\*? _+string_+ \\| `([A-Z][A-Za-z0-9]*)`)")

// ReferenceKind is the kind of which a reference tells the apiVersion at a site, "" where it
// does not.
func ReferenceKind(s *Site) string {
	if m := kindCell.FindSubmatch(s.Doc.Data[s.Word.End:]); m != nil {
		return string(m[1]) + string(m[2])
	}
	return ""
}

// reference reads a generated reference of groups that only change their names;
// it says false for any other text.
func (a *analysis) reference(v *text.View) bool {
	if ReferenceBy(v.Data) != goReference {
		return false
	}
	toks := a.Tokens(v.Data)
	if slices.ContainsFunc(toks, func(t Token) bool { return !a.plain[t.Known.Group] }) {
		return false
	}
	for _, t := range toks {
		if isAnchor(v.Data, &t) {
			a.at(v, t, InReference)
		} else {
			a.phrase(v, t, InProse)
		}
	}
	return true
}

// isAnchor says whether a token is one that the generator writes: a group and
// version, the anchor of a type, or that of a package with its slash escaped.
// Of an anchor the group moves alone.
func isAnchor(data []byte, t *Token) bool {
	rest := data[t.Group.End:]
	switch {
	case t.Shape == GroupVersion || t.Shape == Anchor:
		return true
	case t.Shape == Key && t.Prefix == "" && len(rest) > 1 && rest[0] == '/' && versionKind.Match(segmentAt(rest, 1).Of(rest)),
		t.Shape == Bare && len(rest) > 3 && rest[0] == '%' && bytes.EqualFold(rest[1:3], []byte("2f")):
		t.Shape, t.Word = Bare, t.Group
		return true
	}
	return false
}
