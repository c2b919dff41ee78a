package edit

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"slices"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// notTwiceInGo leaves the cases of a switch and the keys of a literal to a person
// that would become the same as another one: Go does not compile them.
// Source: The Go Programming Language Specification, "Expression switches" and
// "Composite literals".
func (m *maker) notTwiceInGo() {
	if !m.facts.Format.Is(find.Gofmt) || m.facts.Dual {
		return
	}
	changes := map[source.Span]int{} // the strings that become others, without their quotes
	for i, o := range m.made {
		if o.action == Change && o.New != "" {
			changes[o.Span] = i
		}
	}
	if !m.mayMeet(changes) {
		return
	}
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, "", m.file, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		taken := map[string]int{} // to the outcome, -1 for one that stays
		var ours []*ast.BasicLit
		for _, lit := range alternatives(n) {
			if _, moves := changes[inQuotes(set, lit)]; moves {
				ours = append(ours, lit)
			} else if text, err := strconv.Unquote(lit.Value); err == nil {
				taken[text] = -1
			}
		}
		for _, lit := range ours {
			i := changes[inQuotes(set, lit)]
			other, there := taken[m.made[i].New]
			if !there {
				taken[m.made[i].New] = i
				continue
			}
			if other >= 0 && m.made[other].Old == m.made[i].Old {
				continue // it stood there twice before
			}
			for _, j := range []int{i, other} {
				if j >= 0 && m.made[j].action == Change {
					m.made[j] = m.made[j].Leave("name-taken", "another one beside it becomes "+m.made[j].New+" as well, which does not compile", "make one of the two")
				}
			}
		}
		return true
	})
}

// notTwiceInCode leaves to a person the keys of a literal and the cases of a switch in other
// languages that would become the same as another one: the last of them would win, or nothing
// compiles.
func (m *maker) notTwiceInCode() {
	lang := m.facts.Format.Language()
	if lang == nil || m.facts.Dual || m.facts.Format.Is(find.Gofmt) {
		return
	}
	changes := map[source.Span]int{}
	for i, o := range m.made {
		if o.action == Change && o.New != "" {
			changes[o.Span] = i
		}
	}
	if len(changes) == 0 || !m.mayMeet(changes) {
		return
	}
	type key struct {
		scope int
		text  string
	}
	taken := map[key]int{} // to the outcome, -1 for one that stays
	var ours []text.LiteralText
	for _, lit := range lang.Lex(m.file).Literals {
		if lit.Scope < 0 || !entryBehind.Match(m.file[lit.Outer.End:min(len(m.file), lit.Outer.End+text.Nearby)]) {
			continue
		}
		if _, moves := changes[lit.Text]; moves {
			ours = append(ours, lit)
		} else {
			taken[key{lit.Scope, string(lit.Text.Of(m.file))}] = -1
		}
	}
	for _, lit := range ours {
		i := changes[lit.Text]
		at := key{lit.Scope, m.made[i].New}
		other, there := taken[at]
		if !there {
			taken[at] = i
			continue
		}
		if other >= 0 && m.made[other].Old == m.made[i].Old {
			continue // it stood there twice before
		}
		for _, j := range []int{i, other} {
			if j >= 0 && m.made[j].action == Change {
				m.made[j] = m.made[j].Leave("name-taken", "another one beside it becomes "+m.made[j].New+" as well, or is it", "make one of the two")
			}
		}
	}
}

// entryBehind is what stands behind a key of a literal, or behind a case.
var entryBehind = lazyregexp.New(`^\s*(?::[^:=]|:$|=>|->)`)

// mayMeet says whether some string may become what another one is or becomes: most
// files need no look at what their strings stand in.
func (m *maker) mayMeet(changes map[source.Span]int) bool {
	from := map[string]string{} // the new texts, and the old ones
	for _, i := range slices.Sorted(maps.Values(changes)) {
		o := m.made[i]
		old, twice := from[o.New]
		if twice && old != o.Old || !twice && bytes.Contains(m.file, []byte(o.New)) {
			return true
		}
		from[o.New] = o.Old
	}
	return len(changes) > 0 && spelledOut.Match(m.file)
}

// spelledOut is a character of a Go string that is written by its number.
var spelledOut = lazyregexp.New(`\\[xuU0-7]`)

// inQuotes is what a string in Go holds.
func inQuotes(set *gotoken.FileSet, lit *ast.BasicLit) source.Span {
	at := set.Position(lit.Pos()).Offset
	return source.Span{Start: at + 1, End: at + len(lit.Value) - 1}
}

// alternatives are the strings of which a switch or a literal may have each once.
func alternatives(n ast.Node) []*ast.BasicLit {
	var list []*ast.BasicLit
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			list = append(list, lit)
		}
	}
	switch n := n.(type) {
	case *ast.SwitchStmt:
		for _, s := range n.Body.List {
			for _, e := range s.(*ast.CaseClause).List {
				add(e)
			}
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				add(kv.Key)
			}
		}
	}
	return list
}
