package gorefactor

import (
	"cmp"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A namedAt is a name with separators, such as widget-set-server, that has a spelling of a kind.
type namedAt struct {
	whole string // the name
	word  string // the name of a flag without its dashes
	old   string // the spelling
	path  string
	at    int
}

func (p *planner) namedAt(name string, at int, text string, e kindwords.Edit) namedAt {
	whole := wordAround(text, e)
	if strings.HasPrefix(whole, "s-") && strings.HasSuffix(text[:e.Start], "%s-") {
		whole = whole[1:] // of a format
	}
	if strings.HasPrefix(text[e.End:], "-*") {
		whole = strings.TrimSuffix(whole, "-") // of a pattern for files
	}
	return namedAt{whole, strings.Trim(whole, "-_."), text[e.Start:e.End], name, at + e.Start}
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
	slices.SortStableFunc(p.renamed, func(a, b namedAt) int { return cmp.Or(strings.Compare(a.path, b.path), a.at-b.at) })
	entries := map[string]int{}                          // of a file: the index of its entry
	same, longer := map[string][]int{}, map[string]int{} // renamed names: by themselves, and the first with a run of words
	for i, y := range p.renamed {
		if name := dashed(y.word); len(same[name]) < mostAlike {
			same[name] = append(same[name], i)
		}
		for _, run := range wordRuns(y.word) {
			if _, known := longer[run]; !known {
				longer[run] = i
			}
		}
	}
	for _, x := range p.objects {
		i := -1
		take := func(k int) {
			if (i < 0 || k < i) && x.isIn(p.renamed[k]) {
				i = k
			}
		}
		if k, known := longer[dashed(x.word)]; known {
			take(k)
		}
		for _, run := range append(wordRuns(x.word), dashed(x.word)) {
			for _, k := range same[run] {
				take(k)
			}
		}
		if i < 0 {
			continue
		}
		if e, ok := entries[x.path]; ok {
			p.plan.Review[e].N++
			continue
		}
		pos := [2]source.Position{}
		for k, y := range []namedAt{x, p.renamed[i]} {
			text, err := p.t.read(y.path)
			if err != nil {
				return err
			}
			pos[k] = source.PositionAt(text, y.at)
		}
		entries[x.path] = len(p.plan.Review)
		e := p.review("separated", x.path, token.NoPos, 1, "rename it here too if both are the same name, else undo the change there",
			"%s is renamed at %s:%d, and not here", p.renamed[i].word, p.renamed[i].path, pos[1].Line)
		e.Pos, e.Text = pos[0], x.word
	}
	return nil
}

// isIn says whether a name and another one that is renamed may be the same, or one built of
// the other. The spelling of the kind alone is a name only where it is all of both, or where
// code joins it to something.
func (x namedAt) isIn(y namedAt) bool {
	if x.word == y.word {
		return true
	}
	if y.word == y.old && (path.Ext(y.path) != ".go" || y.whole == y.word || !strings.Contains(x.word, y.whole)) || x.word == x.old {
		return false
	}
	return hasWords(x.word, y.word) || hasWords(y.word, x.word)
}

// Of a name mostWords words are read, and of names that are the same mostAlike are compared.
const mostWords, mostAlike = 16, 64

// wordRuns are the runs of the words of a name.
func wordRuns(name string) []string {
	words := strings.Split(dashed(name), "-")
	words = words[:min(len(words), mostWords)]
	var list []string
	for i := range words {
		for j := i + 1; j <= len(words); j++ {
			list = append(list, strings.Join(words[i:j], "-"))
		}
	}
	return list
}

// dashed is a name with dashes for dots.
func dashed(name string) string { return strings.ReplaceAll(name, ".", "-") }

// hasWords says whether a name has another one as a run of its words.
func hasWords(longer, name string) bool {
	return strings.Contains("-"+dashed(longer)+"-", "-"+dashed(name)+"-")
}
