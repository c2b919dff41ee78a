package find

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

func isShell(base, ext string, data []byte) bool {
	switch ext {
	case ".sh", ".bash", ".zsh", ".ksh", ".bats", ".mk", ".ps1", ".fish", ".dockerfile", ".containerfile":
		return true
	}
	for _, name := range []string{"makefile", "gnumakefile", "dockerfile", "containerfile", "justfile", "tiltfile", "jenkinsfile"} {
		if base == name || strings.HasPrefix(base, name+".") {
			return true
		}
	}
	return bytes.HasPrefix(data, []byte("#!")) && bytes.Contains(data[:min(len(data), 80)], []byte("sh"))
}

// heredoc is the start of a here document: << EOF, <<-'EOF'.
var heredoc = regexp.MustCompile(`<<-?\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// shell reads a script; here documents are documents of their own.
func (a *analysis) shell(v *text.View) {
	rest := 0
	var ends map[string][]int // the lines of one word
	for rest < len(v.Data) {
		m := heredoc.FindSubmatchIndex(v.Data[rest:])
		if m == nil {
			break
		}
		if ends == nil {
			ends = text.WordLines(v.Data)
		}
		end, after := text.HeredocEnd(v.Data, ends[string(v.Data[rest+m[4]:rest+m[5]])], rest+m[1])
		if end < 0 {
			a.shellText(v, source.Span{Start: rest, End: rest + m[1]})
			rest += m[1]
			continue
		}
		_, body := text.LineEnd(v.Data, rest+m[1], len(v.Data))
		a.shellText(v, source.Span{Start: rest, End: body})
		in := v.Sub(source.Span{Start: body, End: end})
		in.Depth = v.Depth + 1
		if len(a.Tokens(in.Data)) > 0 {
			a.embedded(in, InShell)
		}
		rest = after
	}
	a.shellText(v, source.Span{Start: rest, End: len(v.Data)})
}

// shellText reads the part of a script outside of here documents.
func (a *analysis) shellText(v *text.View, s source.Span) {
	in := v.Sub(s)
	for _, tok := range a.Tokens(in.Data) {
		line := bytes.TrimLeft(in.Data[text.LineStart(in.Data, tok.Word.Start):tok.Word.Start], " \t")
		switch {
		case bytes.HasPrefix(line, []byte("#")):
			a.phrase(in, tok, InComment)
		case bytes.HasSuffix(line, []byte(`"apiVersion": "`)), bytes.HasSuffix(line, []byte("apiVersion: ")):
			a.phrase(in, tok, InCode)
		default:
			a.phrase(in, tok, InShell)
		}
	}
}
