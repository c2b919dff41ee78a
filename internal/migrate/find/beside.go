package find

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions or of an audit in source, and a condition in CEL, name
// a group and its resources apart: APIGroups: []string{"mcad.ibm.com"},
// Resources: []string{"appwrappers"}. Neither may move without the other.

var (
	// groupsFrom is a list of groups up to one of them.
	groupsFrom = lazyregexp.New(`(?is)^groups?["'\x60\\]*\s*[:=,(]+\s*[^:=]{0,200}$`)
	// resourcesList is a list of resources, or a comparison with them; resources
	// are in its quotes.
	resourcesList = lazyregexp.New(`(?is)(\b(?:with|add_?to)?_?resources?|@plural)["'\x60\\]*\s*([:=!]+|\bin\b|\()\s*((\[\]\w+(\{\})?|[\w.]*)[\[{(]+|["'\x60\\])[^\])}&|;]*`)
	anotherGroup  = lazyregexp.New(`(?i)groups?["'\x60\\]*\s*[:=(]`)
	inQuotes      = lazyregexp.New(`["'\x60]([a-z][a-z0-9]*)(/[a-z*]+)?\\?["'\x60]`)
	// subresourceNamed is a field of a subresource, which is no resource.
	// Source: k8s.io/api, authorization/v1.ResourceAttributes.
	subresourceNamed = lazyregexp.New(`(?i)sub_?resources?["'\x60]?\s*[:=]`)
	// besideGroups is what may stand between a list of resources and the groups behind it.
	besideGroups = lazyregexp.New(`(?is)^[\])}]*\s*(,|&&|;)?\s*["'\x60]?([a-z]+\.)*(api_?)?groups?["'\x60]?\s*[:=(]`)
)

// farthest is how far from a group its resources are looked for, in bytes.
const farthest = 600

// A listed is a resource of a list, with its subresource, and the place of its name alone.
type listed struct {
	name string
	at   source.Span
}

// resourcesBeside are the resources that stand in a list beside the group of a
// span, or are compared beside it; nil when there are none.
func resourcesBeside(data []byte, group source.Span) []listed {
	from := max(0, group.Start-farthest)
	left, right := data[from:group.Start], data[group.End:min(len(data), group.End+farthest)]
	if !endsInGroups(left) {
		return nil
	}
	if hasFold(right, "group") {
		if next := anotherGroup.FindIndex(right); next != nil {
			right = right[:next[0]]
		}
	}
	if saysResources(right) {
		if list := resourcesList.FindIndex(right); list != nil {
			return resourcesIn(data, source.Span{Start: group.End + list[0], End: group.End + list[1]})
		}
	}
	if !saysResources(left) {
		return nil
	}
	all := resourcesList.FindAllIndex(left, -1)
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	if rest := left[last[1]:]; besideGroups.Match(rest) && len(anotherGroup.FindAllIndex(rest, 2)) == 1 {
		return resourcesIn(data, source.Span{Start: from + last[0], End: from + last[1]})
	}
	return nil
}

// saysResources says whether text has a word of resourcesList, which begins with no byte
// that could be searched for.
func saysResources(text []byte) bool { return hasFold(text, "resource") || hasFold(text, "@plural") }

// hasFold says whether text has a word, which is in lower case, in any case of letters.
func hasFold(text []byte, word string) bool {
	for i := range max(0, len(text)-len(word)+1) {
		if text[i]|0x20 == word[0]|0x20 && bytes.EqualFold(text[i:i+len(word)], []byte(word)) {
			return true
		}
	}
	return false
}

// endsInGroups says whether text ends in a list of groups. The expression is asked
// where its word stands: it has no first byte to search for.
func endsInGroups(text []byte) bool {
	const word = "group"
	for i := range max(0, len(text)-len(word)) {
		if text[i]|0x20 == word[0] && bytes.EqualFold(text[i:i+len(word)], []byte(word)) && groupsFrom.Match(text[i:]) {
			return true
		}
	}
	return false
}

// resourcesIn are the resources in the quotes of a list, with their subresources.
func resourcesIn(data []byte, in source.Span) []listed {
	var found []listed
	in.Start += bytes.IndexAny(in.Of(data), "[{('\"`")
	list := in.Of(data)
	if next := subresourceNamed.FindIndex(list); next != nil {
		list = list[:next[0]]
	}
	for _, m := range inQuotes.FindAllSubmatchIndex(list, -1) {
		at := source.Span{Start: in.Start + m[2], End: in.Start + m[3]}
		if !rules.PluralName.Match(at.Of(data)) {
			continue
		}
		found = append(found, listed{string(data[at.Start:max(at.End, in.Start+m[5])]), at})
	}
	return found
}

// apart takes resources that stand apart from the group of a span. Where it is the only one of its
// list, they are places of their own and can move with it.
func (s *Site) apart(v *text.View, group source.Span) {
	alone := aloneInList.Match(v.Data[max(0, group.Start-text.Nearby):group.Start]) && !anotherInList.Match(v.Data[group.End:])
	for _, r := range resourcesBeside(v.Data, group) {
		s.Apart = append(s.Apart, r.name)
		if alone {
			s.ApartIn = append(s.ApartIn, Part{Doc: v, Span: r.at, Role: RoleResource})
		}
	}
}

var (
	// aloneInList is what stands before the first group of a list, or the only one.
	aloneInList = lazyregexp.New(`(?is)groups?["'\x60\\]*\s*(?:[:=]+|\()\s*(?:&?\[\][\w.]+|[\w.]*)\s*[\[{(]*\s*\\?["'\x60]$`)
	// anotherInList is what stands behind a group that is not the last of its list.
	anotherInList = lazyregexp.New(`^\\?["'\x60]\s*,\s*\\?["'\x60]`)
)
