package find

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// formatNames are those of the documents below: a group with clients, and one
// whose types change.
var formatNames = NewNames(Wanted{
	Known: []rules.GVK{
		{Group: "old.example.com", Version: "v1", Kind: "Apple", Plural: "apples"},
		{Group: "old.example.com", Version: "v1", Kind: "Cherry", Plural: "cherries"},
		{Group: "next.example.com", Version: "v1", Kind: "Fig", Plural: "figs"},
		{Group: "policy", Version: "v1beta1", Kind: "PodDisruptionBudget"},
	},
	Groups: []string{"some.example.com"}, Keys: []string{"key.example.com/", "key.example.com/exact"},
	Kinds: []string{"Apple", "Cherry", "Fig"}, Plain: []string{"old.example.com"}, Remade: []string{"next.example.com"},
	Clients: []ClientName{{Group: "old.example.com", Name: "Old"}},
})

// lines are the sites of a file, each as line:column, role, place and name.
func sites(file, content string) []string {
	var got found
	data := []byte(content)
	FormatOf(file, data).Read(formatNames, file, data, &got)
	type at struct {
		offset int
		text   string
	}
	var list []at
	for _, s := range got {
		if s.Place == InProject {
			continue
		}
		span := s.Doc.Span(s.Word)
		if s.Word.Len() == 0 {
			span = s.Doc.Span(s.Group)
		}
		before := content[:span.Start]
		line := 1 + strings.Count(before, "\n")
		column := span.Start - strings.LastIndexByte(before, '\n')
		more := ""
		if s.Facts != (rules.GVK{}) {
			more = " " + strings.Join(strings.Fields(s.Facts.Group+" "+s.Facts.Version+" "+s.Facts.Kind+s.Facts.Plural), " ")
		}
		if s.Home != "" {
			more += " in " + s.Home
		}
		list = append(list, at{span.Start, fmt.Sprintf("%d:%d %s %s%s", line, column, s.Place.ID, strings.ReplaceAll(string(span.Of(data)), "\n", "⏎"), more)})
	}
	slices.SortStableFunc(list, func(a, b at) int { return a.offset - b.offset })
	var out []string
	for _, x := range list {
		out = append(out, x.text)
	}
	return out
}

// Each file of testdata is a document of a format, with what is found in it
// below its last line of dashes.
func TestFormats(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		raw, err := os.ReadFile("testdata/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		content, want, _ := strings.Cut(string(raw), mark)
		file := strings.TrimSuffix(f.Name(), ".txt")
		seen[FormatOf(file, []byte(content)).Name] = true
		got := strings.Join(sites(file, content), "\n") + "\n"
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", f.Name(), got, want)
		}
		laws(t, file, content)
	}
	for _, name := range Formats() {
		if !seen[name] {
			t.Errorf("no document of the format %s", name)
		}
	}
}

const mark = "\n----- found -----\n"

// laws hold for the names in any text: the same ones in CRLF and behind a mark of
// the byte order, each of them once, none in what is cut off, nothing panics.
func laws(t *testing.T, file, content string) {
	t.Helper()
	names := func(list []string) []string {
		var out []string
		for _, x := range list {
			at, rest, _ := strings.Cut(x, " ")
			line, _, _ := strings.Cut(at, ":")
			out = append(out, line+" "+strings.ReplaceAll(rest, "\r", ""))
		}
		return out
	}
	plain := names(sites(file, content))
	if got := names(sites(file, strings.ReplaceAll(content, "\n", "\r\n"))); !slices.Equal(got, plain) {
		t.Errorf("%s with CRLF: got\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(plain, "\n"))
	}
	if got := names(sites(file, "\xef\xbb\xbf"+content)); !slices.Equal(got, plain) {
		t.Errorf("%s with a byte order mark: got\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(plain, "\n"))
	}
	for at := 0; at < len(content); at += 1 + len(content)/20 {
		sites(file, content[:at])
		sites(file, content[at:min(len(content), at+60)])
	}
	var reported found
	data := []byte(content)
	FormatOf(file, data).Read(formatNames, file, data, &reported)
	once := map[int]bool{}
	for _, s := range reported {
		if s.Place.Ask == Project || s.Place.Ask == Permission || s.Place.Ask == Marker || s.Place.Ask == Client || s.Place.Ask == Typed {
			continue
		}
		at := s.Doc.Start(s.Group.Start)
		if once[at] {
			t.Errorf("%s: %q at %d is reported twice", file, s.Group.Of(s.Doc.Data), at)
		}
		once[at] = true
		if string(s.Group.Of(s.Doc.Data)) != s.Known.Group || string(s.Doc.Span(s.Group).Of(data)) != s.Known.Group {
			t.Errorf("%s: %q at %d is %q in the file", file, s.Known.Group, at, s.Doc.Span(s.Group).Of(data))
		}
	}
}

// A file has the format of its name, and of its content where that tells.
func TestFormatOf(t *testing.T) {
	for file, want := range map[string]string{
		"a.ipynb": "notebook", "a.yaml": "yaml", "A.YML": "yaml", "a.yaml|a: {{ .x }}\n": "helm", "a.yaml|# {{ x }}\na: 'x {{ y }}'\n": "yaml", "a.yaml|{{ if x }}\na: b\n{{ end }}\n": "helm",
		"a.tpl": "helm", "a.json": "json", "a.jsonc": "json", "a.md": "markdown", "a.go": "go", "a.py": "python", "a.tsx": "typescript", "a.kt": "java", "a.rs": "rust",
		"a.sh": "shell", "Makefile": "shell", "Dockerfile.dev": "shell", "run|#!/bin/sh\n": "shell", "run|#!/usr/bin/env bash\n": "shell", "run|#!/usr/bin/perl\n": "text",
		"a.toml": "config", "a.rego": "config", "PROJECT|layout:\n": "yaml", "PROJECT|domain: x\n": "yaml", "PROJECT|the plan\n": "text", "a/project": "text", "README": "text", "": "text",
	} {
		name, content, _ := strings.Cut(file, "|")
		if got := FormatOf(name, []byte(content)); got.Name != want {
			t.Errorf("%q is %s, want %s", file, got.Name, want)
		}
	}
	if got := FormatsWith(JSON); len(got) != 1 || got[0] != "json" {
		t.Errorf("JSON: %v", got)
	}
	if got := FormatsWith(Objects | Streams); strings.Join(got, " ") != "helm yaml" {
		t.Errorf("streams: %v", got)
	}
	if !FormatOf("a.go", nil).Is(Gofmt) || FormatOf("a.md", nil).Is(Written|Pages) {
		t.Error("the traits")
	}
	var got found
	data := []byte("{{ x }}\napiVersion: old.example.com/v1\n")
	FormatOf("a.yaml", []byte("a: b")).AsTemplate().Read(formatNames, "a.yaml", data, &got)
	if len(got) != 1 || got[0].Place != APIVersion {
		t.Errorf("as a template: %v", got)
	}
}

// What is empty, huge or nothing but blanks has no names; a line as long as a
// file is read as far as it is near.
func TestOddInput(t *testing.T) {
	long := strings.Repeat("x ", 40_000)
	for _, f := range []string{"a.yaml", "a.tpl", "a.json", "a.md", "a.go", "a.py", "a.ts", "a.kt", "a.rs", "a.sh", "a.toml", "a.txt", "a.ipynb", "PROJECT"} {
		for _, in := range []string{"", "\n", "\t\t\n \n", "\x00\x00", "\xff\xfe", long, strings.Repeat("[", 5000), strings.Repeat("a.", 5000), strings.Repeat("\t", 1000) + "old.example", "----", "{{", "```", "'''", "<<EOF\n"} {
			if got := sites(f, in); len(got) > 0 {
				t.Errorf("%s %.20q: %v", f, in, got)
			}
		}
		if got := sites(f, "# "+long+"old.example.com/v1 "+long+"\n"); len(got) != 1 {
			t.Errorf("%s: a name in a long line: %v", f, got)
		}
	}
}

// A word of a name becomes what a rule makes of it, where the name has it.
func TestSpell(t *testing.T) {
	to := rules.GVK{Group: "new.dev", Version: "v2", Kind: "Orange", Plural: "oranges"}
	for in, want := range map[string]string{
		"old.example.com": "new.dev", "old.example.com/v1": "new.dev/v2", "old.example.com/v1/Apple": "new.dev/v2/Orange", "old.example.com/v1, Kind=Apple": "new.dev/v2, Kind=Orange",
		"old.example.com/v1, Resource=apples": "new.dev/v2, Resource=oranges", "old.example.com/Apple": "new.dev/Orange", "old.example.com_Apple": "new.dev_Orange", "old.example.com/apples": "new.dev/oranges",
		"apples.old.example.com": "oranges.new.dev", "apples.v1.old.example.com": "oranges.v2.new.dev", "v1.old.example.com": "v2.new.dev", "Apple.old.example.com": "Orange.new.dev", "kubectl get apples.old.example.com/v1": "kubectl get oranges.new.dev/v2",
		"old.example.com/*/Apple": "new.dev/*/Orange", "#old.example.com/v1.Apple": "#new.dev/v2.Orange", `old.example.com\/v1`: `new.dev\/v2`, "pear.old.example.com": "pear.new.dev",
	} {
		data := []byte(in)
		toks := formatNames.Tokens(data)
		if len(toks) != 1 {
			t.Fatalf("%q: %v", in, toks)
		}
		if got := in[:toks[0].Word.Start] + toks[0].Spell(data, to) + in[toks[0].Word.End:]; got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		if same := toks[0].Spell(data, rules.GVK{Group: "old.example.com"}); same != string(toks[0].Word.Of(data)) {
			t.Errorf("%q for itself is %q", in, same)
		}
	}
	tok := Token{Kind: text.SpanOf(0, 5), Known: rules.GVK{Kind: "Apple", Plural: "apples"}}
	if got := tok.KindTo([]byte("apple"), to); got != "orange" {
		t.Errorf("the singular becomes %q", got)
	}
}

// Names are asked as they were given.
func TestNames(t *testing.T) {
	n := formatNames
	for name, want := range map[string]bool{"old.example.com": true, "some.example.com": true, "key.example.com": true, "example.com": false, "": false} {
		if n.Has(name) != want {
			t.Errorf("%q is looked for: %v", name, !want)
		}
	}
	if !slices.IsSortedFunc(n.Longest(), func(a, b string) int { return len(b) - len(a) }) {
		t.Errorf("the longest first: %v", n.Longest())
	}
	for _, name := range n.Longest() {
		if !slices.ContainsFunc(n.Needles(), func(x string) bool { return strings.Contains(name, x) }) {
			t.Errorf("%q holds none of %v", name, n.Needles())
		}
	}
	if got := NewNames(Wanted{Groups: []string{"a.b", "x.a.b", "xa.b"}}).Needles(); strings.Join(got, " ") != "xa.b a.b" {
		t.Errorf("needles %v", got)
	}
	for in, want := range map[string]string{"key.example.com/x": "key.example.com", "key.example.com": "key.example.com", "a.key.example.com.b": "key.example.com"} {
		if toks := n.Tokens([]byte(in)); len(toks) != 1 || toks[0].Known.Group != want {
			t.Errorf("%q: %v", in, toks)
		}
	}
	prefix := NewNames(Wanted{Keys: []string{"key.example.com/"}})
	if len(prefix.Tokens([]byte("key.example.com"))) != 1 || prefix.Tokens([]byte("key.example.com"))[0].Shape != Longer || prefix.Tokens([]byte("key.example.com/x"))[0].Shape != Key {
		t.Errorf("the domain of a prefix: %+v", prefix.Tokens([]byte("key.example.com")))
	}
	for kind, want := range map[string]string{"Apple": "Apples", "Box": "Boxes", "Class": "Classes", "Patch": "Patches", "Policy": "Policies", "Key": "Keys", "Leaf": "Leaves", "Knife": "Knives", "Endpoints": "Endpoints", "Mesh": "Meshes"} {
		if got := goPlural(kind); got != want {
			t.Errorf("%s is %s in Go, want %s", kind, got, want)
		}
	}
	for group, want := range map[string]string{"policy": "Policy", "my-group.example.com": "Mygroup", "": "", ".x": ""} {
		if got := GoName(group); got != want {
			t.Errorf("%q is %q in Go", group, got)
		}
	}
	if got := n.TypedNeedles(); !slices.Contains(got, "PolicyV1beta1()") || !slices.Contains(got, "Policy().V1beta1()") {
		t.Errorf("typed: %v", got)
	}
}

// A name behind a terminal's colour is the name.
func TestColours(t *testing.T) {
	for _, before := range []string{"\x1b[31m", `\033[1;31m`, `\e[0m`, `\x1b[32m`, `\u001b[m`, "--", ".."} {
		toks := formatNames.Tokens([]byte(before + "old.example.com"))
		if len(toks) != 1 || toks[0].Shape != Bare || toks[0].Word.Len() != len("old.example.com") {
			t.Errorf("%q: %+v", before, toks)
		}
	}
	if toks := formatNames.Tokens([]byte("[31mold.example.com old.example.com--")); len(toks) != 1 || toks[0].Shape != Bare {
		t.Errorf("%+v", toks)
	}
}

// A token says of itself whether its text marks it as a group.
func TestIsWord(t *testing.T) {
	for in, want := range map[string]bool{"old.example.com": true, "x.old.example.com": true, "old.example.com/v1": false, "apples.old.example.com": false, "old.example.com_apples.yaml": true} {
		tok := formatNames.Tokens([]byte(in))[0]
		if tok.IsWord() != want || tok.IsFile() != strings.HasSuffix(in, ".yaml") {
			t.Errorf("%q: %+v", in, tok)
		}
	}
}

// Every role is described once, and every place has one of them.
func TestRoles(t *testing.T) {
	seen := map[Role]bool{}
	for _, r := range Roles {
		if seen[r.Role] || r.Doc == "" || !slices.Contains([]string{"rewrite", "keep", "for a person"}, r.Default) {
			t.Errorf("the role %+v", r)
		}
		seen[r.Role] = true
	}
	for _, x := range [][]*Place{{InEmail, InHost, InDomain, APIVersion, Group, REST, Permissions, InMarker, CRDFile, Imported, TypedCall, Identifier}} {
		for _, p := range x {
			if !seen[p.Role] {
				t.Errorf("the place %s has no role of the list", p.ID)
			}
		}
	}
	for file, want := range map[string]string{
		"x Generated with <code>gen-crd-api-reference-docs</code>": "gen-crd-api-reference-docs", "x generated with <code>gen-crd-api-reference-docs</code>": "gen-crd-api-reference-docs",
		"x": "", "Resource Types:\n<td><b>apiVersion</b></td>": "crdoc", "<td><b>apiVersion</b></td>": "", "# Resource Types\n| `apiVersion` _string_ | `a/v1` |": "crd-ref-docs", ".Resource Types\n| *`apiVersion`* __string__ | `a/v1`": "crd-ref-docs",
	} {
		if got := ReferenceBy([]byte(file)); got != want {
			t.Errorf("%q is a reference of %q", file, got)
		}
	}
	for file, want := range map[string]string{"// Code generated by client-gen. DO NOT EDIT.\n": "true true", "# Code generated by x DO NOT EDIT\n": "true false", "// Code generated from y\n": "false false", "package a\n": "false false"} {
		if got := fmt.Sprint(IsGenerated([]byte(file)), IsClient([]byte(file))); got != want {
			t.Errorf("%q: %s", file, got)
		}
	}
}
