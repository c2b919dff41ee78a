package gorefactor

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A namedAt is a name with separators, such as widget-set-server, that has a spelling of a kind.
type namedAt struct {
	word string // the name of a flag without its dashes
	path string
	at   int
}

func named(name string, at int, text string, e kindwords.Edit) namedAt {
	return namedAt{strings.Trim(wordAround(text, e), "-_."), name, at + e.Start}
}

// isUse says whether an edit is of a name with separators that a program, a script or a
// document uses. Comments do not, and in documents underscores are those of other formats.
func (p *planner) isUse(name, text string, e kindwords.Edit, in kindwords.Context) bool {
	document := slices.Contains([]string{".md", ".adoc", ".asciidoc", ".rst", ".txt"}, path.Ext(name))
	return strings.ContainsAny(text[e.Start:e.End], "-_") && !p.isFile(text, e) && (in == kindwords.Literal || path.Ext(name) != ".go") && !(e.Snake && document)
}

// reviewNames adds an entry for each YAML or JSON file with names that are renamed elsewhere,
// as a flag in Go code or a name in a script. A name that nothing renames is right as it is.
func (p *planner) reviewNames() error {
	entries := map[string]int{} // of a file: the index of its entry
	for _, x := range p.objects {
		y, ok := p.renamed[x.word]
		if _, key, isKey := strings.Cut(x.word, "."); !ok && isKey { // trigger.on-widget-set
			y, ok = p.renamed[key]
		}
		if !ok {
			continue
		}
		if e, ok := entries[x.path]; ok {
			p.plan.Review[e].N++
			continue
		}
		pos := [2]source.Position{}
		for k, n := range []namedAt{x, y} {
			text, err := p.t.read(n.path)
			if err != nil {
				return err
			}
			pos[k] = source.PositionAt(text, n.at)
		}
		entries[x.path] = len(p.plan.Review)
		e := p.review("separated", x.path, token.NoPos, 1, "rename it here too if both are the same name, else undo the change there",
			"%s is renamed at %s:%d, and not here", y.word, y.path, pos[1].Line)
		e.Pos, e.Text = pos[0], x.word
	}
	return nil
}
