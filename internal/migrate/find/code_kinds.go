package find

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The kind of a group in source may stand where no string is: it is the name of
// a class, or of a constant with which the kind of an object is compared. Such a
// kind does not move with the group: where it would have to, a person is told.

var (
	// groupAnnotated is the annotation of a class up to the group in it.
	// Source: https://github.com/fabric8io/kubernetes-client/blob/main/doc/CHEATSHEET.md
	groupAnnotated = rx(`@([\w.]+\.)?Group\(\s*(value\s*=\s*)?$`)
	// annotatedClass is what such annotations stand above: (1) its name. Others hold lists, @ShortNames({"x"}).
	annotatedClass = lazyregexp.New(`^(?:[^{};]|[(=]\s*\{[^{};]*\})*?\b(?:class|interface|record)\s+([A-Z]\w*)`)
	// attributedStruct is what an attribute of Rust stands above: (1) the kind, where the attribute names none.
	// Source: https://docs.rs/stackable-versioned, in each of Stackable's operators (zookeeper-operator, kafka-operator).
	attributedStruct = lazyregexp.New(`^[^{};]*?\bstruct\s+([A-Z]\w*?)(?:Spec)?\b`)
	// kindAnnotated is the annotation for the kind of such a class: (1), empty for a name.
	kindAnnotated = lazyregexp.New(`@(?:[\w.]+\.)?Kind\(\s*(?:value\s*=\s*)?(?:"([A-Z]\w*)")?`)
	// kindOfName is a kind that is compared with, or set to, a name: (1).
	kindOfName = lazyregexp.New(`(?i)\bkind\s*(?:[!=]==?|[:=])\s*([A-Za-z_][\w.]*)`)
	// listOfKind is the kind of a list behind the resource that it is of: (1).
	// Source: k8s.io/client-go, dynamic/fake.NewSimpleDynamicClientWithCustomListKinds.
	listOfKind = lazyregexp.New(`^["\x60][^{}]*\}\s*:\s*["\x60]([A-Z]\w*List)["\x60]`)
)

// elsewhere reads the kinds of a group that stand in no string of their own.
func (l *literal) elsewhere(s *Site) {
	data, at := l.v.Data, l.lit.Text
	rest := data[at.End:min(len(data), at.End+farthest)]
	if groupAnnotated.Match(l.lit.Before) {
		if m := annotatedClass.FindSubmatchIndex(rest); m != nil {
			l.annotated(s, string(rest[m[2]:m[3]]), kindAnnotated.FindSubmatch(slices.Concat(l.above(), []byte(";"), rest[:m[1]])))
		}
	}
	if bytes.Contains(l.above(), []byte("#[")) && !s.tells(RoleKind) {
		if m := attributedStruct.FindSubmatch(rest); m != nil {
			l.annotated(s, string(m[1]), nil)
		}
	}
	if m := listOfKind.FindSubmatchIndex(rest); m != nil && l.listed(s.Known.Group, string(rest[m[2]:m[3]])) {
		s.Facts.Kind = strings.TrimSuffix(string(rest[m[2]:m[3]]), "List")
		s.Beside = append(s.Beside, Part{Doc: l.v, Span: source.Span{Start: at.End + m[2], End: at.End + m[3]}, Role: RoleKind})
	}
	if m := kindIndexed.FindSubmatchIndex(rest); m != nil && !s.tells(RoleKind) {
		s.take([]Part{{Doc: l.v, Span: source.Span{Start: at.End + m[2], End: at.End + m[3]}, Role: RoleKind}})
	}
	if l.tok.Shape != GroupVersion && l.tok.Shape != Bare {
		return
	}
	line := text.LineAround(data, at)
	for _, m := range kindOfName.FindAllSubmatch(line.Of(data), -1) {
		l.loosely(s, l.valueOf(string(m[1]), s.Known.Group))
	}
}

// annotated reads the kind of a class: that of its annotation, where it has one,
// else its name.
func (l *literal) annotated(s *Site, class string, annotation [][]byte) {
	kind := class
	if annotation != nil {
		kind = string(annotation[1])
	} else {
		l.loosely(s, class)
	}
	if kind != "" && !s.tells(RoleKind) && !s.tells(RoleResource) {
		s.Facts.Kind = kind
	}
}

// above is the text right above a literal, as far as it is near.
func (l *literal) above() []byte {
	from := max(0, l.lit.Text.Start-farthest)
	near := l.v.Data[from:l.lit.Text.Start]
	return near[bytes.LastIndexAny(near, "{};")+1:]
}

// listed says whether a name is that of a list of objects of a known kind.
func (l *literal) listed(group, name string) bool {
	kind, ok := l.Singular(group, strings.ToLower(strings.TrimSuffix(name, "List")))
	return ok && kind+"List" == name
}

// loosely takes a kind of the group for loose.
func (l *literal) loosely(s *Site, kind string) {
	if kind != "" && l.isPart(s.Known.Group, RoleKind, kind) {
		s.Loose = append(s.Loose, kind)
	}
}

// valueOf is the kind that a constant stands for: as the file says, else as its
// name does, kindWidget or WidgetKind; "" where neither tells.
func (l *literal) valueOf(name, group string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	declared := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `(?:\s+string)?\s*:?=\s*["'\x60]([A-Z][A-Za-z0-9]*)["'\x60]`)
	if m := declared.FindSubmatch(l.v.Data); m != nil {
		return string(m[1])
	}
	low := strings.ToLower(strings.Trim(name, "_"))
	for _, cut := range []string{strings.TrimPrefix(low, "kind"), strings.TrimSuffix(low, "kind")} {
		if kind, ok := l.Singular(group, strings.Trim(cut, "_")); ok {
			return kind
		}
	}
	return ""
}
