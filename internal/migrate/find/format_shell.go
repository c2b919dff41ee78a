package find

import (
	"bytes"
	"encoding/json"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

func isShell(base, ext string, data []byte) bool {
	switch ext {
	case ".sh", ".bash", ".zsh", ".ksh", ".bats", ".mk", ".just", ".fish", ".dockerfile", ".containerfile":
		return true
	}
	if hasBase(base, shellFiles) {
		return true
	}
	return bytes.HasPrefix(data, []byte("#!")) && bytes.Contains(data[:min(len(data), 80)], []byte("sh"))
}

// shellFiles are the names of files in which commands of a shell stand between words of their own.
var shellFiles = []string{"makefile", "gnumakefile", "dockerfile", "containerfile", "justfile", "earthfile"}

// heredoc is the start of a here document: << EOF, <<-'EOF', <<~EOF of Ruby.
var heredoc = lazyregexp.New(`<<[-~]?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// shell reads a script; here documents are documents of their own.
func (a *analysis) shell(v *text.View) {
	a.heredocs(v, InShell, func(s source.Span) { a.shellText(v, s) })
}

// heredocs reads the here documents of a text; between is given what stands
// before, between and behind them.
func (a *analysis) heredocs(v *text.View, m Mode, between func(source.Span)) {
	rest := 0
	var ends map[string][]int // the lines of one word
	for rest < len(v.Data) {
		found := heredoc.FindSubmatchIndex(v.Data[rest:])
		if found == nil {
			break
		}
		if ends == nil {
			ends = text.WordLines(v.Data)
		}
		end, after := text.HeredocEnd(v.Data, ends[string(v.Data[rest+found[4]:rest+found[5]])], rest+found[1])
		if end < 0 {
			between(source.Span{Start: rest, End: rest + found[1]})
			rest += found[1]
			continue
		}
		_, body := text.LineEnd(v.Data, rest+found[1], len(v.Data))
		between(source.Span{Start: rest, End: body})
		in := v.Sub(source.Span{Start: body, End: end})
		in.Depth = v.Depth + 1
		if len(a.Tokens(in.Data)) > 0 {
			a.embedded(in, m)
		}
		rest = after
	}
	between(source.Span{Start: rest, End: len(v.Data)})
}

// shellText reads the part of a script outside of here documents.
func (a *analysis) shellText(v *text.View, s source.Span) {
	in := v.Sub(s)
	read := 0 // behind the last document in quotes
	for _, tok := range a.Tokens(in.Data) {
		if tok.Group.Start < read {
			continue
		}
		line := bytes.TrimLeft(in.Data[text.LineStart(in.Data, tok.Word.Start):tok.Word.Start], " \t")
		switch {
		case bytes.HasPrefix(line, []byte("#")):
			a.phrase(in, tok, InComment)
		case a.quotedJSON(in, tok, &read):
		case bytes.HasSuffix(line, []byte(`"apiVersion": "`)), bytes.HasSuffix(line, []byte("apiVersion: ")):
			a.phrase(in, tok, InCode)
		default:
			a.phrase(in, tok, InShell)
		}
	}
}

// longestQuoted is how far from a name the quote is looked for in which a script
// has JSON, in bytes.
const longestQuoted = 10 * text.Nearby

// quotedJSON reads the JSON in single quotes that a token stands in, as one
// document; false where it stands in none. read is set behind it.
func (a *analysis) quotedJSON(v *text.View, tok Token, read *int) bool {
	low := max(*read, tok.Group.Start-longestQuoted)
	open := bytes.LastIndexByte(v.Data[low:tok.Group.Start], '\'')
	end := bytes.IndexByte(v.Data[tok.Group.End:min(len(v.Data), tok.Group.End+longestQuoted)], '\'')
	if open < 0 || end < 0 || v.Depth >= maxNesting {
		return false
	}
	s := source.Span{Start: low + open + 1, End: tok.Group.End + end}
	if content := bytes.TrimLeft(s.Of(v.Data), " \t\r\n"); len(content) == 0 || content[0] != '{' && content[0] != '[' || !json.Valid(content) {
		return false
	}
	in := v.Sub(s).Within(v, text.Verbatim("'", true))
	in.Depth = v.Depth + 1
	a.json(in, false)
	*read = s.End
	return true
}

// What stands around the words of a shell in which groups are looped over, compared and
// chosen by, without quotes.
var (
	loopBefore = rx(`(^|[\s;&|(])for\s+[A-Za-z_]\w*\s+in\s+([^;#]*\s)?$`, "for")
	testBefore = rx(`(\[\[?|\btest)\s[^\];]*\$[^\];]*\s!?==?\s*$`, "=")
	testBehind = rx(`^(\s+(\]|&&|\|\||-[ao]\s)|\s*(;|$))`)
	caseBefore = rx(`^(.*(\sin\s|;;))?\s*\(?([^\s()]+\s*\|\s*)*$`)
	caseBehind = rx(`^(\s*\|[^()$]*)?\)`)
	// ownVariable is (1) the variable that a loop sets, or that stands before a name.
	ownVariable = lazyregexp.New(`(?:\bfor\s+|\$\{?)([A-Za-z_]\w*)`)
)

// ofNoHost says whether the variable that a name of a loop or of a comparison is the value
// of speaks of nothing else than a group.
func ofNoHost(p *spot) bool {
	all := ownVariable.FindAllSubmatch(p.left, -1)
	return len(all) > 0 && speaksOf(string(all[len(all)-1][1]), false) == nil
}
