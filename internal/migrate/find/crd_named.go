package find

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A name that looks like a CRD's, PLURAL.GROUP, and that no rule names is as likely the key of a
// label, unless what holds it says that it is a CRD: a constant, a list, an argument, the variable
// of a loop, the word before it.

// ofCRDs is a name that ends with the word for CRDs or for their names, listsThem one that ends
// with the word for resources, as a key of YAML does that lists some.
var (
	ofCRDs    = lazyregexp.New(`_(crds?|custom_?resource_?definitions?)(_?names?)?_$`)
	listsThem = lazyregexp.New(`_resources?_$`)
)

// speaksOfCRDs says whether a name is one for CRDs.
func speaksOfCRDs(name string) bool { return ofCRDs.MatchString(wordsOf(name)) }

// namedCRD says whether what holds a string says that it is the name of a CRD.
func (l *literal) namedCRD() bool {
	joined := bytes.HasSuffix(bytes.TrimRight(l.lit.Before, " \t"), []byte("+"))
	if !mayBeResource(l.tok) || l.tok.Word.Start > 0 || joined || l.isKey() && !l.isInSet() {
		return false
	}
	return slices.ContainsFunc(l.holders(), speaksOfCRDs)
}

var (
	// saidCRD is the word for a CRD right before its name in running text.
	saidCRD = rx(`(?i)\b(?:crds?|custom ?resource ?definitions?)(?:,? (?:named|called))?:?\s+["'\x60*_(]*$`, "crd", "definition")
	// listedCRDs is a variable of a script, up to a list of words that it is given, and the loop
	// over one: (1).
	listedCRDs = lazyregexp.New(`(?:\bfor\s+([A-Za-z_]\w*)\s+in\s[^;#]*|(?:^|[\s;&|("'])([A-Za-z_]\w*)(?:[?:+]?=|:\s)\s*["'(]*(?:[\w.-]+[\s,]+)*)["']?$`)
)

// textNamesCRD says whether the text before a name says that it is one of a CRD.
func textNamesCRD(p *spot) bool {
	if !mayBeResource(p.tok) {
		return false
	}
	left := p.left[max(0, len(p.left)-200):]
	if saidCRD.Match(left) {
		return true
	}
	if p.mode == InProse || !bytes.ContainsAny(left, "=:") && !bytes.Contains(left, []byte("for ")) {
		return false
	}
	m := listedCRDs.FindSubmatch(left)
	return m != nil && speaksOfCRDs(string(m[1])+string(m[2]))
}
