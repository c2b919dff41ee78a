package shape

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// started is a converter of the one object of a text, and the steps that it does.
func started(t *testing.T, steps, in string) (*converter, []rules.Step) {
	t.Helper()
	data := []byte(in)
	tree := text.ScanPart(data, source.Span{End: len(data)}, false, false)
	due := Find(pears(t, steps), tree)
	if len(due) != 1 {
		t.Fatalf("%d objects in\n%s", len(due), in)
	}
	left := Budget(len(data))
	return &converter{due: due[0], text: data, set: map[string]string{"given": "7"}, left: &left}, due[0].Conversion.Steps
}

// An object is scanned again when a step has changed its text, and its items when a
// step has changed one of them; what a step leaves as it is, is not.
func TestScansWhatChanged(t *testing.T) {
	same, fresh := 0, 0
	for _, x := range steps {
		c, list := started(t, x.steps, head+x.in)
		for _, s := range list {
			name, at, err := s.Verb()
			keys, wrong := text.ParsePath(at)
			if err != nil || wrong != nil {
				t.Fatal(x.name, err, wrong)
			}
			was, _ := c.object()
			items := len(c.items)
			c.step(name, keys, s)
			if bytes.Equal(c.text, was.Data) {
				same++
				if c.tree != was || len(c.items) < items {
					t.Errorf("%s: %s changes nothing, and the text is scanned again", x.name, name)
				}
				continue
			}
			fresh++
			if c.tree != nil && !bytes.Equal(c.tree.Data, c.text) {
				t.Errorf("%s: %s changes the text, and the scan is the old one", x.name, name)
			}
		}
	}
	if same < 10 || fresh < 10 {
		t.Errorf("%d steps changed nothing, and %d something", same, fresh)
	}
}

// Steps on the items of a list scan each item once, until one of them changes.
func TestItemsAreScannedOnce(t *testing.T) {
	c, _ := started(t, `{rename: "spec.list[*].worm", to: bug}`, head+"spec:\n  list:\n  - a: 1\n  - a: 2\n")
	step := rules.Step{Rename: "spec.list[*].worm", To: "bug"}
	keys := []string{"spec", "list", "[*]", "worm"}
	c.step("rename", keys, step)
	was := c.items
	if len(was) != 2 {
		t.Fatalf("%d items", len(was))
	}
	trees := map[*text.Tree]bool{}
	for _, item := range was {
		trees[item.tree] = true
	}
	c.step("rename", keys, step)
	for _, item := range c.items {
		if !trees[item.tree] {
			t.Error("an item is scanned again, and none has changed")
		}
	}
}

// A text that copies make too large is not converted, and what is copied to many items, or
// done to many small objects, counts together.
func TestConvertIsBounded(t *testing.T) {
	var doubling []string
	for i := range 40 {
		doubling = append(doubling, fmt.Sprintf("{copy: spec.a, to: spec.a.c%d}", i))
	}
	small := head + "spec:\n  a:\n    x: 1\n"
	for _, x := range []struct {
		name, steps, text string
		times             int
	}{
		{"one object", strings.Join(doubling, "\n"), small, 1},
		{"many objects", strings.Join(doubling[:10], "\n"), small, 500},
		{"many items", `{copy: spec.big, to: "spec.l[*].b"}`, head + "spec:\n  big: " + strings.Repeat("x", 1000) + "\n  l:\n" + strings.Repeat("  - a: 1\n", 1000), 1},
	} {
		in := []byte(x.text)
		most := Budget(len(in) * x.times)
		left := most
		due := Find(pears(t, x.steps), text.ScanPart(in, source.Span{End: len(in)}, false, false))
		var refused error
		for range x.times {
			if _, _, err := Convert(in, in, 0, due, Options{Left: &left}); err != nil {
				refused = err
			}
		}
		if written := most - left; refused == nil || written > 2*most {
			t.Errorf("%s: %d of %d bytes written, and it says %v", x.name, written, most, refused)
		}
	}
}
