package migrate

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What YAML and JSON say of a kind or a resource beside which no group stands.

// A bareReader reads one file.
type bareReader struct {
	*bareNames
	data   []byte
	file   string // its base name
	sites  []bareSite
	others map[string]bool // kinds that another group has
	asked  bool            // an API server is asked for what the name at hand calls, as by kubectl
	group  source.Span     // of the name at hand, where one of the rules stands beside it
}

// What stands beside a name.
type besideName int

const (
	noGroup    besideName = iota // nothing, or a pattern for every group
	ownGroup                     // a group of the rules, or something that is filled in: others say what becomes of it
	otherGroup                   // another group
)

// deepestText is how many blocks of lines within each other are read as YAML.
const deepestText = 3

// tree reads a document, or a block of lines that may be one.
func (r *bareReader) tree(t *text.Tree, deep int) {
	asks := strings.HasPrefix(t.Text(t.Value(-1, "apiVersion")), "chainsaw.kyverno.io/")
	files := strings.HasPrefix(r.file, "kustomization.") || slices.Contains([]string{"Kustomization", "Component"}, t.Text(t.Value(-1, "kind")))
	for i := range t.Nodes {
		n := int32(i)
		key, holder := r.place(t, n)
		r.asked = strings.HasSuffix(key, askedEnd) || asks && key == "resource"
		switch {
		case key == "orderedResources" && r.names[t.KeyText(n)] != nil:
			r.add(t, t.Nodes[n].Key, r.names[t.KeyText(n)], t.Nodes[n].Parent)
		case t.Nodes[n].Style == text.None, r.valueAsked(t, n, key, holder):
		case key == "literals" || key == "regex":
			r.partsOf(t, n, key)
		case key == "pattern" && valueOfKind(t, holder):
			r.alternatives(t, n)
		case key == "kind" || key == "kinds" || isKindKey(t, key, holder):
			r.value(t, n, holder, key != "kinds")
		case isResourceKey(key) && (!files || key != "resources"):
			r.value(t, n, holder, false)
		case valuesName.MatchString(r.file):
			r.inValues(t, n, holder)
		}
		if s := t.Nodes[n].Style; (s == text.Literal || s == text.Folded) && deep < deepestText && r.finder.Match(t.Nodes[n].Val.Of(r.data)) {
			r.inner(t.Nodes[n].Val, deep+1)
		}
	}
	if deep == 0 {
		r.expressions(t)
	}
}

// valueAsked reads a value whose kind or resources something beside it asks for; it says false
// for any other.
func (r *bareReader) valueAsked(t *text.Tree, n int32, key string, holder int32) bool {
	if key != "value" && key != "content" {
		return false
	}
	kind := valueOfKind(t, holder)
	if !kind && !resourcesAsked.MatchString(t.Text(t.Value(holder, "path"))) {
		return false
	}
	r.value(t, n, holder, kind)
	return true
}

// valueOfKind says whether the value beside what a mapping names is a kind: that of a patch, of
// a variable or a parameter, of a condition.
// Source: kyverno.io/docs, preconditions; helm-unittest, equal, matchRegex and documentSelector.
func valueOfKind(t *text.Tree, holder int32) bool {
	return kindPath.MatchString(t.Text(t.Value(holder, "path"))) || kindLabel.MatchString(t.Text(t.Value(holder, "name"))) || kindAsked.MatchString(t.Text(t.Value(holder, "key")))
}

var (
	// kindPath is the path of a field that holds a kind.
	kindPath = lazyregexp.New(`(^|[./])kind$`)
	// resourcesAsked is the path of a field that lists resources, or of an item of it.
	resourcesAsked = lazyregexp.New(`(^|[./])[Rr]esources(\[\d+\]|/(\d+|-))?$`)
)

// isKindKey says whether a key holds a kind by the one above it: what kustomize sorts objects by,
// and what helm-unittest asks for.
// Source: sigs.k8s.io/kustomize/api/types, LegacySortOptions; helm-unittest, isKind.
func isKindKey(t *text.Tree, key string, holder int32) bool {
	switch t.KeyOf(holder) {
	case "legacySortOptions":
		return key == "orderFirst" || key == "orderLast"
	case "isKind":
		return key == "of"
	}
	return false
}

// kindAsked is an expression that is filled in and asks for a kind.
var kindAsked = lazyregexp.New(`^\{\{[^{}]*\.kind(\.kind)?(\s*\|\|[^{}]*)?\s*\}\}$`)

// partsOf reads what a generator of kustomize is given, KIND=Widget, and what the labels of a
// metric are matched with that tell of a kind or a resource: each alternative of it.
// Source: sigs.k8s.io/kustomize/api/types, KvPairSources; prometheus.io, relabel_config.
func (r *bareReader) partsOf(t *text.Tree, n int32, key string) {
	at := t.Nodes[n].Val
	if !t.Verbatim(n) || at.Len() > longestList {
		return
	}
	if key == "literals" {
		if m := literalOf.FindSubmatchIndex(at.Of(r.data)); m != nil {
			r.word(text.SpanOf(at.Start+m[2], at.Start+m[3]), false)
		}
		return
	}
	labels := t.Value(t.Nodes[n].Parent, "sourceLabels")
	if labels < 0 {
		labels = t.Value(t.Nodes[n].Parent, "source_labels")
	}
	if labels < 0 || !slices.ContainsFunc(t.TextsOf(t.Children(labels)), kindLabel.MatchString) {
		return
	}
	r.alternatives(t, n)
}

// alternatives reads each word of an expression as a kind or a resource.
func (r *bareReader) alternatives(t *text.Tree, n int32) {
	at := t.Nodes[n].Val
	if !t.Verbatim(n) || at.Len() > longestList {
		return
	}
	for _, m := range alternative.FindAllIndex(at.Of(r.data), -1) {
		r.word(text.SpanOf(at.Start+m[0], at.Start+m[1]), false)
	}
}

var (
	literalOf   = lazyregexp.New(`(?i)^[\w.-]*(?:kind|resource|plural)s?=(\w+)$`)
	kindLabel   = lazyregexp.New(`(?i)(?:kind|resource|plural)$`)
	alternative = lazyregexp.New(`\w+`)
)

// inner reads a block of lines.
func (r *bareReader) inner(at source.Span, deep int) {
	for _, doc := range text.Documents(at.Of(r.data), false) {
		doc.Start, doc.End = doc.Start+at.Start, doc.End+at.Start
		r.tree(text.ScanPart(r.data, doc, false, text.HasTemplate(doc.Of(r.data))), deep)
	}
}

// place is the key of a scalar, or of the list in which it stands, and the mapping that
// holds that; of an entry of a mapping whose value is not asked for it is the key above.
func (r *bareReader) place(t *text.Tree, n int32) (key string, holder int32) {
	parent := t.Nodes[n].Parent
	if t.Nodes[n].Key.Len() > 0 {
		if parent >= 0 && t.KeyText(parent) == "orderedResources" {
			return "orderedResources", parent
		}
		return t.KeyText(n), parent
	}
	if parent < 0 {
		return "", -1
	}
	return t.KeyText(parent), t.Nodes[parent].Parent
}

// valuesName is the name of a file of values of a chart, whose keys are named as one likes.
var valuesName = lazyregexp.New(`^values[\w.-]*\.ya?ml$`)

// inValues reads a value of a chart that is a kind or resources beside its group.
func (r *bareReader) inValues(t *text.Tree, n, holder int32) {
	at := t.Nodes[n].Val
	name := r.names[string(at.Of(r.data))]
	if name == nil {
		return
	}
	for _, beside := range t.Roots(holder) {
		if said := r.groupIn(t, holder, name, t.KeyText(beside)); said == ownGroup && !fillsIn(string(r.group.Of(r.data))) {
			r.sites = append(r.sites, bareSite{at: at, name: name, group: r.group})
			return
		}
	}
}

// askedEnd ends the keys under which Velero lists what it asks an API server for:
// includedResources, orderedResources.
// Source: velero.io/docs, how to filter resources; chainsaw.kyverno.io, get and describe.
const askedEnd = "dResources"

// asksServer says whether a text may do so, by names that stand in it alone.
func asksServer(data []byte) bool {
	return bytes.Contains(data, []byte(askedEnd)) || bytes.Contains(data, []byte("chainsaw.kyverno.io/"))
}

// isResourceKey says whether a key is one whose values are resources: those of roles and
// webhooks, of Velero and of kube-state-metrics.
func isResourceKey(key string) bool {
	return key == "resource" || key == "resourcePlural" || strings.HasSuffix(key, "esources")
}

// value reads a scalar that may be a kind or resources; one is a single kind.
func (r *bareReader) value(t *text.Tree, n, holder int32, one bool) {
	at := t.Nodes[n].Val
	if !t.Verbatim(n) || at.Len() > longestList || t.KeyOf(holder) == "acceptedNames" { // what a server says of a CRD
		return
	}
	for start := at.Start; start <= at.End; {
		end := at.End
		if i := bytes.IndexByte(r.data[start:at.End], ','); i >= 0 {
			end = start + i
		}
		if s, name := r.nameIn(source.Span{Start: start, End: end}, one); name != nil {
			if said := r.add(t, s, name, holder); one && said == otherGroup {
				r.others[name.kind] = true
			}
		}
		start = end + 1
	}
}

// longestList is how many bytes a list of names in one value has at most.
const longestList = 4096

// nameIn is the name in an item of a list: with a version or a pattern of groups before
// it, and a subresource behind it, as policies and permissions say it.
func (r *bareReader) nameIn(s source.Span, one bool) (source.Span, *bareName) {
	part := bytes.TrimSpace(s.Of(r.data))
	at := s.Start + bytes.Index(s.Of(r.data), part)
	if one {
		return source.Span{Start: at, End: at + len(part)}, r.names[string(part)]
	}
	if name := r.kubectl[string(part)]; r.asked && name != nil {
		return source.Span{Start: at, End: at + len(part)}, name
	}
	for i, w := range strings.Split(string(part), "/") {
		switch name := r.names[w]; {
		case name != nil:
			return source.Span{Start: at, End: at + len(w)}, name
		case i > 1 || w != "*" && !bareVersion.MatchString(w):
			return source.Span{}, nil
		}
		at += len(w) + 1
	}
	return source.Span{}, nil
}

// bareVersion is a version of an API, or a pattern of such.
var bareVersion = lazyregexp.New(`^v[0-9][0-9a-z]*\*?$`)

// add notes a place beside which no group stands, and says what does.
func (r *bareReader) add(t *text.Tree, at source.Span, name *bareName, holder int32) besideName {
	said := r.beside(t, holder, name)
	if said == noGroup {
		said = r.above(t, holder, name)
	}
	switch said {
	case noGroup:
		r.sites = append(r.sites, bareSite{at: at, name: name})
	case ownGroup:
		r.sites = append(r.sites, bareSite{at: at, name: name, group: r.group})
	}
	return said
}

// above says what the two mappings around one tell: the group of a CRD stands so above
// its names.
func (r *bareReader) above(t *text.Tree, mapping int32, name *bareName) besideName {
	for range 2 {
		if mapping < 0 {
			break
		}
		if mapping = t.Nodes[mapping].Parent; mapping >= 0 {
			if said := r.groupIn(t, mapping, name, "group", "apiGroup", "apiGroups"); said != noGroup {
				return said
			}
		}
	}
	return noGroup
}

// beside says what the mapping tells that holds a name.
func (r *bareReader) beside(t *text.Tree, mapping int32, name *bareName) besideName {
	if said := r.groupIn(t, mapping, name, "apiVersion", "apiversion", "api_version", "groupVersion", "group", "apiGroup", "apiGroups", "api_group", "api_groups", "groups"); said != noGroup {
		return said
	}
	if gvk := t.Value(mapping, "groupVersionKind"); gvk >= 0 && r.beside(t, gvk, name) == otherGroup {
		return otherGroup
	}
	for _, group := range name.groups { // as a CSV has it
		if n := t.Value(mapping, "name"); strings.HasSuffix(t.Text(n), "."+group) {
			r.group = t.Nodes[n].Val
			return ownGroup
		}
	}
	return noGroup
}

// groupIn says what some keys of a mapping tell.
func (r *bareReader) groupIn(t *text.Tree, mapping int32, name *bareName, keys ...string) besideName {
	said := noGroup
	for _, key := range keys {
		n := t.Value(mapping, key)
		if n < 0 {
			continue
		}
		list := []int32{n}
		if t.Nodes[n].Style == text.None {
			list = t.Roots(n)
		}
		for _, j := range list {
			if t.Nodes[j].Style == text.None || j != n && t.Nodes[j].Key.Len() > 0 {
				continue
			}
			group := t.Means(j)
			if strings.HasSuffix(strings.ToLower(key), "version") {
				if head, _, cut := strings.Cut(group, "/"); cut {
					group = head
				} else if !strings.Contains(group, "{") && !strings.HasPrefix(group, "$") {
					group = ""
				}
			}
			switch name.tells(group) {
			case ownGroup:
				r.group = t.Nodes[j].Val
				return ownGroup
			case noGroup:
				return noGroup
			}
			said = otherGroup
		}
	}
	return said
}

// tells says what a group or a pattern of groups is for a name.
func (n *bareName) tells(group string) besideName {
	switch {
	case slices.Contains(n.groups, group), fillsIn(group):
		return ownGroup
	case slices.ContainsFunc(n.groups, func(own string) bool { return matchesGroup(group, own) }):
		return noGroup
	case strings.Contains(group, "*"):
		for _, own := range n.groups {
			if head, tail, _ := strings.Cut(group, "*"); strings.HasPrefix(own, head) && strings.HasSuffix(own, tail) {
				return noGroup
			}
		}
	}
	return otherGroup
}

// fillsIn says whether something is filled into a value.
func fillsIn(value string) bool { return strings.ContainsAny(value, "{$%<@(") }

// bareWords find a name in an expression: of CEL, Lua, Rego.
type bareWords struct{ compares []*regexp.Regexp }

// bareWordsOf are those for some names.
func bareWordsOf(names map[string]*bareName) *bareWords {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, regexp.QuoteMeta(name))
	}
	name, quote := "("+strings.Join(list, "|")+")", `\\?["']{1,2}`
	return &bareWords{[]*regexp.Regexp{
		regexp.MustCompile(`\b(?:kind|resource)\\?["'\])]*\s*(?:[!=]=|~=)\s*` + quote + name + `\\?["']`),
		regexp.MustCompile(`["']` + name + quote + `\s*(?:[!=]=|~=)\s*[\w.]*\b(?:kind|resource)\b`),
		regexp.MustCompile(`\b(?:kind|resource)\\?["'\])]*\s+in\s+\[[^\]\n]*?["']` + name + `\\?["']`),
	}}
}

// expressions reads the comparisons of a document.
func (r *bareReader) expressions(t *text.Tree) {
	if len(t.Nodes) == 0 {
		return
	}
	from := int(t.Nodes[0].Line)
	doc := t.Data[from:]
	for _, compare := range r.words.compares {
		for _, m := range compare.FindAllSubmatchIndex(doc, -1) {
			at := source.Span{Start: from + m[2], End: from + m[3]}
			n, inKey := t.At(at.Start)
			if n < 0 || inKey || t.Note(at.Start) >= 0 {
				continue
			}
			name := r.names[string(at.Of(r.data))]
			around, tells := r.tellsGroup(t, n, at)
			if group := r.nearest(around, at, name.groups); group.Len() > 0 {
				r.sites = append(r.sites, bareSite{at: at, name: name, group: group, line: true})
			} else if !tells {
				r.sites = append(r.sites, bareSite{at: at, name: name})
			}
		}
	}
}

// tellsGroup says whether an expression asks for the group as well, and where it stands: the
// scalar, or its line in a block of lines.
func (r *bareReader) tellsGroup(t *text.Tree, n int32, at source.Span) (around source.Span, tells bool) {
	around = t.Nodes[n].Val
	if s := t.Nodes[n].Style; s == text.Literal || s == text.Folded {
		around.Start = bytes.LastIndexByte(r.data[:at.Start], '\n') + 1
		if i := bytes.IndexByte(r.data[at.End:around.End], '\n'); i >= 0 {
			around.End = at.End + i
		}
	}
	said := around.Of(r.data)
	return around, bytes.Contains(said, []byte("roup")) || bytes.Contains(said, []byte("piVersion"))
}
