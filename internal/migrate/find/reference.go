package find

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// The reference of an API is generated from its Go types, with an anchor for
// each group and version and each type, and links to them:
// <h3 id="mcad.ibm.com/v1beta1.AppWrapper">, <a href="#mcad.ibm.com%2fv1beta1">.
// Where groups only change their names it is written as its generator would.

// ReferenceMark stands at the end of the API references that are made from Go types.
// Source: https://github.com/ahmetb/gen-crd-api-reference-docs, template/pkg.tpl.
var ReferenceMark = []byte("Generated with <code>gen-crd-api-reference-docs</code>")

// IsReference says whether a program made a document from Go types.
func IsReference(data []byte) bool {
	return bytes.Contains(data[max(0, len(data)-4096):], ReferenceMark)
}

// reference reads a generated reference of groups that only change their names;
// it says false for any other text.
func (a *analysis) reference(v *text.View) bool {
	if !IsReference(v.Data) {
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
