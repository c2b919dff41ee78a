package migrate

import "bytes"

// An importSet are the last elements of the paths that a Go file imports, roughly: it
// may have one that the file has not, never the other way round. A tree has many files,
// and of each only this is kept.
type importSet [4]uint64

// add adds the last element of a path.
func (s *importSet) add(where []byte) {
	for _, bit := range importBitsOf(where[bytes.LastIndexByte(where, '/')+1:]) {
		s[bit>>6] |= 1 << (bit & 63)
	}
}

// has says whether the set may have a name.
func (s *importSet) has(name importBits) bool {
	for _, bit := range name {
		if s[bit>>6]&(1<<(bit&63)) == 0 {
			return false
		}
	}
	return true
}

// importBits are the places of a name in an importSet.
type importBits [2]uint8

// importBitsOf are those of a name (FNV-1a).
func importBitsOf(name []byte) importBits {
	hash := uint32(2166136261)
	for _, c := range name {
		hash = (hash ^ uint32(c)) * 16777619
	}
	return importBits{uint8(hash), uint8(hash >> 8)}
}

// allImports is of a file of which nobody knows what it imports.
var allImports = importSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// importsOf reads the imports from the head of a Go file: allImports where they do not
// end there, or it is no Go.
func importsOf(head []byte) importSet {
	h := goHead{rest: bytes.TrimPrefix(head, []byte("\ufeff"))}
	if string(h.word()) != "package" || len(h.word()) == 0 {
		return allImports
	}
	var set importSet
	for string(h.word()) == "import" {
		if !h.specs(&set) {
			return allImports
		}
	}
	if len(h.rest) == 0 {
		return allImports // more may follow
	}
	return set
}

// A goHead is what is left of the head of a Go file.
type goHead struct{ rest []byte }

// skip passes over blanks, semicolons and comments.
func (h *goHead) skip() {
	for {
		h.rest = bytes.TrimLeft(h.rest, " \t\r\n;")
		var end string
		switch {
		case bytes.HasPrefix(h.rest, []byte("//")):
			end = "\n"
		case bytes.HasPrefix(h.rest, []byte("/*")):
			end = "*/"
		default:
			return
		}
		_, h.rest, _ = bytes.Cut(h.rest, []byte(end))
	}
}

// word reads a name, empty where there is none.
func (h *goHead) word() []byte {
	h.skip()
	n := 0
	for n < len(h.rest) && (h.rest[n] == '_' || h.rest[n] >= 0x80 || '0' <= h.rest[n] && h.rest[n] <= '9' || 'A' <= h.rest[n]&^0x20 && h.rest[n]&^0x20 <= 'Z') {
		n++
	}
	word := h.rest[:n]
	h.rest = h.rest[n:]
	return word
}

// specs reads one import, or several in brackets. It says false where these do not end.
func (h *goHead) specs(set *importSet) bool {
	if h.skip(); len(h.rest) == 0 || h.rest[0] != '(' {
		return h.spec(set)
	}
	h.rest = h.rest[1:]
	for h.spec(set) {
	}
	if len(h.rest) == 0 || h.rest[0] != ')' {
		return false
	}
	h.rest = h.rest[1:]
	return true
}

// spec reads one import, with its name. It says false where there is none.
func (h *goHead) spec(set *importSet) bool {
	if h.word(); len(h.rest) > 0 && h.rest[0] == '.' {
		h.rest = h.rest[1:]
	}
	h.skip()
	if len(h.rest) == 0 || h.rest[0] != '"' && h.rest[0] != '`' {
		return false
	}
	n := bytes.IndexByte(h.rest[1:], h.rest[0])
	if n < 0 {
		return false
	}
	set.add(h.rest[1 : 1+n])
	h.rest = h.rest[n+2:]
	return true
}
