package find

import (
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What rows ask about the parts of names: suffixes, wildcards, matchers of
// queries, and templates that are nothing but a name.

var (
	// groupMatcher is a matcher of a query by group up to one of its names.
	// Source: https://prometheus.io/docs/prometheus/latest/querying/basics/#time-series-selectors
	groupMatcher = rx(`(?i)\b[a-z_]*group\s*(=~|!~|!?=)\s*\\*["']\^?\(?(\?:)?([^"'(){}=]*\|)?$`, "group")
	// suffixOf is a call that looks at the end of a name, up to the end that is
	// asked for.
	suffixOf = rx(suffixCall+`["'\x60]\.$`, "suffix", "ends")
	// partOf is a call that looks at a part of a text, up to the part that is asked for.
	partOf = rx(suffixCall+`\\?["'\x60]\.?$`, "suffix", "ends", "prefix", "starts", "contains")
	// matchesOf is a regular expression up to a name in it.
	matchesOf = rx(`(?i)(\b(matches|re_?match|regex\w*)|\|\s*(test|capture|match))\(\s*([\w.()]+\s*,\s*)?r?\\?["'][^"']*$|\[\[\s[^\]]*=~\s*\S*$`, "match", "regex", "test", "capture", "=~")
	// suffixArgument is (1) the name that such a call looks at.
	suffixArgument = lazyregexp.New(suffixCall)
	// wildcard is what stands for all names below a domain.
	wildcard = text.Tail(2, `\*\.$`)
	// wildcardResources is a list of resources up to a wildcard.
	wildcardResources = rx(`(?i)\b(resources|activate)["'\x60]?\s*[:=]\s*(\[\]string)?[\[{][^\]}]*\*\.$`, "resources", "activate")
	// listedName is (1) the name of a list up to a wildcard.
	listedName = lazyregexp.New(`([A-Za-z_][\w-]*)["'\x60]?\s*[:=]\s*[\[{(]?[^\[\]{}():=]*\*\.$`)
	// named template up to its content: (1) its name.
	defineBefore = lazyregexp.New(`\{\{-?\s*define\s+["\x60]([\w./-]+)["\x60]\s*-?\}\}\s*["']?$`)
)

const suffixCall = `(?i)(?:([\w.\[\]"'()]*)(?:\.|\s*\|\s*))?(?:(?:has|trim|cut|remove)_?(?:suffix|prefix)|(?:ends|starts)_?with|contains)\(\s*(?:([\w.]+(?:\(\))?)\s*,\s*)?`

// ofWhat is what a call looks at that asks for the end of a name.
func ofWhat(before []byte) string {
	all := suffixArgument.FindAllSubmatch(before, -1)
	if len(all) == 0 {
		return ""
	}
	if last := all[len(all)-1]; len(last[2]) > 0 {
		return string(last[2])
	} else {
		return string(last[1])
	}
}

// isOfResource says whether an expression is the name of a definition or a resource.
func isOfResource(expression string) bool { return ofResource.MatchString(wordsOf(expression)) }

var ofResource = rxWords(`crds?|(custom_?)?resource(_?(definitions?|names?))?|gvrs?|group_?resource`)

func suffixOfResource(p *spot) bool { return isOfResource(ofWhat(p.left)) }

func suffixOfOther(p *spot) bool { return speaksOf(ofWhat(p.left), false) != nil }

// wildcardOther says whether a wildcard stands in a list of something else.
func wildcardOther(p *spot) bool {
	m := listedName.FindSubmatch(p.left)
	return m != nil && speaksOf(string(m[1]), false) != nil
}

// defines is the name of the template that a name is all of so far, "" for none.
func defines(v *text.View, tok Token) string {
	from := max(0, tok.Word.Start-text.Nearby)
	if m := defineBefore.FindSubmatch(v.Data[from:tok.Word.Start]); m != nil {
		return string(m[1])
	}
	return ""
}

func definesGroup(p *spot) bool { return isGroupKey(defines(p.v, p.tok)) }

func definesVersion(p *spot) bool { return isVersionName(defines(p.v, p.tok)) }

var isVersionName = isKey("(?i)api_?version$")

// tellsAnyKind says that objects of any kind may have a name: those that include
// a template do not stand beside it.
func tellsAnyKind(p *spot, s *Site) {
	s.Loose = p.allKinds(p.tok.Known.Group)
}

// allKinds are the kinds of a group, sorted.
func (n *Names) allKinds(group string) []string {
	return slices.Sorted(maps.Values(n.singulars[group]))
}
