package objects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// cutUp reads a text as an import does: digests of its objects, and how many
// times it said that something cannot be read.
func cutUp(text []byte) (objects []string, bad int) {
	err := (&Files{Path: "-", Stdin: bytes.NewReader(text)}).Objects(context.Background(), func(r Record) error {
		if r.Err != nil {
			bad++
		} else {
			objects = append(objects, Digest(r.Object))
		}
		return nil
	})
	if err != nil {
		bad++
	}
	slices.Sort(objects)
	return objects, bad
}

// asWhole reads a text with the parser alone, every document at once.
func asWhole(text []byte) (objects []string, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); errors.Is(err, io.EOF) {
			slices.Sort(objects)
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		v, err := value(&n, false)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		list, err := spread(v)
		if err != nil {
			return nil, err
		}
		objects = append(objects, list...)
	}
}

// spread is the objects of a document: those of a list, or itself.
func spread(v any) ([]string, error) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("no mapping")
	}
	kind := Text(o, "kind")
	items, some := o["items"].([]any)
	switch {
	case kind == "" && some:
		return nil, errors.New("items without a kind")
	case !strings.HasSuffix(kind, "List"):
		return []string{Digest(o)}, nil
	case !some && o["items"] != nil:
		return nil, errors.New("items that are no list")
	}
	left, _ := Int(o, "metadata", "remainingItemCount")
	if Text(o, "metadata", "continue") != "" || left > 0 {
		return nil, errors.New("one page")
	}
	var objects []string
	for _, item := range items {
		m, ok := item.(map[string]any)
		if own := strings.TrimSuffix(kind, "List"); ok && own != "" && m["kind"] == nil {
			m["kind"] = own
			if m["apiVersion"] == nil {
				m["apiVersion"] = o["apiVersion"]
			}
		}
		list, err := spread(item)
		if err != nil {
			return nil, err
		}
		objects = append(objects, list...)
	}
	return objects, nil
}

// agree holds the cutter to the parser: when it says nothing, it read what the
// parser reads.
func agree(t *testing.T, text []byte) {
	t.Helper()
	got, bad := cutUp(text)
	if bad > 0 {
		return
	}
	want, err := asWhole(text)
	if err != nil && len(got) == 0 && bytes.HasSuffix(bytes.TrimSpace(text), []byte("...")) {
		return // an end without a document, which the standard allows and the parser does not
	}
	if err != nil {
		t.Fatalf("%d objects and no trouble, where the parser says %v\n%s", len(got), err, text)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d objects, the parser reads %d\n%s", len(got), len(want), text)
	}
}

// FuzzCut: no text loses an item without a word.
func FuzzCut(f *testing.F) {
	for _, text := range hardLists {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 1<<13 && len(bytes.TrimSpace(text)) > 0 && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && !bytes.HasPrefix(text, []byte("\xef\xbb\xbf{")) {
			agree(t, text)
		}
	})
}

// FuzzCutJSON: the same for JSON.
func FuzzCutJSON(f *testing.F) {
	f.Add([]byte(`{"kind":"List","items":[{"kind":"A","a":"\"]}"},{"kind":"B"}]}` + "\n" + `{"kind":"C"}`))
	f.Add([]byte(`{"items":[{"a":[1,2]}],"kind":"AList","metadata":{"continue":""}}`))
	f.Add([]byte(`{"items":{"a":1},"kind":"Menu"}{"kind":"Menu","items":[1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, bad := cutUp(text)
		if bad > 0 || !bytes.HasPrefix(text, []byte("{")) {
			return
		}
		docs, err := wholeJSON(text)
		if err != nil {
			t.Fatalf("%d objects and no trouble, where the parser says %v\n%s", len(got), err, text)
		}
		if !slices.Equal(got, docs) {
			t.Fatalf("%d objects, the parser reads %d\n%s", len(got), len(docs), text)
		}
	})
}

// hardLists are texts whose items are easily lost.
var hardLists = []string{
	"apiVersion: v1\nkind: List\nitems:\n- kind: A\n  n: 1\n# between\n- kind: A\n  n: 2\n",
	"kind: List\nitems:\n  - kind: A\n# left of the dashes\n  - kind: A\n    n: 2\n \t\n  # at them\n  - kind: B\nmetadata: {}\n",
	"items:\n- kind: A\n  text: |\n    # no comment\n    - a\n- kind: A\n  text: >2\n     x\n    # ends it\n- kind: B\nkind: List\n",
	"items:\n- metadata: {name: one}\n- metadata: {name: two}\nkind: AList\napiVersion: x/v1\n",
	"kind: Menu\nitems:\n- a: 1\n- b: 2\n",
	"items:\n- a: 1\n- b: 2\nkind: Menu\n",
	"kind: List\nitems:\n-\tkind: A\n-   kind: B\n-\n  kind: C\n",
	"kind: List\r\nitems:\r\n- kind: A\r\n# x\r\n- kind: B\r\n",
	"kind: List\nitems:\n- kind: A\n  text: \"first\n- second\"\n",
	"kind: List\nitems:\n- kind: A\n  text: 'first\n# second\n  third'\n- kind: B\n",
	"%YAML 1.2\n---\nkind: List\nitems:\n- kind: A\n---\nkind: B\n...\n---\nkind: C\n",
	"--- # first\nkind: A\n--- {kind: B}\n---\tkind\n",
	"  kind: List\n  items:\n  - kind: A\n",
	"\n\n# x\n\nkind: List\nitems:\n\n- kind: A\n\n- kind: B\n",
	"kind: List\nitems: # none\nkind: A\n",
	"kind: List\nitems:\n  a: b\n",
	"kind: List\nitems:\n  - kind: A\n - kind: B\n",
	"kind: List\nitems:\n  - kind: A\n  b: c\n",
	"kind: List\nitems:\n- kind: A\nitems:\n- kind: B\n",
	"kind: List\nitems:\n- &a {kind: A}\n- *a\n",
	"kind: List\nx: &a {kind: A}\nitems:\n- *a\n- {<<: *a, n: 1}\n",
	"kind: List\nitems:\n- kind: A\r- kind: B\n- kind: C\n",
	"kind: A\r---\rkind: B\n",
	"kind: List\nitems:\n- kind: List\n  items:\n  - kind: A\n  - kind: B\n- x\n",
	"kind: List\nmetadata: {continue: abc}\nitems:\n- kind: A\n",
	"kind: List\nitems:\n- {kind: A,\nb: c\n}\n- kind: B\n",
	"kind: List\nitems:\n- ? kind\n  : A\n- kind: |-\n   A\n",
	"kind: \"x\nitems:\n- a: b\"\n",
}

// TestHardLists holds the cutter to the parser on each of them, and on each cut
// off after every byte.
func TestHardLists(t *testing.T) {
	for _, text := range hardLists {
		for end := range len(text) + 1 {
			agree(t, []byte(text[:end]))
		}
	}
}

// TestListsAreReadToTheirEnd: ordinary lists, however they are laid out, are
// read without a word, and give what the parser gives.
func TestListsAreReadToTheirEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2_000 {
		text := layOut(r)
		want, err := asWhole([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, bad := cutUp([]byte(text))
		if bad > 0 || !slices.Equal(got, want) {
			t.Fatalf("%d objects and %d troubles, the parser reads %d\n%s", len(got), bad, len(want), text)
		}
	}
}

// layOut writes a list in one of many ways.
func layOut(r *rand.Rand) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	noise := func(to int) string {
		return pick("", "", "", "\n", strings.Repeat(" ", r.IntN(to+1))+"# a comment: [\n", "   \n")
	}
	dash := r.IntN(3)
	pad := strings.Repeat(" ", dash)
	kind := pick("kind: List\n", "kind: ThingList\napiVersion: x/v1\n")
	before := r.IntN(2) == 0
	b.WriteString(pick("", "---\n", "# head\n"))
	if before {
		b.WriteString(kind)
	}
	b.WriteString(pick("items:\n", "items: # all\n", "items: \n"))
	for i := range r.IntN(5) {
		b.WriteString(noise(dash))
		fmt.Fprintf(&b, "%s- %skind: Thing\n%s  n: %d\n", pad, pick("", "# first\n"+pad+"  "), pad, i)
		b.WriteString(pick("", pad+"  text: |\n"+pad+"   # text\n"+pad+"   - text\n", pad+"  text: \"a\n"+pad+"    # b\"\n", pad+"  list:\n"+pad+"  - a\n"+pad+"  - b\n", pad+"  flow: {a: [b,\n"+pad+"   c]}\n", pad+"  text: it's - # x\n"))
		b.WriteString(noise(dash + 3))
	}
	b.WriteString(noise(dash))
	if !before {
		b.WriteString(kind)
	}
	b.WriteString(pick("", "metadata: {resourceVersion: \"\"}\n", "...\n"))
	text := b.String()
	if r.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// TestCutOff: what kubectl prints, cut off anywhere, is never taken for whole.
func TestCutOff(t *testing.T) {
	yamlText := "apiVersion: v1\nitems:\n" + thing(1, "") + thing(2, "") + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
	jsonText := `{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Thing"}],"kind":"List"}`
	for _, tt := range []struct {
		text  string
		whole int // bytes that say everything
	}{{yamlText, strings.Index(yamlText, "kind: List") + len("kind: List")}, {jsonText, len(jsonText)}} {
		for end := 1; end <= len(tt.text); end++ {
			got, bad := cutUp([]byte(tt.text[:end]))
			switch {
			case end == len(tt.text) && (bad != 0 || len(got) != 2):
				t.Errorf("%d of %d bytes: %d objects, %d troubles", end, len(tt.text), len(got), bad)
			case end < tt.whole && end > 30 && bad == 0:
				t.Errorf("%d of %d bytes: %d objects, and no word\n%s", end, len(tt.text), len(got), tt.text[:end])
			}
		}
	}
}

// TestTextIsNoItem: what is in a quoted text is no object, however it is
// indented.
func TestTextIsNoItem(t *testing.T) {
	for _, text := range []string{
		"kind: List\nitems:\n- kind: Thing\n  text: \"\n- kind: Thing\n  metadata: {name: hidden}\n\"\n",
		"kind: List\nitems:\n- kind: Thing\n  text: '\n- kind: Thing\n  metadata: {name: hidden}\n- '\n- kind: Thing\n",
	} {
		if got, bad := cutUp([]byte(text)); len(got) > 0 || bad != 1 {
			t.Errorf("%d objects, %d troubles in %s", len(got), bad, text)
		}
	}
}

// TestAnnouncedItems: a page of a longer list is no whole list.
func TestAnnouncedItems(t *testing.T) {
	for _, text := range []string{
		"kind: List\nmetadata: {continue: abc, remainingItemCount: 7}\nitems:\n- kind: A\n",
		"items:\n- kind: A\nkind: List\nmetadata:\n  remainingItemCount: 7\n",
		`{"kind":"List","metadata":{"continue":"abc"},"items":[{"kind":"A"}]}`,
		`{"kind":"List","metadata":{"remainingItemCount":7},"items":[]}`,
	} {
		if _, bad := cutUp([]byte(text)); bad != 1 {
			t.Errorf("%d troubles in %s", bad, text)
		}
	}
}

// TestTooMuch: what is too large, too deep or never ends is named so, and ends.
func TestTooMuch(t *testing.T) {
	const n = 20_000
	all := maxDocument
	maxDocument = 1 << 20
	defer func() { maxDocument = all }()
	deep := strings.Repeat("[", n) + strings.Repeat("]", n)
	good := `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"good","namespace":"a"}}`
	for name, tt := range map[string]struct {
		in      io.Reader
		word    string
		objects int
	}{
		"a deep item of JSON":   {strings.NewReader(`{"kind":"List","items":[{"kind":"Thing","a":` + deep + `},` + good + `]}`), "exceeded max depth; what follows is not read", 0},
		"a deep item of YAML":   {strings.NewReader("kind: List\nitems:\n- {kind: Thing, a: " + deep + "}\n- " + good + "\n"), "depth", 1},
		"a line without end":    {endlessBytes("x"), "longer than 64 MiB", 0},
		"a document without":    {endlessBytes("# x\n"), "longer than 64 MiB", 0},
		"a text without end":    {io.MultiReader(strings.NewReader(`{"a":"`), endlessBytes("x")), "longer than 64 MiB", 0},
		"an item without":       {io.MultiReader(strings.NewReader("kind: List\nitems:\n- kind: Thing\n"), endlessBytes("  # x\n")), "longer than 64 MiB", 0},
		"brackets without end":  {endlessBytes(`{"a":`), "exceeded max depth", 0},
		"a dump of PowerShell":  {strings.NewReader("\xff\xfea\x00"), "UTF-16", 0},
		"JSON that is not text": {strings.NewReader("{\"kind\":\"List\",\"items\":[{\"a\":\"\xff\"}," + good + "]}"), "not UTF-8", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			objects := 0
			err := (&Files{Path: "-", Stdin: tt.in}).Objects(context.Background(), func(r Record) error {
				if r.Err != nil {
					said = append(said, r.Err.Error())
				} else {
					objects++
				}
				return nil
			})
			if err != nil {
				said = append(said, err.Error())
			}
			if len(said) != 1 || !strings.Contains(said[0], tt.word) || objects != tt.objects {
				t.Errorf("%d objects, %.200q", objects, said)
			}
		})
	}
}

// endlessBytes repeats a text for ever.
type endlessBytes string

func (e endlessBytes) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestFolderOfManifests: a link in it is followed, one that leads out is
// unreadable and opened by no one, and so is what is no file.
func TestFolderOfManifests(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("apiVersion: v1\nkind: Thing\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.MkdirAll(filepath.Join(dir, "in", ".hidden"), 0o755)
	write("outside.yaml")
	write("in/a.yaml")
	write("in/.hidden/b.yaml")
	for to, name := range map[string]string{"a.yaml": "b.yaml", "../outside.yaml": "c.yaml", "/dev/zero": "d.json"} {
		if err := os.Symlink(to, filepath.Join(dir, "in", name)); err != nil {
			t.Skip(err)
		}
	}
	var read, bad []string
	err := (&Files{Path: filepath.Join(dir, "in")}).Objects(context.Background(), func(r Record) error {
		if r.Err != nil {
			bad = append(bad, filepath.Base(r.Path))
		} else {
			read = append(read, filepath.Base(r.Path))
		}
		return nil
	})
	if err != nil || strings.Join(read, " ") != "a.yaml b.yaml" || strings.Join(bad, " ") != "c.yaml d.json" {
		t.Errorf("read %v, not %v: %v", read, bad, err)
	}
}

// TestReadingIsInterrupted: an endless source ends with its context.
func TestReadingIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	started := io.MultiReader(strings.NewReader("kind: List\nitems:\n"), onRead(cancel), endlessBytes("\n"))
	err := (&Files{Path: "-", Stdin: started}).Objects(ctx, func(Record) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A file of which nothing is an object ends early, and says so.
func TestUnreadableObjectsAreBounded(t *testing.T) {
	text := `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Repeat("0,", 2000) + `0]}`
	refused := 0
	err := (&Files{Path: "-", Stdin: strings.NewReader(text)}).Objects(t.Context(), func(Record) error { refused++; return nil })
	if err == nil || !strings.Contains(err.Error(), "what follows is not read") || refused != maxUnreadable {
		t.Errorf("%d refused, then %v", refused, err)
	}
}

// onRead calls a function when it is read.
type onRead func()

func (f onRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// wholeJSON reads a text of JSON with the parser alone.
func wholeJSON(text []byte) (objects []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			slices.Sort(objects)
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		v, err := decodeJSON(raw)
		if err != nil {
			return nil, err
		}
		list, err := spread(v)
		if err != nil {
			return nil, err
		}
		objects = append(objects, list...)
	}
}
