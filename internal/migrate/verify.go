package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// parse says whether a parser takes the documents of a span. An error carries
// its place.
func parse(path string, file []byte, s source.Span) error {
	dec := yaml.NewDecoder(bytes.NewReader(text.YAML11(s.Of(file))))
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return placeOf(path, file, s, err)
		}
	}
}

// unknownEscape is the parser's word for something like "\." in double quotes,
// which spoils one value, and not what is around it.
const unknownEscape = "found unknown escape character"

// placeholders says whether text has marks that another program fills in.
func placeholders(data []byte) bool {
	return bytes.Contains(data, []byte("${")) || bytes.Contains(data, []byte("$(")) || bytes.Contains(data, []byte("@@")) || formatted.Match(data) || braced.Match(data)
}

// formatted is a value that a printf fills in.
var formatted = lazyregexp.New(`:\s+%[-+#0]*[0-9.]*[sdvqx]`)

// braced is a value in which a name in braces is filled in: {registry}/app. A
// name alone in braces is a mapping in YAML.
var braced = lazyregexp.New(`(?m)^[^#\n]*(:|-)\s+[^\s{#"'\[]*\{[A-Za-z_][A-Za-z0-9_.-]*\}[^\s,}\]#]`)

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
