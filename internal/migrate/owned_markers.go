package migrate

import (
	"bytes"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// operator-sdk lists what stands below an owned API by kind and version, without a group:
// {Widget,v1beta1,widgets} in a marker of the Go type, kind and version in the
// ClusterServiceVersion that it makes of that.
// Source: operator-framework/api, pkg/operators/v1alpha1, APIResourceReference.

// ownedMark is what a Go file with such a marker holds.
const ownedMark = "csv:customresourcedefinitions"

var (
	ownedLine  = lazyregexp.New(`(?m)^\s*//\s*\+operator-sdk:(?:gen-)?csv:customresourcedefinitions[:.].*resources=(.*)$`)
	ownedEntry = lazyregexp.New("\\{\\s*[\"`]?([A-Z][A-Za-z0-9]*)[\"`]?\\s*,\\s*[\"`]?(v[1-9][a-z0-9]*)[\"`]?\\s*(?:,\\s*[\"`]?([a-z][a-z0-9-]*)?[\"`]?[^{}]*)?\\}")
)

// eachOwned visits the entries of the markers in a Go file that tell no group: the kind, the
// version, and the name behind them, empty for none.
func eachOwned(data []byte, visit func(kind, version, name source.Span)) {
	for _, line := range ownedLine.FindAllSubmatchIndex(data, -1) {
		for _, m := range ownedEntry.FindAllSubmatchIndex(data[line[2]:line[3]], -1) {
			at := func(i int) source.Span {
				if m[2*i] < 0 {
					return source.Span{}
				}
				return text.SpanOf(line[2]+m[2*i], line[2]+m[2*i+1])
			}
			visit(at(1), at(2), at(3))
		}
	}
}

// markers asks for the kinds that such markers name and that get another name.
func (b *bareNames) markers() goQuestion {
	return goQuestion{[]string{ownedMark}, func(name string, data []byte) {
		b.note(name, data, func(r *bareReader, _ find.Format) {
			eachOwned(data, func(kind, version, plural source.Span) {
				for _, at := range []source.Span{kind, plural} {
					if is := b.names[string(at.Of(data))]; is != nil && (is.rule.From.Version == "" || is.rule.From.Version == string(version.Of(data))) {
						r.sites = append(r.sites, bareSite{at: at, name: is})
						break // one line for an entry
					}
				}
			})
		})
	}}
}

// markers asks for the versions in such markers.
func (s *versionSelectors) markers() goQuestion {
	return goQuestion{[]string{ownedMark}, func(name string, data []byte) { s.lists(name, data) }}
}

// lists keeps a file that lists what stands below owned APIs.
func (s *versionSelectors) lists(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owned[name] = bytes.Clone(data)
}

// owns hears of a file of the first walk: of a ClusterServiceVersion, and whether operator-sdk
// is used here.
func (s *versionSelectors) owns(name string, data []byte) {
	switch {
	case s == nil:
	case path.Base(name) == projectName:
		if bytes.Contains(data, []byte("operatorframework.io")) {
			s.sdk.Store(true)
		}
	case bytes.Contains(data, []byte("ClusterServiceVersion")) && find.FormatOf(name, data).Is(find.Objects):
		s.sdk.Store(true)
		s.lists(name, data)
	}
}

// ownedVersions are the old versions in a file that lists what stands below owned APIs.
func (s *versionSelectors) ownedVersions(name string, data []byte) []edit.Outcome {
	if !strings.HasSuffix(name, ".go") {
		return s.versions(data, s.isOwned)
	}
	var made []edit.Outcome
	eachOwned(data, func(kind, version, _ source.Span) {
		if o, ok := s.versionOf([]string{string(kind.Of(data))}, version, data, ""); ok {
			made = append(made, o)
		}
	})
	return made
}

// isOwned says whether a mapping stands in the resources below an owned API, and names none
// of a group of the rules.
func (s *versionSelectors) isOwned(t *text.Tree, item int32) bool {
	list := t.Nodes[item].Parent
	if t.KeyOf(list) != "resources" || list < 0 {
		return false
	}
	_, group, _ := strings.Cut(t.Text(t.Value(item, "name")), ".")
	above := t.KeyOf(t.Up(t.Nodes[list].Parent))
	return (above == "owned" || above == "required") && len(s.m.rules.RulesOf(group)) == 0 && rules.APIVersion.MatchString(t.Text(t.Value(item, "version")))
}
