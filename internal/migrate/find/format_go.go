package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// generatedMark is the line that says that a file was written by a program.
// Source: https://go.dev/s/generatedcode
var generatedMark = lazyregexp.New(`(?m)^(?:\x{feff})?(?://|#|<!--|;)\s*Code generated (?:by )?(\S*).*DO NOT EDIT\.?`)

// regenerated reports the names in a generated file whose versions or kinds
// may change: its generator makes another one from other Go types. So does one that
// embeds files from what becomes of these.
func (a *analysis) regenerated(v *text.View) bool {
	toks := slices.DeleteFunc(a.Tokens(v.Data), func(t Token) bool { return !a.namesGroup(t) })
	if !embeds(v.Data) && !slices.ContainsFunc(toks, func(t Token) bool { return a.remade[t.Known.Group] }) {
		return false
	}
	a.all(v, toks, Remade)
	return true
}

// all reports tokens as what they are in a file of one kind. A name below a group
// (acme.old.example.com) is another group, a key, or a resource of the tree.
func (a *analysis) all(v *text.View, toks []Token, place *Place) {
	for _, t := range toks {
		switch in := domain(t.Shape); {
		case in != nil:
			a.at(v, t, in)
		case isKeyNamed(v.Data, t):
			a.at(v, t, KeyLike)
		case t.Shape == Key && mayBeResource(t):
			s := Site{Doc: v, Token: t, Place: Perhaps}
			s.Facts.Plural = t.Prefix
			a.found(s)
		case t.Shape == Key:
			a.at(v, t, KeyLike)
		case importLine.Match(text.LineAround(v.Data, t.Word).Of(v.Data)): // a folder keeps its name, which no generator chose
			a.at(v, t, RemadeImport)
		default:
			a.at(v, t, place)
		}
	}
}

// importLine is a line of Go that imports a package.
var importLine = lazyregexp.New(`^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"]+)"\s*$`)

// ImportedBy is the path of the package that a line of a Go file imports, "" for any
// other line.
func ImportedBy(line []byte) string {
	m := importLine.FindSubmatch(line)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// isKeyNamed says whether a name is the value of a constant or field that is named
// after a key or finalizer, as generated reconcilers have one.
// Source: knative.dev/pkg, codegen/cmd/injection-gen.
func isKeyNamed(data []byte, t Token) bool {
	m := valueNamed.FindSubmatch(data[text.LineAround(data, t.Word).Start:t.Word.Start])
	return m != nil && anyOf(keyShapes, t.Shape) && keyVariable.Match(m[1])
}

var valueNamed = lazyregexp.New(`([A-Za-z_]\w*)\s*(?::=|=|:)\s*["\x60]$`)

// golang reads Go source: literals and comments like any language, and the
// identifiers of generated clients.
func (a *analysis) golang(v *text.View) {
	a.home = PackageVersion(v.Data)
	if IsGenerated(v.Data) && a.regenerated(v) {
		a.typedCalls(v)
		return
	}
	toks := a.Tokens(v.Data)
	if IsClient(v.Data) && !slices.ContainsFunc(toks, func(t Token) bool { return !a.plain[t.Known.Group] }) {
		a.all(v, toks, InClient) // as its generator would for the new group: names in comments too
	} else {
		a.code(v, text.Languages["go"])
	}
	a.identifiers(v)
	a.typedCalls(v)
}

var packageClause = lazyregexp.New(`(?m)^(?:\x{feff})?package (v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)\s*(?://.*)?$`)

// PackageVersion is the API version that a Go package is named after, or "":
// such a package is that version, and what it says of a group without a
// version is said of it.
func PackageVersion(data []byte) string {
	if !bytes.Contains(data, []byte("package v")) {
		return ""
	}
	if m := packageClause.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// IsGenerated says whether some generator wrote the file.
func IsGenerated(data []byte) bool { return generator(data) != nil }

// generator is the name of the program that wrote a file, nil for a file that
// a person wrote and "" for a program that does not say its name.
func generator(data []byte) []byte {
	head := data[:min(len(data), 4096)]
	if !bytes.Contains(head, []byte("Code generated")) {
		return nil
	}
	m := generatedMark.FindSubmatch(head)
	if m == nil {
		return nil
	}
	return m[1]
}

// embeds says whether a generated file holds the bytes of other files: their names stand in
// it as they are, and what is in them mostly does not.
// Source: github.com/go-bindata/go-bindata, rakyll/statik, shurcooL/vfsgen, mjibson/esc, UnnoTed/fileb0x.
func embeds(data []byte) bool {
	return IsGenerated(data) && embedder.Match(data[:min(len(data), 4096)])
}

var embedder = lazyregexp.New(`Code generated (?:for package \S+ )?by "?(?:go-bindata(?:-assetfs)?|statik|vfsgen|esc|fileb0x)\b`)

// IsClient says whether the file was written by one of the generators whose
// output follows from the group's name alone.
func IsClient(data []byte) bool {
	switch string(generator(data)) {
	case "client-gen.", "informer-gen.", "lister-gen.", "applyconfiguration-gen.", "client-gen", "informer-gen", "lister-gen", "applyconfiguration-gen":
		return true
	}
	return false
}

// identifiers finds the names that generated clients have for a group. They
// change only when the client itself is in the tree.
func (a *analysis) identifiers(v *text.View) {
	for _, c := range a.clients {
		a.identifier(v, c, c.Name)
		a.identifier(v, c, strings.ToLower(c.Name[:1])+c.Name[1:])
	}
}

// isAccessor says whether a name is that of the method which leads from an
// informer factory to a group: called with a version behind, or declared in
// generated code.
func isAccessor(rest []byte, generated bool) bool {
	return bytes.HasPrefix(rest, []byte("().V")) || generated && bytes.HasPrefix(rest, []byte("()"))
}

var clientTail = lazyregexp.New(`^(V[0-9]+((alpha|beta|Alpha|Beta)[0-9]+)?(Client|Interface|Informer)?|v[0-9]+((alpha|beta)[0-9]+)?)?\b`)

// identifier records every identifier that begins with a client's name.
func (a *analysis) identifier(v *text.View, c ClientName, old string) {
	generated := IsClient(v.Data)
	imports := map[string]string{}
	for at := 0; ; {
		n := bytes.Index(v.Data[at:], []byte(old))
		if n < 0 {
			return
		}
		at += n
		start := at
		at += len(old)
		tail := clientTail.Find(v.Data[at:])
		if len(tail) == 0 && !(old[0] >= 'A' && old[0] <= 'Z' && isAccessor(v.Data[at:], generated)) {
			continue
		}
		head := v.Data[:start]
		fake := bytes.HasSuffix(head, []byte("Fake")) || bytes.HasSuffix(head, []byte("fake")) || bytes.HasSuffix(head, []byte("New"))
		if start > 0 && text.IsIdent(v.Data[start-1]) && !fake {
			continue
		}
		if start > 0 && bytes.IndexByte([]byte("/\"-"), v.Data[start-1]) >= 0 {
			continue // part of a path
		}
		word := source.Span{Start: start, End: at + len(tail)}
		name := source.Span{Start: start, End: at}
		s := Site{Doc: v, Token: Token{Group: name, Word: word, Known: rules.GVK{Group: c.Group}}, Place: Identifier, Name: old}
		s.Facts.Version = clientVersion(tail, v.Data[word.End:])
		if !generated {
			s.Imports = importsAs(v.Data, string(word.Of(v.Data)), imports)
		}
		a.found(s)
	}
}

// importsAs is the package that a Go file imports under a name of its own, "" for a name
// that is none. Known are those that were asked for.
func importsAs(data []byte, name string, known map[string]string) string {
	if imported, ok := known[name]; ok {
		return imported
	}
	known[name] = ""
	if i := bytes.Index(data, []byte(name+" \"")); i > 0 && bytes.IndexByte([]byte(" \t\n"), data[i-1]) >= 0 {
		known[name] = ImportedBy(text.LineAround(data, source.Span{Start: i, End: i + len(name)}).Of(data))
	}
	return known[name]
}

// clientVersion is the version that an identifier of a generated client tells, in lower
// case: v1 of OldV1Client, and of Old with ().V1() behind. Empty = none.
func clientVersion(tail, rest []byte) string {
	if len(tail) == 0 {
		tail = bytes.TrimPrefix(rest, []byte("()."))
	}
	return strings.ToLower(string(versionTail.Find(tail)))
}

var versionTail = lazyregexp.New(`^[vV][0-9]+((alpha|beta|Alpha|Beta)[0-9]+)?`)
