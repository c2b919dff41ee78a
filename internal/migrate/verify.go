package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A proof is a document of a file that a real parser can read: the witness of
// what the scanner understood.
type proof struct {
	span source.Span
}

// parse reads the documents of a span. A parse error carries its place.
func parse(path string, file []byte, s source.Span) ([]*yaml.Node, error) {
	var docs []*yaml.Node
	text := s.Of(file)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, placeOf(path, file, s, err)
		}
		docs = append(docs, &n)
	}
}

// placeOf turns "yaml: line N: cause" into a place in the file.
func placeOf(path string, file []byte, s source.Span, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		line += bytes.Count(file[:s.Start], []byte("\n"))
	}
	return &source.Error{Path: path, Pos: source.Position{Line: line}, Err: errors.New(text)}
}

// sameShape compares the trees of a document before and after: they may
// differ in scalars only, and only in those whose new value follows from the
// sites. It returns the values that changed, old and new.
func sameShape(a, b *yaml.Node) (changed [][2]string, ok bool) {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || a.Anchor != b.Anchor || a.Style != b.Style {
		return nil, false
	}
	if a.Kind == yaml.ScalarNode {
		if a.Tag != b.Tag {
			return nil, false
		}
		if a.Value != b.Value {
			changed = append(changed, [2]string{a.Value, b.Value})
		}
		return changed, true
	}
	if a.Kind == yaml.AliasNode {
		return nil, a.Value == b.Value
	}
	for i := range a.Content {
		c, ok := sameShape(a.Content[i], b.Content[i])
		if !ok {
			return nil, false
		}
		changed = append(changed, c...)
	}
	return changed, true
}

// witness holds the edits of the documents of a YAML file against a parser:
// what parsed before parses after, and the trees differ exactly in values
// that hold the old spelling of a site before and its new one after. A
// document whose edits change its structure (a split rule) must only parse.
func (a *analysis) witness() error {
	k := 0 // sites before it end before the document
	for _, p := range a.proofs {
		for k < len(a.sites) && a.sites[k].Start < p.span.Start {
			k++
		}
		last := k
		for last < len(a.sites) && a.sites[last].Start < p.span.End {
			last++
		}
		if err := a.witnessOne(p, a.sites[k:last]); err != nil {
			return err
		}
	}
	return nil
}

func (a *analysis) witnessOne(p proof, sites []Site) error {
	var edits []source.Edit
	structural := false
	for _, s := range sites {
		for _, e := range s.edits {
			if s.Action != Change || s.client != nil || e.Start < p.span.Start || e.End > p.span.End {
				continue
			}
			structural = structural || s.structural || s.Role == RoleRBAC && (e.New == "" || strings.ContainsAny(e.New, "\n,"))
			e.Start -= p.span.Start
			e.End -= p.span.Start
			edits = append(edits, e)
		}
	}
	edits = withoutCovered(edits)
	if len(edits) == 0 {
		return nil
	}
	before, err := parse(a.path, a.file, p.span)
	if err != nil {
		return err
	}
	after, err := source.Apply(p.span.Of(a.file), edits)
	if err != nil {
		return &source.Error{Path: a.path, Err: err}
	}
	docs, err := parse(a.path, after, source.Span{End: len(after)})
	if err != nil {
		return fmt.Errorf("the result would not parse: %w", err)
	}
	if structural {
		return nil
	}
	if len(docs) != len(before) {
		return &source.Error{Path: a.path, Err: errors.New("the result would have another number of documents")}
	}
	for i := range docs {
		changed, ok := sameShape(before[i], docs[i])
		if !ok {
			return &source.Error{Path: a.path, Err: errors.New("the result would have another structure")}
		}
		if err := explained(a.path, changed, sites); err != nil {
			return err
		}
	}
	return nil
}

// explained says whether every changed value is one that the sites change.
func explained(path string, changed [][2]string, sites []Site) error {
	names := map[[2]string]bool{} // the old and new spellings of sites
	var list [][2]string
	for _, s := range sites {
		if n := [2]string{s.Old, s.New}; s.Action == Change && !names[n] {
			names[n], list = true, append(list, n)
		}
	}
	for _, c := range changed {
		if !names[c] && !slices.ContainsFunc(list, func(n [2]string) bool {
			return strings.Contains(c[0], n[0]) && (n[1] == "" || strings.Contains(c[1], n[1]))
		}) {
			return &source.Error{Path: path, Err: fmt.Errorf("the value %.60q would become %.60q, which no site explains", c[0], c[1])}
		}
	}
	return nil
}
