package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A describer reads the comments of struct fields where types are declared.
type describer struct {
	t        *testing.T
	packages map[string]map[string]*ast.StructType // by folder and type
	keys     []describedKey
}

type describedKey struct{ key, kind, doc string }

// words are the values of keys that take one of a few.
var words = map[string][]string{
	"migrate.mode":               {"replace", "dual"},
	"migrate.go-version-package": {"move", "copy", "leave"},
	"migrate.only[]":             migrate.Formats(),
	"release.state":              {"auto", "file", "git"},
	"stack.places[].kind": func() (names []string) {
		for _, k := range stack.Kinds {
			names = append(names, k.Name)
		}
		return names
	}(),
}

// goWords are words of Go, and of comments on Go, that users do not read.
var goWords = regexp.MustCompile(`\bnil\b|\bKinds\b|^An? [A-Za-z]+ (is|says)\b|\bstruct\b|\b(bool|int|string)s?\b|\bthe zero value\b|\b(stands?|nobody|somebody|beside)\b|\ba person\b|\btold\b`)

// TestGoWords: the words that the reference refuses, and those that it takes.
func TestGoWords(t *testing.T) {
	for text, want := range map[string]bool{
		"how it is written; nil = as the stack's": true, "one of Kinds": true, "A tracked is a component": true, "An Allow is a known exception": true,
		"where the table stands": true, "the OLM catalog; empty = none": false, "a tag or a branch": false, "of the kinds that the check knows": false,
	} {
		if got := goWords.MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// structOf is the syntax of a struct type of this module.
func (d *describer) structOf(t reflect.Type) *ast.StructType {
	dir := "../../" + strings.TrimPrefix(t.PkgPath(), module)
	if t.PkgPath() == "main" || strings.HasSuffix(t.PkgPath(), "cmd/cfctl") {
		dir = "."
	}
	if d.packages[dir] == nil {
		d.packages[dir] = map[string]*ast.StructType{}
		files, _ := filepath.Glob(dir + "/*.go")
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				d.t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if s, ok := spec.Type.(*ast.StructType); ok {
						d.packages[dir][spec.Name.Name] = s
					}
				}
				return true
			})
		}
	}
	return d.packages[dir][t.Name()]
}

// fieldOf is the syntax of a field.
func fieldOf(s *ast.StructType, name string) *ast.Field {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return f
			}
		}
	}
	return nil
}

// comment is what is next to a field, else above it, else inside of its braces.
func comment(f *ast.Field) string {
	text := f.Comment.Text()
	if text == "" {
		text = f.Doc.Text()
	}
	return strings.TrimSpace(strings.Join(strings.Fields(text), " "))
}

// object is the schema of a struct, with the keys below key.
func (d *describer) object(key string, t reflect.Type, s *ast.StructType) map[string]any {
	props := map[string]any{}
	d.fields(key, t, s, props)
	return map[string]any{"type": "object", "additionalProperties": false, "properties": props}
}

func (d *describer) fields(key string, t reflect.Type, s *ast.StructType, props map[string]any) {
	if s == nil {
		d.t.Fatalf("%s: the declaration of %s is not found", key, t)
	}
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if strings.Contains(opts, "inline") {
			d.fields(key, f.Type, d.structOf(f.Type), props)
			continue
		}
		at := strings.TrimPrefix(key+"."+name, ".")
		syntax := fieldOf(s, f.Name)
		if syntax == nil {
			d.t.Fatalf("%s: no field %s", at, f.Name)
		}
		doc := comment(syntax)
		if m := goWords.FindString(doc); m != "" {
			d.t.Errorf("%s: %q is for readers of the code, not for users: %s", at, m, doc)
		}
		if doc == "" {
			d.t.Errorf("%s is not described: %s.%s has no comment", at, t, f.Name)
		}
		p := d.value(at, f.Type, syntax.Type, doc)
		p["description"] = doc
		props[name] = p
	}
}

func (d *describer) value(key string, t reflect.Type, syntax ast.Expr, doc string) map[string]any {
	note := func(kind string) { d.keys = append(d.keys, describedKey{key, kind, doc}) }
	switch {
	case t == reflect.TypeFor[time.Time]():
		note("time")
		return map[string]any{"type": "string"}
	case t.Kind() == reflect.Pointer:
		return d.value(key, t.Elem(), syntax, doc)
	case t.Kind() == reflect.Struct:
		note("section")
		s, ok := syntax.(*ast.StructType)
		if !ok {
			s = d.structOf(t)
		}
		return d.object(key, t, s)
	case t.Kind() == reflect.Slice:
		if t.Elem().Kind() != reflect.Struct {
			note("list")
			keys := len(d.keys)
			items := d.value(key+"[]", t.Elem(), nil, "")
			d.keys = d.keys[:keys]
			return map[string]any{"type": "array", "items": items}
		}
		note("list")
		return map[string]any{"type": "array", "items": d.object(key+"[]", t.Elem(), d.structOf(t.Elem()))}
	case t.Kind() == reflect.Map:
		note("mapping")
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	case t.Kind() == reflect.Bool:
		note("true or false")
		return map[string]any{"type": "boolean"}
	case t.Kind() == reflect.Int:
		note("number")
		return map[string]any{"type": "integer"}
	}
	p := map[string]any{"type": "string"}
	if list := words[key]; list != nil {
		p["enum"] = append([]string{""}, list...)[1:]
	}
	note("text")
	return p
}

// describe makes the schema, and lists the keys in their order.
func describe(t *testing.T) (schema map[string]any, keys []describedKey) {
	t.Helper()
	d := &describer{t: t, packages: map[string]map[string]*ast.StructType{}}
	schema = d.object("", reflect.TypeFor[config.Config](), d.structOf(reflect.TypeFor[config.Config]()))
	schema["$schema"], schema["$id"], schema["title"] = draft, schemaID, config.Name+" of cfctl"
	return schema, d.keys
}
