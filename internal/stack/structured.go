package stack

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// yamlDocs parses every document of a YAML or JSON file.
func yamlDocs(path string, data []byte) ([]*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []*yaml.Node
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			line, cause := strict.Cause(err)
			return nil, &source.Error{Path: path, Pos: source.Position{Line: line}, Err: errors.New(cause)}
		}
		docs = append(docs, doc.Content...)
	}
}

// A step is one part of a YAML path: a key, an index, a wildcard or a selector.
type step struct {
	key   string // of a mapping
	field string // [field=value]: items whose field is value
	value string
	index int  // [3]; -1 = none
	all   bool // [*]
}

var stepText = lazyregexp.New(`^(?:"([^"]+)"|([^.\["]+)|\[(\*|\d+|[^\]=]+=[^\]]*)\])\.?`)

// parsePath reads "spec.images[name=x].tag", with quotes around keys that hold
// dots: metadata.annotations."a.b/c".
func parsePath(path string) ([]step, error) {
	var steps []step
	for rest := path; rest != ""; {
		m := stepText.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("path %q does not parse at %q", path, rest)
		}
		rest = rest[len(m[0]):]
		s := step{key: m[1] + m[2], index: -1}
		switch {
		case m[3] == "*":
			s.all = true
		case strings.Contains(m[3], "="):
			s.field, s.value, _ = strings.Cut(m[3], "=")
		case m[3] != "":
			s.index, _ = strconv.Atoi(m[3])
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// follow returns the nodes that the steps lead to, and no more than one beyond
// maxHits of them: aliases make many of few.
func follow(n *yaml.Node, steps []step) []*yaml.Node {
	looked := 0
	return followIn(n, steps, &looked)
}

func followIn(n *yaml.Node, steps []step, looked *int) []*yaml.Node {
	n = aliased(n)
	if len(steps) == 0 {
		*looked++
		return []*yaml.Node{n}
	}
	s := steps[0]
	var found []*yaml.Node
	switch {
	case s.key != "" && n.Kind == yaml.MappingNode:
		for _, e := range pairs(n) { // which of several counts is for each reader of the file to say
			if e.key.Value == s.key {
				found = append(found, followIn(e.value, steps[1:], looked)...)
			}
		}
	case s.key == "" && n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			if *looked > maxHits {
				return found
			}
			if s.all || i == s.index || s.field != "" && has(item, s.field, s.value) {
				found = append(found, followIn(item, steps[1:], looked)...)
			}
		}
	}
	return found
}

// An entry is one of a mapping.
type entry struct{ key, value *yaml.Node }

// pairs are the entries of a mapping, with those that it merges: where readers differ in which
// one wins, both are there.
func pairs(n *yaml.Node) []entry {
	list := make([]entry, 0, len(n.Content)/2)
	seen, looked := map[string]int{}, 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		seen[aliased(n.Content[i]).Value] = i
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := aliased(n.Content[i]), aliased(n.Content[i+1])
		if key.Value != "<<" {
			list = append(list, entry{key, n.Content[i+1]})
			continue
		}
		merged := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			merged = value.Content
		}
		for _, m := range merged {
			m = aliased(m)
			for j := 0; j+1 < len(m.Content) && m.Kind == yaml.MappingNode && looked < maxHits; j += 2 {
				looked++
				if name := aliased(m.Content[j]); seen[name.Value] <= i { // a key that follows wins for all
					list = append(list, entry{name, m.Content[j+1]})
				}
			}
		}
	}
	return list
}

// aliased is what an alias stands for, else the node.
func aliased(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func has(n *yaml.Node, field, value string) bool {
	n = aliased(n)
	return n.Kind == yaml.MappingNode && slices.ContainsFunc(pairs(n), func(e entry) bool { return e.key.Value == field && aliased(e.value).Value == value })
}

// scalarSpan is the span of a scalar's text in the file, without quotes. A
// scalar whose text does not stand there as it is (escapes, block scalars) has
// none.
func scalarSpan(data []byte, lines []int, n *yaml.Node) (source.Span, bool) {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return source.Span{}, false
	}
	at := offset(data, lines, n.Line, n.Column)
	for at < len(data) && (data[at] == '&' || data[at] == '!') { // anchor or tag first
		end := bytes.IndexAny(data[at:], " \n")
		if end < 0 {
			return source.Span{}, false
		}
		at += end
		for at < len(data) && data[at] == ' ' {
			at++
		}
	}
	if at < len(data) && (data[at] == '"' || data[at] == '\'') {
		at++
	}
	s := source.Span{Start: at, End: at + len(n.Value)}
	if s.End > len(data) || string(s.Of(data)) != n.Value {
		return source.Span{}, false
	}
	return s, true
}

// offset turns the parser's line and column, in characters from 1, into bytes.
func offset(data []byte, lines []int, line, col int) int {
	if line > len(lines) {
		return len(data)
	}
	at := lines[max(line, 1)-1]
	if at == 0 && bytes.HasPrefix(data, []byte("\ufeff")) {
		at = 3
	}
	for ; col > 1 && at < len(data); col-- {
		_, n := utf8.DecodeRune(data[at:])
		at += n
	}
	return at
}

// A Scalar is one of a YAML or JSON file.
type Scalar struct {
	Value string
	Pos   source.Position
	Span  source.Span // of Value; empty = its text does not stand there as it is
}

// Scalars are those at a path, as places of kind yaml have them.
func Scalars(path string, data []byte, key string) ([]Scalar, error) {
	steps, err := parsePath(key)
	if err != nil {
		return nil, err
	}
	docs, err := yamlDocs(path, data)
	var list []Scalar
	lines := lineStarts(data)
	for _, doc := range docs {
		for _, n := range follow(doc, steps) {
			if n.Kind == yaml.ScalarNode {
				span, _ := scalarSpan(data, lines, n)
				list = append(list, Scalar{n.Value, source.Position{Line: n.Line, Column: n.Column}, span})
			}
		}
	}
	return list, err
}

// findYAML is the extractor of kind yaml. A value that stands there and cannot
// be edited as text is an error.
func findYAML(p *Place, f *file) ([]hit, error) {
	steps, err := parsePath(p.Key)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	docs, err := f.yaml()
	if err != nil {
		return nil, err
	}
	var hits []hit
	lines := lineStarts(f.data)
	inner, last := steps[:len(steps)-1], steps[len(steps)-1:]
	for _, doc := range docs {
		for _, parent := range follow(doc, inner) {
			found, err := p.scalarsOf(f.path, f.data, lines, parent, last)
			if hits = append(hits, found...); err != nil || len(hits) > maxHits {
				return hits, err
			}
		}
	}
	return hits, nil
}

// scalarsOf are the hits of the scalars that the last step of a path leads to.
func (p *Place) scalarsOf(path string, data []byte, lines []int, parent *yaml.Node, last []step) (hits []hit, err error) {
	digest := ""
	if n := strict.Value(parent, "digest"); n != nil && n.Tag != "!!null" {
		digest = n.Value
	}
	for _, n := range follow(parent, last) {
		if n.Kind != yaml.ScalarNode || n.Value == "" {
			continue
		}
		span, ok := scalarSpan(data, lines, n)
		if !ok {
			return nil, &source.Error{Path: path, Pos: source.Position{Line: n.Line, Column: n.Column}, Err: fmt.Errorf("%s is not written as plain text", p.Key)}
		}
		for _, h := range p.value(data, span) {
			h.digest = digest
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// findRef finds ?ref= or ?version= of the remote resources, bases and components of
// a kustomization that come from the repository Key.
func findRef(p *Place, f *file) ([]hit, error) {
	docs, err := f.yaml()
	if err != nil {
		return nil, err
	}
	var hits []hit
	lines := lineStarts(f.data)
	for _, doc := range docs {
		for _, list := range []string{"resources", "bases", "components", "crds"} {
			for _, n := range follow(doc, []step{{key: list, index: -1}, {all: true, index: -1}}) {
				span, ok := scalarSpan(f.data, lines, n)
				if !ok || !refersTo(n.Value, p.Key) {
					continue
				}
				if s, ok := refSpan(n.Value); ok {
					hits = append(hits, hit{span: source.Span{Start: span.Start + s.Start, End: span.Start + s.End}})
				} else {
					before := "?ref="
					if strings.Contains(n.Value, "?") {
						before = "&ref="
					}
					hits = append(hits, hit{span: source.Span{Start: span.End, End: span.End}, part: partNoRef, before: before})
				}
			}
		}
	}
	return hits, nil
}

// urlPort is the host of a URL with its port.
var urlPort = lazyregexp.New(`(://[^/:]+):[0-9]*/`)

// refersTo says whether a kustomize URL is of a repository "github.com/OWNER/NAME",
// in any case, also in the form git@github.com:OWNER/NAME.
func refersTo(url, repository string) bool {
	if plain, err := neturl.PathUnescape(url); err == nil {
		url = plain
	}
	url = urlPort.ReplaceAllString(url, "$1/")
	user, rest, ok := strings.Cut(url, "@")
	if ok {
		url = user + "@" + strings.Replace(rest, ":", "/", 1)
	}
	_, after, ok := strings.Cut(strings.ToLower(url), strings.ToLower(repository))
	if !ok {
		return false
	}
	rest = strings.TrimPrefix(after, ".git")
	return rest == "" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "?")
}

// refSpan is the version of a kustomize URL: its ref, else its version.
// Source: https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md
func refSpan(url string) (source.Span, bool) {
	_, query, _ := strings.Cut(url, "?")
	for _, key := range []string{"ref", "version"} {
		at := len(url) - len(query)
		for part := range strings.SplitSeq(query, "&") {
			name, v, _ := strings.Cut(part, "=")
			if plain, err := neturl.QueryUnescape(name); err == nil && plain == key && v != "" {
				return source.Span{Start: at + len(name) + 1, End: at + len(part)}, true
			}
			at += len(part) + 1
		}
	}
	return source.Span{}, false
}

// valueIn is the text of an entry of a mapping.
func valueIn(n *yaml.Node, key string) string {
	for _, n := range follow(n, []step{{key: key, index: -1}}) {
		return n.Value
	}
	return ""
}

// findNewTag finds the newTag of the images whose name or newName is Key. Where that
// is the name, another newName is what is deployed.
func findNewTag(p *Place, f *file) ([]hit, error) {
	docs, err := f.yaml()
	if err != nil {
		return nil, err
	}
	wants := p.of.Image.Repository
	if wants == "" && strings.Contains(p.Key, "/") { // else it is a name that stands for an image
		wants = p.Key
	}
	var hits []hit
	lines := lineStarts(f.data)
	for _, doc := range docs {
		other := ""
		for _, n := range follow(doc, []step{{key: "transformers", index: -1}, {all: true, index: -1}}) {
			if strings.Contains(n.Value, "\n") && strings.Contains(n.Value, p.Key) {
				other = "a transformer written in the kustomization"
			}
		}
		for _, image := range follow(doc, []step{{key: "images", index: -1}, {all: true, index: -1}}) {
			name, renamed := valueIn(image, "name"), valueIn(image, "newName")
			if name != p.Key && renamed != p.Key {
				continue
			}
			found, err := p.scalarsOf(f.path, f.data, lines, image, []step{{key: "newTag", index: -1}})
			if err != nil {
				return nil, err
			}
			for _, h := range found {
				h.other = cmp.Or(h.other, other)
				if renamed != "" && renamed != p.Key && wants != "" && renamed != wants {
					h.other = renamed
				}
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}
