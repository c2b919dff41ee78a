package stack

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// imageTag finds the tag of an image reference: "v1.2.0" of
// "quay.io/org/name:v1.2.0@sha256:...". Without a tag the span is empty.
func imageTag(ref string) source.Span {
	end := len(ref)
	if i := strings.IndexByte(ref, '@'); i >= 0 {
		end = i
	}
	colon := strings.LastIndexByte(ref[:end], ':')
	if colon < 0 || strings.Contains(ref[colon:end], "/") {
		return source.Span{Start: end, End: end}
	}
	return source.Span{Start: colon + 1, End: end}
}

// SplitImage splits a reference; what it does not have is empty.
func SplitImage(ref string) (repository, tag, digest string) {
	rest, digest, _ := strings.Cut(ref, "@")
	t := imageTag(rest)
	if t.Len() == 0 {
		return rest, "", digest
	}
	return rest[:t.Start-1], rest[t.Start:t.End], digest
}

// value makes a hit of a value, or of the tag in it when the place is of images.
// An image that is pinned by digest alone is no hit; one without either is a
// hit of no text, where the tag is missing.
func (p *Place) value(data []byte, span source.Span) (hits []hit) {
	if p.Image {
		if !p.names(string(span.Of(data))) {
			return nil
		}
		ref := string(span.Of(data))
		tag := imageTag(ref)
		if i := strings.IndexByte(ref, '@'); p.Digest && i >= 0 {
			hits = append(hits, hit{span: source.Span{Start: span.Start + i + 1, End: span.End}, part: PartDigest})
		}
		span = source.Span{Start: span.Start + tag.Start, End: span.Start + tag.End}
		if ref != "" && tag.Len() == 0 && !strings.Contains(ref, "@") && !strings.HasSuffix(ref, ":") {
			return append(hits, hit{span: span, part: partNoTag, before: ":"})
		}
	}
	if span.Len() == 0 {
		return hits
	}
	return append(hits, hit{span: span})
}

// PartDigest marks the digest of an image at a place with Digest: it is no
// version, and set leaves it.
const PartDigest = "digest"

// partNoTag marks where the tag of an image is missing.
const partNoTag = "no tag"

// partNoRef marks where a remote resource of a kustomization has no version.
const partNoRef = "no ref"

// names says whether an image reference is of the image that the place wants.
func (p *Place) names(ref string) bool {
	repository := strings.TrimSuffix(ref[:imageTag(ref).Start], ":")
	return p.Named == "" || repository == p.Named || strings.HasSuffix(repository, "/"+p.Named)
}

// findMakeVar follows a value that is nothing but another variable to that
// variable, so that what is written is where the version stands. A value that
// is put together from variables is no hit: those are where it stands.
func findMakeVar(p *Place, f *file) (hits []hit, err error) {
	vars := f.makefile().vars
	seen := map[string]bool{}
	var add func(key string)
	add = func(key string) {
		seen[key] = true
		for _, v := range vars[key] {
			if ref := makeRef.Get().FindString(v.Text); ref != "" && ref == v.Text {
				if next := ref[2 : len(ref)-1]; !seen[next] {
					add(next)
				}
			} else if ref == "" {
				hits = append(hits, p.value(f.data, v.span)...)
			}
		}
	}
	add(p.Key)
	return hits, nil
}

// ParseGoMod parses a go.mod; one that does not parse is a *source.Error.
func ParseGoMod(path string, data []byte) (*modfile.File, error) {
	f, err := modfile.Parse(path, data, nil)
	return f, goModError(path, err)
}

// ParseGoWork is ParseGoMod for a go.work.
func ParseGoWork(path string, data []byte) (*modfile.WorkFile, error) {
	f, err := modfile.ParseWork(path, data, nil)
	return f, goModError(path, err)
}

func goModError(path string, err error) error {
	if list, ok := errors.AsType[modfile.ErrorList](err); ok && len(list) > 0 {
		return &source.Error{Path: path, Pos: source.Position{Line: list[0].Pos.Line, Column: list[0].Pos.LineRune}, Err: list[0].Err}
	}
	if err != nil {
		return &source.Error{Path: path, Err: err}
	}
	return nil
}

// findRequire finds direct requirements: an indirect one follows from others.
func findRequire(p *Place, f *file) (hits []hit, err error) {
	mod, err := ParseGoMod(f.path, f.data)
	for i := 0; err == nil && i < len(mod.Require); i++ {
		if r := mod.Require[i]; r.Mod.Path == p.Key && !r.Indirect {
			hits = append(hits, hit{span: LastToken(f.data, r.Syntax)})
		}
	}
	return hits, err
}

func findReplace(p *Place, f *file) (hits []hit, err error) {
	mod, err := ParseGoMod(f.path, f.data)
	for i := 0; err == nil && i < len(mod.Replace); i++ {
		if r := mod.Replace[i]; r.Old.Path == p.Key && r.New.Version != "" {
			hits = append(hits, hit{span: LastToken(f.data, r.Syntax)})
		}
	}
	return hits, err
}

// LastToken is the span of the last word of a go.mod line: the version of a
// requirement or replacement.
func LastToken(data []byte, line *modfile.Line) source.Span {
	text, _, _ := bytes.Cut(data[line.Start.Byte:line.End.Byte], []byte("//"))
	text = bytes.TrimRight(text, " \t\r\n")
	start := bytes.LastIndexAny(text, " \t") + 1
	s := source.Span{Start: line.Start.Byte + start, End: line.Start.Byte + len(text)}
	if c := data[s.Start]; s.Len() > 2 && (c == '"' || c == '`') {
		s.Start, s.End = s.Start+1, s.End-1
	}
	return s
}

// findGoConst finds constants and variables at the top of a Go file that are
// set to a plain string.
func findGoConst(p *Place, f *file) ([]hit, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.path, f.data, parser.SkipObjectResolution)
	if err != nil {
		if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
			return nil, &source.Error{Path: f.path, Pos: source.Position{Line: list[0].Pos.Line, Column: list[0].Pos.Column}, Err: errors.New(list[0].Msg)}
		}
		return nil, &source.Error{Path: f.path, Err: err}
	}
	other := ""
	if built, err := linux(f.data).MatchFile("", path.Base(f.path)); err == nil && !built {
		other = "another file, as no build for Linux has this one," // its build constraint
	}
	var hits []hit
	for _, decl := range parsed.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, name := range v.Names {
				if name.Name != p.Key || i >= len(v.Values) {
					continue
				}
				if lit, ok := v.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					at := fset.Position(lit.Pos()).Offset
					for _, h := range p.value(f.data, source.Span{Start: at + 1, End: at + len(lit.Value) - 1}) {
						h.other = other
						hits = append(hits, h)
					}
				}
			}
		}
	}
	return hits, nil
}

// linux is the build of a file with a content for Linux.
func linux(data []byte) *build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags = "linux", "amd64", true, nil
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return &c
}

// goConstPresent says whether a Go file declares the name at its top.
func goConstPresent(p *Place, data []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), p.Path, data, 0)
	return err == nil && f.Scope.Lookup(p.Key) != nil //nolint:staticcheck // the file's own scope is all that is asked
}

// Lines of files that have a value: {} stands for the key, the group for the value.
const (
	makeText     = `^ *{}[ \t]*(?:\?|::?)?=[ \t]*([^\s#]+)`
	propertyText = `^[ \t]*(?:export[ \t]+)?{}[ \t]*=[ \t]*["']?([^\s"'#]*)`
	argText      = `(?i)^[ \t]*(?:ARG|ENV)[ \t](?:.*[ \t])?["']?{}(?:=|[ \t]+)["']?([^\s"']+)` // ENV wins over ARG
	fromImage    = `(?i)(?:^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*|[ \t]--(?:\S+,)?from=)["']?{}`
	fromText     = fromImage + `:([^\s@,"']+)`
	fromNoTag    = fromImage + `()(?:[\s,"']|$)`
	stageText    = `(?i)^[ \t]*FROM[ \t].*[ \t]AS[ \t]+({})[ \t]*$`
)

// findLine finds the lines of a text with the place's key.
func findLine(text string) func(*Place, *file) ([]hit, error) {
	return func(p *Place, f *file) (hits []hit, err error) {
		for _, span := range groups(f.data, text, p.Key) {
			hits = append(hits, p.value(f.data, span)...)
		}
		return hits, nil
	}
}

// groups are the first groups of the lines of a text with a key.
func groups(data []byte, text, key string) (list []source.Span) {
	re := regexp.MustCompile("(?m)" + strings.Replace(text, "{}", regexp.QuoteMeta(key), 1))
	for _, m := range re.FindAllSubmatchIndex(data, -1) {
		list = append(list, source.Span{Start: m[2], End: m[3]})
	}
	return list
}

// findDocker follows a value that is nothing but an argument with a default to that
// argument, so that what is written is where the version stands.
func findDocker(text string) func(*Place, *file) ([]hit, error) {
	return func(p *Place, f *file) (hits []hit, err error) {
		data := oneLined(p.Kind, f.data)
		seen := map[string]bool{}
		var add func(text, key string)
		add = func(text, key string) {
			for _, span := range groups(data, text, key) {
				value := string(span.Of(data))
				name := strings.Trim(dockerRef.Get().FindString(value), "${}")
				if name == "" || slices.Contains(p.Skip, value) || len(groups(data, argText, name)) == 0 {
					hits = append(hits, p.value(f.data, span)...)
				} else if !seen[name] {
					seen[name] = true
					add(argText, name)
				}
			}
		}
		if add(text, p.Key); text == fromText && len(groups(data, stageText, p.Key)) == 0 {
			for _, span := range groups(data, fromNoTag, p.Key) {
				hits = append(hits, hit{span: span, part: partNoTag, before: ":"})
			}
		}
		return hits, nil
	}
}

var dockerRef = lazyregexp.New(`^\$(?:\w+|\{\w+\})$`)

// oneLined is a Dockerfile with blanks in place of its comments and of what lets an
// instruction go on in the next line: each is one line, and everything at its offset.
// Source: https://docs.docker.com/reference/dockerfile/
func oneLined(kind string, data []byte) []byte {
	if !strings.HasPrefix(kind, "dockerfile-") {
		return data
	}
	return []byte(dockerJoin.Get().ReplaceAllStringFunc(string(data), func(text string) string { return strings.Repeat(" ", len(text)) }))
}

var dockerJoin = lazyregexp.New(`(?m)^[ \t]*#.*\n?|\\[ \t]*\r?\n`)

func compilePattern(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if re.NumSubexp() != 1 {
		return nil, fmt.Errorf("pattern %s must have one group around the version, not %s", strconv.Quote(pattern), strconv.Itoa(re.NumSubexp()))
	}
	return re, nil
}

// maxPattern is how many steps a pattern may have: repeats of repeats multiply them,
// and the time that it takes for each byte.
const maxPattern = 1000

// stepsOf is how many steps a pattern has.
func stepsOf(pattern string) (int, error) {
	if _, err := compilePattern(pattern); err != nil {
		return 0, err
	}
	tree, err := syntax.Parse("(?m)"+pattern, syntax.Perl)
	if err != nil {
		return 0, fmt.Errorf("pattern: %w", err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err == nil && len(prog.Inst) > maxPattern {
		err = fmt.Errorf("pattern %.40q repeats too much: it has %d steps, the most are %d", pattern, len(prog.Inst), maxPattern)
	}
	return len(prog.Inst), err
}

// longestText is the longest text that a pattern has as it stands.
func longestText(pattern *syntax.Regexp) string {
	if pattern.Op == syntax.OpLiteral {
		return string(pattern.Rune)
	}
	longest := ""
	for _, part := range pattern.Sub {
		if text := longestText(part); len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}

func findPattern(p *Place, f *file) ([]hit, error) {
	re, err := compilePattern(p.Key)
	if err != nil {
		return nil, err
	}
	var hits []hit
	for _, m := range re.FindAllSubmatchIndex(f.data, -1) {
		hits = append(hits, p.value(f.data, source.Span{Start: m[2], End: m[3]})...)
	}
	return hits, nil
}
