package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A selector of a query chooses metrics by their labels, of which one is a group:
// x{customresource_group="G", customresource_kind="Widget"}. The others say its kind,
// resource and version, in any order.
// Source: https://prometheus.io/docs/prometheus/latest/querying/basics/#time-series-selectors,
// https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md

var (
	// groupLabel is (1) what stands before the word for a group in the label of a selector.
	groupLabel = lazyregexp.New(`(?i)\b([a-z_]*?)(?:api_?)?group\s*(?:=~|!~|!?=)[^=]*$`)
	// selectorMatcher is (1) a label, (2) how it is matched, (3) with what.
	selectorMatcher = lazyregexp.New(`([A-Za-z_][A-Za-z0-9_]*)\s*(=~|!~|!=|=)\s*\\*["']([^"'{}]*?)\\*["']`)
	// partLabels are the words for the parts of an API in the labels of selectors.
	partLabels = map[string]Role{"kind": RoleKind, "resource": RoleResource, "plural": RoleResource, "version": RoleVersion}
)

// selector is the inside of the braces around a name, empty for a name in none.
func (p *spot) selector() source.Span {
	data, at := p.v.Data, p.tok.Word
	from, to := max(0, at.Start-text.Nearby), min(len(data), at.End+text.Nearby)
	open := bytes.LastIndexAny(data[from:at.Start], "{}")
	end := bytes.IndexAny(data[at.End:to], "{}")
	if open < 0 || end < 0 || data[from+open] != '{' || data[at.End+end] != '}' {
		return source.Span{}
	}
	return source.Span{Start: from + open + 1, End: at.End + end}
}

// tellsSelector reads the kind, resource and version that a selector names beside a group. One
// that it leaves out, or matches as one of several, makes it stand for all kinds.
func tellsSelector(p *spot, s *Site) {
	in := p.selector()
	label := groupLabel.FindSubmatch(p.v.Data[in.Start:max(in.Start, p.tok.Word.Start)])
	if in.Len() == 0 || label == nil {
		return
	}
	s.selected, s.Apart, s.ApartIn = true, nil, nil
	for _, m := range selectorMatcher.FindAllSubmatchIndex(in.Of(p.v.Data), -1) {
		part := func(i int) source.Span { return source.Span{Start: in.Start + m[i], End: in.Start + m[i+1]} }
		word := strings.TrimPrefix(strings.ToLower(string(part(2).Of(p.v.Data))), strings.ToLower(string(label[1])))
		if role, ok := partLabels[word]; ok {
			p.tellsMatcher(s, role, string(part(4).Of(p.v.Data)), part(6))
		}
	}
}

// tellsMatcher reads what a selector matches the label of a part of an API with.
func (p *spot) tellsMatcher(s *Site, role Role, how string, value source.Span) {
	is := value.Of(p.v.Data)
	if rules.ServedKind.Match(is) && (how == "=" || how == "=~") {
		s.take([]Part{{Doc: p.v, Span: value, Role: role}})
		return
	}
	if role != RoleVersion {
		s.Place = EveryKind
	}
	for _, name := range partWord.FindAll(is, -1) {
		s.Loose = append(s.Loose, string(name))
	}
}

var partWord = lazyregexp.New(`[A-Za-z][A-Za-z0-9-]*`)
