package find

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A string of source may be a group and a slash, and its version stands elsewhere: in a
// string that is put behind it, in an argument that is filled in.

// beginsVersion says whether a string is a group and a slash, and a version is
// joined to it or filled in: a literal, or something of that name.
func beginsVersion(v *text.View, in *text.View, c *text.CodeFile, i int, t Token) bool {
	if t.Word.Start != 0 {
		return false
	}
	rest := v.Data[c.Literals[i].Outer.End:]
	rest = rest[:min(len(rest), text.Nearby)]
	switch tail := in.Data[t.Group.End:]; {
	case string(tail) == "/":
		return versionJoined.Match(rest)
	case versionPlace.Match(tail):
		return versionPrinted.Match(rest)
	default:
		return versionInside.Match(tail)
	}
}

// headsVersion says whether a string is a group and a slash with which an
// apiVersion is compared, or with what is filled in for the version of one.
func headsVersion(in *text.View, t Token, lit text.LiteralText) bool {
	return t.Word.Start == 0 && versionOpen.Match(in.Data[t.Group.End:]) && versionCompared.Match(lit.Before)
}

var versionCompared = rx(`(?i)(api_?version|group_?version)[^;"'\x60]{0,40}$`, "version")

var (
	// plus is what stands between strings that are put together, in one language or another.
	plus = lazyregexp.New(`^\s*(?:\+\+?|\.\.?|<>)\s*$`)
	// versionPlace is where a format has a version, versionPrinted the argument behind that is one: a
	// name, or (1) a string; versionInside is one that stands in it.
	versionPlace   = lazyregexp.New(`^/(?:%[sv]|\{0?\})$`)
	versionPrinted = lazyregexp.New(`^\s*(?:,|%|\.format(?:ted)?\()\s*[\[(]?\s*(?:(?i:[\w.]*version)\b|["'\x60](v[1-9][a-z0-9]*)["'\x60])`)
	// versionOpen is a slash, and what is filled in behind it.
	versionOpen   = lazyregexp.New(`^/(?:%[sv]|[$#]?\{[^{}]*\})?$`)
	versionInside = lazyregexp.New(`^/\$?\{+(?i:[\w.]*version)\}+$`)
	versionJoined = lazyregexp.New(`^\s*(?:\+\+?|\.\.?|<>)\s*(["'\x60]v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?["'\x60]|(?i:[\w.]*version)\b)`)
)

// versionField is the version beside a group: that of its key, or an apiVersion that is no more
// than one; -1 for none. An object of apiVersion v1 is one of the core, unless its kind is known.
func (e *entry) versionField(group string) int32 {
	if at := e.t.Sibling(e.i, "version"); at >= 0 {
		return at
	}
	at, kind := e.t.Sibling(e.i, "apiVersion"), e.t.Sibling(e.i, "kind")
	if at < 0 || kind >= 0 && e.t.Text(at) == "v1" && !slices.Contains(e.allKinds(group), e.t.Text(kind)) {
		return -1
	}
	return at
}
