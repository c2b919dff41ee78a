package migrate

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// saysGroup says whether a Go file gives a name a string that is one of those to
// look for, or a longer domain of it.
func saysGroup(data []byte, old *source.Finder) bool {
	for from := 0; ; {
		at, needle := old.Index(data, from)
		if at < 0 {
			return false
		}
		from = at + len(needle)
		start := len(bytes.TrimRight(data[:at], domainBytes))
		end := len(data) - len(bytes.TrimLeft(data[at:], domainBytes))
		quoted := start > 0 && data[start-1] == '"' && end < len(data) && data[end] == '"'
		if before := bytes.TrimRight(data[:max(start-1, 0)], " \t\r\n"); quoted && (bytes.HasSuffix(before, []byte("=")) || bytes.HasSuffix(before, []byte(":"))) {
			return true
		}
	}
}

// domainBytes are what a group is made of.
const domainBytes = "abcdefghijklmnopqrstuvwxyz0123456789-."

// owns notes the names to which a Go file gives a group as a string, when it gives
// one a name to look for.
func (k *goKeys) owns(name string, data []byte, old *source.Finder) {
	if !strings.HasSuffix(name, ".go") || !saysGroup(data, old) {
		return
	}
	f := parseKeys(name, withoutFunctions(data, old))
	if f == nil {
		f = parseKeys(name, data)
	}
	if f == nil {
		return
	}
	f.eachValue(func(of string, value ast.Expr) {
		if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.groups = append(k.groups, goGroup{goName{path.Dir(k.place(name)), of}, name, f.span(lit)})
		}
	})
}

// withoutFunctions is a Go file with blanks for its functions, as gofmt leaves them, that
// hold none of the names to look for: what else it declares stands where it stood.
// Where that is no Go, a line that is no function looked like one.
func withoutFunctions(data []byte, old *source.Finder) []byte {
	out := bytes.Clone(data)
	for at := 0; ; {
		n := bytes.Index(data[at:], []byte("\nfunc "))
		if n < 0 {
			return out
		}
		start := at + n + 1
		at, _ = text.LineEnd(data, start, len(data))
		size := bytes.Index(data[at:], []byte("\n}\n"))
		if size < 0 {
			return out
		}
		if end := at + size + len("\n}"); data[at-1] == '{' && !old.Match(data[start:end]) {
			for i := start; i < end; i++ {
				out[i] = ' '
			}
			at = end
		}
	}
}

// parseKeys is a Go file, nil for one that is none.
func parseKeys(name string, data []byte) *goFile {
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return &goFile{name: name, data: data, set: set, File: file}
}
