package prove

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// testRules have every kind of move, and one conversion with every verb.
func testRules() *Rules {
	return Compile([]Move{
		{GVK{Group: "old.example.com"}, GVK{Group: "new.example.org"}},
		{GVK{Group: "split.example.com", Kind: "Apple", Plural: "apples"}, GVK{Group: "a.example.org"}},
		{GVK{Group: "split.example.com", Kind: "Berry", Plural: "berries"}, GVK{Group: "b.example.org", Version: "v2"}},
		{GVK{Group: "same.example.com", Version: "v1beta1", Kind: "Pear"}, GVK{Version: "v1"}},
		{GVK{Group: "same.example.com", Version: "v1alpha1", Kind: "Quince", Plural: "quinces"}, GVK{Version: "v1", Kind: "Medlar", Plural: "medlars"}},
	}, [][2]string{{"old.example.com/", "new.example.org/"}}, []Conversion{{Kind: "Pear", From: "same.example.com/v1beta1", To: "same.example.com/v1", Steps: []Step{
		{Verb: "rename", Path: []string{"spec", "colour"}, Key: "color"},
		{Verb: "move", Path: []string{"spec", "size"}, To: []string{"spec", "dimensions", "size"}, Quote: true},
		{Verb: "move", Path: []string{"spec", "seeds", "[*]", "kind"}, To: []string{"spec", "seeds", "[*]", "of", "kind"}},
		{Verb: "move", Path: []string{"spec", "soil"}, To: []string{"spec", "seeds", "[*]", "soil"}},
		{Verb: "copy", Path: []string{"spec", "name"}, To: []string{"spec", "title"}},
		{Verb: "wrap", Path: []string{"spec", "tree"}, Key: "[*]"},
		{Verb: "wrap", Path: []string{"spec", "bark"}, Key: "layers"},
		{Verb: "map-values", Path: []string{"spec", "ripe"}, Values: map[string]string{"Yes": "Ripe", "Perhaps": ""}},
		{Verb: "drop", Path: []string{"spec", "worm"}},
		{Verb: "set", Path: []string{"spec", "kept"}, Value: "{cool: true}"},
		{Verb: "tell", Path: []string{"spec", "x"}},
	}}})
}

// caseOf makes a file of two texts: one edit from the first to the last byte
// that differ, as a change of shape has them, or one decision for each name.
func caseOf(name, before, after string) *File {
	f := &File{Path: name, Format: formatOf(name), Before: []byte(before), After: []byte(after)}
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	start := len(strings.Join(a[:head], ""))
	old, fresh := strings.Join(a[head:len(a)-tail], ""), strings.Join(b[head:len(b)-tail], "")
	e := source.Edit{Span: source.Span{Start: start, End: start + len(old)}, New: fresh}
	f.Edits = []source.Edit{e}
	f.Decisions = []Decision{{Span: source.Span{Start: start, End: start}, Old: "x", New: "x", Rule: "test", Edits: []source.Edit{e}}}
	return f
}

func splitLines(text string) []string { return strings.SplitAfter(text, "\n") }

func formatOf(name string) string {
	_, ext, _ := strings.Cut(name, ".")
	return map[string]string{"yaml": "yaml", "json": "json", "tpl": "helm", "go": "go", "md": "markdown", "ipynb": "notebook", "py": "python", "toml": "config", "clusterserviceversion.yaml": "yaml", "sh": "shell", "tf": "config", "rst": "text"}[ext]
}

// A change is a file before and after. It is permitted, or the proof says why
// not: one of the texts between bars.
type change struct {
	name, file    string
	mode          string // s for a change of shape, d for dual
	before, after string // without their first line break
	why           string
}

func TestCheck(t *testing.T) {
	rules := testRules()
	for _, c := range slices.Concat(changesOfYAML, changesOfPermissions, changesOfShape, changesOfText) {
		t.Run(c.name, func(t *testing.T) {
			f := caseOf(c.file, strings.TrimPrefix(c.before, "\n"), strings.TrimPrefix(c.after, "\n"))
			f.Shaped, f.Dual = strings.Contains(c.mode, "s"), strings.Contains(c.mode, "d")
			err := rules.Check(f)
			if err == nil || c.why == "" {
				if err != nil || c.why != "" {
					t.Errorf("got %v, want %q", err, c.why)
				}
				return
			}
			for _, why := range strings.Split(c.why, "|") {
				if strings.Contains(err.Error(), why) {
					return
				}
			}
			t.Errorf("got %v, want %q", err, c.why)
		})
	}
}

// An edit that no decision says may change a shape, and no line breaks.
func TestUndecided(t *testing.T) {
	before := "apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red\n"
	edit := func(old, fresh string) source.Edit {
		at := strings.Index(before, old)
		return source.Edit{Span: source.Span{Start: at, End: at + len(old)}, New: fresh, Old: old}
	}
	name, field := edit("v1beta1", "v1"), edit("colour", "color")
	decided := Decision{Span: name.Span, Old: "v1beta1", New: "v1", Rule: "r", Edits: []source.Edit{name}}
	for why, edits := range map[string][]source.Edit{"": {name, field}, "blank lines": {name, edit("kind: Pear\n", "kind: Pear\n\n"), field}} {
		f := &File{Path: "a.yaml", Format: "yaml", Shaped: true, Before: []byte(before), Edits: edits, Decisions: []Decision{decided}}
		f.After, _ = source.Apply(f.Before, f.Edits)
		if err := testRules().Check(f); (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", why, err)
		}
	}
}

// A decision's edits are what it says, in its place, and nobody else's.
func TestDecisions(t *testing.T) {
	before := "a: old.example.com # old.example.com\n"
	span := func(from, to int) source.Span { return source.Span{Start: from, End: to} }
	name := Decision{Span: span(3, 18), Old: "old.example.com", New: "new.example.org", Rule: "r", Edits: []source.Edit{{Span: span(3, 18), New: "new.example.org", Old: "old.example.com"}}}
	with := func(change func(*Decision)) Decision {
		d := name
		d.Edits = []source.Edit{name.Edits[0]}
		change(&d)
		return d
	}
	for what, c := range map[string]struct {
		d    Decision
		kept []source.Span
		why  string
	}{
		"right":            {d: name},
		"outside":          {d: with(func(d *Decision) { d.Span = span(3, 99) }), why: "outside of the file"},
		"kept":             {d: name, kept: []source.Span{span(10, 12)}, why: "must stay"},
		"another spelling": {d: with(func(d *Decision) { d.New = "new.example.net" }), why: "no rule makes"},
		"another edit":     {d: with(func(d *Decision) { d.Edits[0].New = "new.example" }), why: "would become \"new.example\""},
		"another text":     {d: with(func(d *Decision) { d.Edits[0].Old = "x" }), why: "not \"x\""},
		"not the spelling": {d: with(func(d *Decision) { d.Old, d.New = "x.old.example.com", "x.new.example.org" }), why: "where \"x.old"},
		"layout":           {d: with(func(d *Decision) { d.New = ""; d.Edits[0].New = "old.example.com " }), why: "no word"},
	} {
		f := &File{Path: "a.yaml", Format: "yaml", Before: []byte(before), Edits: c.d.Edits, Decisions: []Decision{c.d}, Kept: c.kept}
		f.After, _ = source.Apply(f.Before, f.Edits)
		err := testRules().Check(f)
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: got %v, want %q", what, err, c.why)
		}
	}
	f := &File{Path: "a.yaml", Format: "yaml", Before: []byte(before), After: []byte(before), Edits: name.Edits}
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "do not give the result") {
		t.Errorf("another result: %v", err)
	}
	f.After, _ = source.Apply(f.Before, f.Edits)
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "which no decision says") || !strings.HasPrefix(err.Error(), "a.yaml:1:4:") {
		t.Errorf("an edit of nobody: %v", err)
	}
	f.Edits = append(f.Edits, f.Edits[0])
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("overlapping edits: %v", err)
	}
}

// Go may be laid out again around a name, and not otherwise.
func TestLayoutOfGo(t *testing.T) {
	before, after := "package a\n\nvar a   = \"old.example.com\" // c\n", "package a\n\nvar a = \"new.example.org\"    // c\n"
	f := caseOf("a.go", before, after)
	at := strings.Index(before, "old.")
	f.Decisions = []Decision{{Span: source.Span{Start: at, End: at + 15}, Old: "old.example.com", New: "new.example.org",
		Edits: []source.Edit{{Span: source.Span{Start: at, End: at + 15}, New: "new.example.org"}}}}
	if err := testRules().Check(f); err != nil {
		t.Error(err)
	}
	f.Edits[0].New = strings.Replace(f.Edits[0].New, "// c", "// d", 1)
	f.After, _ = source.Apply(f.Before, f.Edits)
	if err := testRules().Check(f); err == nil {
		t.Error("another comment is taken")
	}
}

// What did not parse before cannot be proven, and says where.
func TestUnread(t *testing.T) {
	err := testRules().Check(caseOf("a.yaml", "a: 1\n---\nb: old.example.com\n c: [\n", "a: 1\n---\nb: new.example.org\n c: [\n"))
	var u *Unread
	if !errors.As(err, &u) || u.Err.Pos.Line < 3 || !strings.HasPrefix(u.Error(), "a.yaml:") || u.Unwrap() == nil {
		t.Errorf("got %v", err)
	}
}

// The halves of a group are names in a PROJECT file alone.
func TestProject(t *testing.T) {
	for name, want := range map[string]bool{"PROJECT": true, "a.yaml": false} {
		f := caseOf(name, "domain: example.com\nresources: [{group: old}]\n", "domain: example.org\nresources: [{group: new}]\n")
		f.Format = "yaml"
		if err := testRules().Check(f); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only the documents that edits touch are parsed.
func TestChunks(t *testing.T) {
	text := []byte("---\na: 1\n--- # x\nb: 2\n---\nc: 3\n")
	at := func(s string) source.Edit {
		i := strings.Index(string(text), s)
		return source.Edit{Span: source.Span{Start: i, End: i + len(s)}, New: "longer"}
	}
	for _, c := range []struct {
		text  []byte
		edits []source.Edit
		want  []string
	}{
		{text, []source.Edit{at("2")}, []string{"--- # x\nb: 2\n"}},
		{text, []source.Edit{at("1"), at("3")}, []string{"---\na: 1\n", "---\nc: 3\n"}},
		{text, []source.Edit{at("c: 3\n---"), at("a")}, nil},
		{append([]byte("%YAML 1.2\n"), text...), []source.Edit{at("2")}, []string{"%YAML 1.2\n" + string(text)}},
		{text, []source.Edit{{Span: source.Span{Start: 9, End: 9}, New: "---\nx: 1\n"}}, []string{string(text)}},
		{text, []source.Edit{{Span: source.Span{Start: 22, End: 31}}}, []string{string(text)}},
	} {
		var got []string
		for _, k := range chunks(c.text, c.edits) {
			got = append(got, string(k.before.Of(c.text)))
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A proof of a template or of a document that is nested without end does not panic.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	f := caseOf("a.json", `{"a": "old.example.com", "b": `+deep, `{"a": "new.example.org", "b": `+deep)
	if err := testRules().Check(f); err != nil {
		t.Error(err)
	}
}
