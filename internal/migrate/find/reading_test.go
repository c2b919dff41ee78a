package find

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A reading is a file and what is found in it, a name on a line: where it stands,
// its place, and what its surroundings tell of it. ‵ stands for a backquote.
type reading struct{ name, file, in, want string }

// reads holds readings, and the laws of whatever is read.
func reads(t *testing.T, list []reading) {
	t.Helper()
	quotes := strings.NewReplacer("‵", "`")
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			in := quotes.Replace(strings.TrimPrefix(c.in, "\n"))
			if got, want := strings.Join(told(c.file, in), "\n"), quotes.Replace(strings.Trim(c.want, "\n")); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			laws(t, c.file, in)
		})
	}
}

// told are the sites of a file, with all that is told of each.
func told(file, content string) []string {
	var got found
	data := []byte(content)
	FormatOf(file, data).Read(formatNames, file, data, &got)
	got = slices.DeleteFunc(got, func(s Site) bool { return s.Place == InProject })
	start := func(s Site) int {
		if s.Word.Len() > 0 {
			return s.Doc.Start(s.Word.Start)
		}
		return s.Doc.Start(s.Group.Start)
	}
	slices.SortStableFunc(got, func(a, b Site) int { return start(a) - start(b) })
	var list []string
	for _, s := range got {
		at := start(s)
		line := 1 + strings.Count(content[:at], "\n")
		text := fmt.Sprintf("%d:%d %s %s", line, at-strings.LastIndexByte(content[:at], '\n'), s.Place.ID, s.Doc.Data[s.Word.Start:s.Word.End])
		if s.Facts != (rules.GVK{}) {
			text += " of " + strings.Join(strings.Fields(s.Facts.Group+" "+s.Facts.Version+" "+s.Facts.Kind+" "+s.Facts.Plural), " ")
		}
		for _, p := range s.Beside {
			text += " with " + string(p.Span.Of(p.Doc.Data))
		}
		loose := s.Loose
		for _, p := range s.Near {
			loose = append(loose, string(p.Span.Of(p.Doc.Data)))
		}
		if len(loose) > 0 {
			text += " loose " + strings.Join(loose, " ")
		}
		if len(s.Apart) > 0 {
			text += " apart " + strings.Join(s.Apart, " ")
		}
		if s.Home != "" {
			text += " in " + s.Home
		}
		list = append(list, text)
	}
	return list
}
