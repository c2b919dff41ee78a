package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// What rows of phrases ask about the markers of code generators.

// inMarker says whether a name stands in the arguments of a code generator's marker, or
// of one that a sentence quotes.
func inMarker(p *spot) bool {
	return bytes.Contains(p.left, []byte("+")) && !expressionBefore.Match(p.left) && (p.mode != InProse && markerBefore.Match(p.left) || quotedMarker.Match(p.left))
}

// expressionBefore is the marker of a validation up to what stands in its expression of CEL, which
// is read as any other.
// Source: sigs.k8s.io/controller-tools, markers of crd (XValidation).
var expressionBefore = rx(`\+kubebuilder:validation:(?:items:)?XValidation:.*\brule=`, "xvalidation")

// quotedMarker is what stands before a name in the marker of a permission or of a webhook,
// wherever that stands on a line.
var quotedMarker = rx("(?:^|[\\s\"'`(*])(?://|#)?\\s*\\+kubebuilder:(?:rbac|webhook):\\S*$", "+kubebuilder:")

// MarkerAround is the marker around a name: its line, or of one that a sentence quotes
// what begins with its mark, up to a blank or the quote that ends it.
func MarkerAround(data []byte, name source.Span) source.Span {
	s := text.LineAround(data, name)
	i := bytes.LastIndex(data[s.Start:name.Start], []byte("+kubebuilder:"))
	if i < 0 || len(bytes.Trim(data[s.Start:s.Start+i], " \t/#*")) == 0 {
		return s
	}
	s.Start += i
	if end := bytes.IndexAny(data[name.End:s.End], " \t`"); end >= 0 {
		s.End = name.End + end
	}
	return s
}

// marker is the text of the marker around the name.
func (p *spot) marker() string {
	return string(MarkerAround(p.v.Data, p.tok.Word).Of(p.v.Data))
}

var markerBefore = rx(`^\s*(//|#|\*)?\s*\+(groupName|k8s:[\w-]+|kubebuilder:[\w:-]+|operator-sdk:[\w:-]+|genclient[\w:]*)[=:]`)

// tellsMarker reads what stands beside a group in a marker:
// +kubebuilder:rbac:groups=A;G,resources=...
func tellsMarker(p *spot, s *Site) {
	for _, arg := range markerArgument.FindAllStringSubmatch(p.marker(), -1) {
		list := markerList(arg[2])
		switch arg[1] {
		case "resources":
			s.Resources = list
		case "versions":
			s.Facts.Version = ""
			if len(list) == 1 && rules.APIVersion.MatchString(list[0]) {
				s.Facts.Version = list[0]
			}
		}
	}
}

// tellsGuarded reads the resources that a webhook's marker names.
func tellsGuarded(p *spot, s *Site) {
	for _, arg := range markerArgument.FindAllStringSubmatch(p.marker(), -1) {
		if arg[1] == "resources" {
			s.Guarded = markerList(arg[2])
			s.Facts.Plural = onlyResource(s.Guarded)
		}
	}
}

// markerNames is what stands before a name in the list of objects that the marker
// of a permission is about.
// Source: sigs.k8s.io/controller-tools, pkg/rbac.
var markerNames = rx(`\+kubebuilder:rbac:(?:.*,)?resourceNames=(?:\{[^}=]*|[^,{}=]*)$`, "resourcenames=")

// markerRole is what stands before the name of a role or of a namespace.
var markerRole = rx("\\+kubebuilder:rbac:(?:.*,)?(?:roleName|namespace)=[\"`]?$", "rolename=", "namespace=")

// markerGrantsCRDs says whether the marker around a name is one of permissions to CRDs.
func markerGrantsCRDs(p *spot) bool {
	return inMarker(p) && p.tok.Known.Version == "" && p.tok.Prefix != "" && !strings.Contains(p.tok.Prefix, ".") &&
		slices.Contains(grantedBy(p), "customresourcedefinitions")
}

// markerGrantsAPIs says whether the marker around a name is one of permissions to APIServices.
func markerGrantsAPIs(p *spot) bool {
	return inMarker(p) && p.tok.Known.Version != "" && rules.APIVersion.MatchString(p.tok.Prefix) && slices.Contains(grantedBy(p), "apiservices")
}

// markerGrantsOthers says whether the marker around a name is one of permissions to
// objects that may have any name: neither CRDs nor APIServices.
func markerGrantsOthers(p *spot) bool {
	return inMarker(p) && !slices.ContainsFunc(grantedBy(p), func(name string) bool {
		return name == "customresourcedefinitions" || name == "apiservices" || !rules.PluralName.MatchString(name)
	})
}

// grantedBy are the resources of the marker around a name, without sub-resources.
func grantedBy(p *spot) []string {
	var names []string
	for _, arg := range markerArgument.FindAllStringSubmatch(p.marker(), -1) {
		if arg[1] != "resources" {
			continue
		}
		for _, name := range markerList(arg[2]) {
			name, _, _ = strings.Cut(name, "/")
			names = append(names, name)
		}
	}
	return names
}

// tellsMarkerCRD reads the resource that the name of a CRD begins with.
func tellsMarkerCRD(p *spot, s *Site) { s.Known.Plural, s.Kind = p.tok.Prefix, p.tok.first() }

// onlyResource is the resource that all names of a list are of, subresources,
// too; "" when they are of several, or of all.
func onlyResource(names []string) string {
	only := ""
	for i, name := range names {
		name, _, _ = strings.Cut(name, "/")
		if i > 0 && name != only || name == "*" {
			return ""
		}
		only = name
	}
	return only
}

// markerArgument is an argument of a marker with its value: a word, words joined
// by semicolons, or a list in braces.
// Source: sigs.k8s.io/controller-tools, pkg/markers.
var markerArgument = lazyregexp.New("([A-Za-z]+)=(\\{[^}]*\\}|(?:\"[^\"]*\"|`[^`]*`|[^,\"`])*)")

// markerList are the words of an argument's value.
func markerList(value string) []string {
	value = strings.Trim(strings.TrimSpace(value), "\"`")
	sep := ";"
	if in, braces := strings.CutPrefix(value, "{"); braces {
		value, sep = strings.TrimSuffix(in, "}"), ","
	}
	var list []string
	for word := range strings.SplitSeq(value, sep) {
		list = append(list, strings.Trim(strings.TrimSpace(word), "\"`"))
	}
	return list
}

// markerOwned is what stands before a name in the resources that operator-sdk lists below an
// owned API.
// Source: sdk.operatorframework.io, docs/building-operators/golang/references/markers.
var markerOwned = rx("\\+operator-sdk:(?:gen-)?csv:customresourcedefinitions[:.](?:.*,)?resources=[^=]*$", "resources=")

// ownedBefore and ownedBehind are (1) the kind before a group and its version, and the plural
// behind them.
var (
	ownedBefore = lazyregexp.New("([A-Z][A-Za-z0-9]*)[\"`]?\\s*,\\s*[\"`]?$")
	ownedBehind = lazyregexp.New("^[\"`]?\\s*,\\s*[\"`]?([a-z][a-z0-9-]*)[\"`]?\\s*\\}")
)

// tellsOwnedBelow reads the kind and the plural in the entry of a name.
func tellsOwnedBelow(p *spot, s *Site) {
	if p.tok.Shape != GroupVersion {
		s.Known.Plural, s.Kind = p.tok.Prefix, p.tok.first()
		return
	}
	m := ownedBefore.FindSubmatchIndex(p.left)
	if m == nil {
		return
	}
	kind := text.SpanOf(p.begin()+m[2], p.begin()+m[3])
	s.take([]Part{{Doc: p.v, Span: kind, Role: RoleKind}})
	if m := ownedBehind.FindSubmatchIndex(p.right); m != nil && slices.Contains(rules.Plurals(string(kind.Of(p.v.Data))), string(p.right[m[2]:m[3]])) {
		s.take([]Part{{Doc: p.v, Span: text.SpanOf(p.tok.Word.End+m[2], p.tok.Word.End+m[3]), Role: RoleResource}})
	}
}
