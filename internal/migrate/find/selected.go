package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What a kustomization selects objects by is a regular expression: of a group, or of a name,
// which is that of a CRD where the kind beside it says so. helm-unittest and Kyverno match groups
// and apiVersions by patterns of their own.
// Source: sigs.k8s.io/kustomize/api/types, Selector; helm-unittest, matchRegex.

// Selected is a name in such an expression, of which others choose by hand what it becomes: a dot
// matches any letter, and alternatives may name what stays.
var Selected = &Place{ID: "selected", Role: RoleGroup, Ask: Unsure, Key: true, Reason: "unknown-place", Why: "a part of an expression that selects by it", Hint: byHandOrKept}

var (
	// expression is a value that holds signs of regular expressions, and nothing of a template or a shell.
	expression = lazyregexp.New(`^[\w./\\^$|()*+?:\[\]-]*[\\^$|()*+?\[\]][\w./\\^$|()*+?:\[\]-]*$`)
	// notExpression is a variable of a shell, or a wildcard as it stands for all names below a group.
	notExpression = lazyregexp.New(`\$[\w(]|^\*`)
	// askedPath is the path of a field that holds an apiVersion or a group.
	askedPath = lazyregexp.New(`(^|[./])(apiVersion|group|apiGroup|apiGroups\[\d+\])$`)
)

// selectors are the keys of what kustomize selects by.
var selectors = []string{"target", "select", "reject", "source"}

// selects says whether an entry belongs to a selector.
func selects(t *text.Tree, i int32) bool {
	return slices.Contains(selectors, t.KeyOf(t.Up(t.Nodes[i].Parent)))
}

// selected reports the names in a value, in, that is an expression by which groups or names are
// selected. It says false for any other.
func (a *analysis) selected(outer, in *text.View, t *text.Tree, i int32) bool {
	at := t.Up(i)
	if at < 0 || t.Nodes[i].Style > text.Double || !expression.Match(in.Data) || notExpression.Match(in.Data) {
		return false
	}
	key := t.KeyText(at)
	group := isGroupKey(key) && !isLabel(&entry{analysis: a, v: outer, t: t, i: i}) || key == "pattern" && askedPath.MatchString(t.Text(t.Sibling(at, "path")))
	if !group && (key != "name" || !selects(t, at)) {
		return false
	}
	for _, tok := range a.Tokens(in.Data) {
		e := &entry{analysis: a, v: outer, t: t, i: i, tok: tok}
		s := Site{Doc: in, Token: tok, Place: Selected, Name: key, Tree: t, Node: i, Outer: outer}
		switch {
		case group && tok.Shape != Bare && tok.mayBeGroup():
			s.Place = OtherGroup
		case !group && e.namesOtherObject():
			s.Place = ObjectName
		case group && tok.Shape == Bare:
			tellsField(e, &s)
		case !group && e.alternative(in) && tok.Shape == Resource:
			s.Place = CRDName
		case !group && e.alternative(in) && tok.Shape == Key:
			s.Place = CRDNameOr
			tellsPlural(e, &s)
		}
		a.found(s)
	}
	return true
}

// namesOtherObject says whether the kind beside a name in an expression is one whose names are free.
func (e *entry) namesOtherObject() bool {
	kind := e.t.Text(e.t.Sibling(e.i, "kind"))
	return kind != "" && otherKind(kind)
}

// alternative says whether a name in an expression is the whole name of a CRD: it stands alone
// between the signs for alternatives.
func (e *entry) alternative(in *text.View) bool {
	before, behind := in.Data[:e.tok.Word.Start], in.Data[e.tok.Word.End:]
	return strings.Contains(e.t.Text(e.t.Sibling(e.i, "kind")), "CustomResourceDefinition") && e.tok.Prefix != "" && !strings.Contains(e.tok.Prefix, ".") &&
		e.tok.Word.End == e.tok.Group.End &&
		(len(before) == 0 || bytes.ContainsAny(before[len(before)-1:], "|(^")) && (len(behind) == 0 || bytes.ContainsAny(behind[:1], "|)$"))
}

// tellsTaken reads the kinds that a selector without one takes: of those of the group that the
// rules name, each in the version that stands beside it.
func (e *entry) tellsTaken(s *Site) {
	if s.Facts.Version != "" && s.Facts.Kind == "" && s.Facts.Plural == "" && e.t.Sibling(e.i, "kind") < 0 && selects(e.t, e.i) {
		s.Taken = e.allKinds(s.Known.Group)
	}
}
