package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// What rows of phrases ask about the markers of code generators.

// inMarker says whether a name stands in the arguments of a code generator's marker.
func inMarker(p *spot) bool {
	return p.mode != InProse && bytes.Contains(p.left, []byte("+")) && markerBefore.Match(p.left)
}

var markerBefore = rx(`^\s*(//|#|\*)?\s*\+(groupName|k8s:[\w-]+|kubebuilder:[\w:-]+|operator-sdk:[\w:-]+|genclient[\w:]*)[=:]`)

// tellsMarker reads what stands beside a group in a marker:
// +kubebuilder:rbac:groups=A;G,resources=...
func tellsMarker(p *spot, s *Site) {
	line := string(p.left) + string(p.tok.Word.Of(p.v.Data)) + string(p.right)
	for _, arg := range markerArgument.FindAllStringSubmatch(line, -1) {
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
	for _, arg := range markerArgument.FindAllStringSubmatch(string(p.left)+string(p.right), -1) {
		if arg[1] == "resources" {
			s.Guarded = markerList(arg[2])
			s.Facts.Plural = onlyResource(s.Guarded)
		}
	}
}

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
var markerArgument = lazyregexp.New("([A-Za-z]+)=(\\{[^}]*\\}|\"[^\"]*\"|`[^`]*`|[^,]*)")

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
