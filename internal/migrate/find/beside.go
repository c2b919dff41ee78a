package find

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions or of an audit in source, and a condition in CEL, name
// a group and its resources apart: APIGroups: []string{"mcad.ibm.com"},
// Resources: []string{"appwrappers"}. Neither may move without the other.

var (
	// groupsBefore is a list of groups up to one of them.
	groupsBefore = lazyregexp.New(`(?is)groups?["'\x60\\]*\s*[:=,(]+\s*[^:=]{0,200}$`)
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

// resourcesBeside are the resources that stand in a list beside the group of a
// span, or are compared beside it; nil when there are none.
func resourcesBeside(data []byte, group source.Span) []string {
	left, right := data[max(0, group.Start-farthest):group.Start], data[group.End:min(len(data), group.End+farthest)]
	if !groupsBefore.Match(left) {
		return nil
	}
	if next := anotherGroup.FindIndex(right); next != nil {
		right = right[:next[0]]
	}
	if list := resourcesList.Find(right); list != nil {
		return resourcesIn(list)
	}
	all := resourcesList.FindAllIndex(left, -1)
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	if rest := left[last[1]:]; besideGroups.Match(rest) && len(anotherGroup.FindAllIndex(rest, 2)) == 1 {
		return resourcesIn(left[last[0]:last[1]])
	}
	return nil
}

// resourcesIn are the resources in the quotes of a list, with their subresources.
func resourcesIn(list []byte) []string {
	var found []string
	list = list[bytes.IndexAny(list, "[{('\"`"):]
	if next := subresourceNamed.FindIndex(list); next != nil {
		list = list[:next[0]]
	}
	for _, m := range inQuotes.FindAllSubmatch(list, -1) {
		if name := string(m[1]); rules.PluralName.MatchString(name) {
			found = append(found, name+string(m[2]))
		}
	}
	return found
}
