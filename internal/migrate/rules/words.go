package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Words say what Go code and prose call a kind that is renamed: abbreviations and
// spaced forms in lower case, with what replaces each ({wdgt: gadget, "widget set":
// "gadget group"}), and names of Go that begin with a kind of one word, with what each
// becomes. Nil: the spellings of the kind alone. In YAML they are that mapping, or one of
// the texts all (nil) and surface.
type Words map[string]string

// surface stands for the text in a Words that is decoded.
const surface = ""

// Surface says that the kind is renamed in objects, in the Go types of the kind and its
// list, and in generated code; other names of Go and prose stay.
// Source: what gateway-api (ListenerSet, 2025) and rook (Cluster, 2018) renamed.
func (w Words) Surface() bool {
	_, ok := w[surface]
	return ok
}

// UnmarshalYAML reads the mapping or the text.
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.MappingNode:
		return n.Decode((*map[string]string)(w))
	case n.Value == "surface":
		*w = Words{surface: ""}
	case n.Value != "all":
		return fmt.Errorf("line %d: words %q: want surface, all, or a mapping such as {wdgt: gadget}", n.Line, n.Value)
	}
	return nil
}

var (
	oldWord = lazyregexp.New(`^[a-z][a-z0-9]*( [a-z0-9]+)*$`)
	newWord = lazyregexp.New(`^[a-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$`)
)

// validate checks words of a rule that makes one kind another.
func (w Words) validate(kind, to string) error {
	if w != nil && (to == "" || to == kind) {
		return fmt.Errorf("words are those of a kind that is renamed: from.kind and to.kind are missing or the same")
	}
	for _, old := range slices.Sorted(maps.Keys(w)) {
		if rest, ok := strings.CutPrefix(old, kind); ok && kindName.MatchString(rest) && kindName.MatchString(w[old]) {
			continue
		}
		if !w.Surface() && (!oldWord.MatchString(old) || !newWord.MatchString(w[old])) {
			return fmt.Errorf("words: %q: %q: want words that begin with a lower-case letter, such as wdgt: gadget", old, w[old])
		}
	}
	return nil
}
