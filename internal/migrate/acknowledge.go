package migrate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is left goes away when it is done, or when a person acknowledges it: by
// a comment where it stands, or in the configuration of the tree, for what has
// no place for a comment.

// A Keep is one acknowledgement of the configuration: what stands in the files
// of a path stays.
type Keep struct {
	Path  string `yaml:"path"`  // glob of files, from the top of the work tree; ** crosses folders
	Value string `yaml:"value"` // the spelling that stays; empty = whatever the files hold
	Why   string `yaml:"why"`   // the reason
}

// suppression is the mark that keeps the sites of its line, or of the next
// line when it stands alone.
const suppression = "cfctl:keep"

// A mark is one suppression of a file.
type mark struct {
	source.Span             // from its word to the end of its line
	lines       source.Span // what it keeps
	why         string      // the reason that it gives; may be empty
	quoted      bool        // a document speaks of it
}

// marksIn are the suppressions of a text.
func marksIn(data []byte) []mark {
	var list []mark
	for at := 0; ; {
		n := bytes.Index(data[at:], []byte(suppression))
		if n < 0 {
			return list
		}
		at += n
		from := text.LineStart(data, at)
		content, next := text.LineEnd(data, at, len(data))
		m := mark{Span: source.Span{Start: at, End: content}, why: reason(string(data[at+len(suppression) : content]))}
		m.quoted = bytes.IndexByte(data[from:at], '`') >= 0
		if alone(data[from:at]) {
			content, _ = text.LineEnd(data, next, len(data))
		}
		m.lines = source.Span{Start: from, End: content}
		list, at = append(list, m), m.End
	}
}

// reason is the text of a suppression up to the end of its comment.
func reason(text string) string {
	for _, end := range []string{"*/", "-->", "}}", "%}", "%>"} {
		text, _, _ = strings.Cut(text, end)
	}
	return strings.Trim(text, " \t\r-")
}

// alone says whether nothing but a comment mark stands before a suppression.
func alone(before []byte) bool {
	return len(bytes.Trim(before, " \t#/*<!->{%-")) == 0
}

// acknowledge keeps the lines for a person that a suppression is about and
// that were found after the formats were read: shapes, pins, imports. A
// suppression that keeps one of them is not unused.
func (f *File) acknowledge(data []byte) {
	if !slices.ContainsFunc(f.Sites, isLeftToPerson) || !bytes.Contains(data, []byte(suppression)) {
		return
	}
	for _, m := range marksIn(data) {
		used := false
		for i := range f.Sites {
			if s := &f.Sites[i]; isLeftToPerson(*s) && m.lines.Start <= s.Start && s.Start <= m.lines.End {
				s.keepByHand(m.why)
				used = true
			}
		}
		if used {
			f.unused = slices.DeleteFunc(f.unused, func(s Site) bool { return s.Span == m.Span })
		}
	}
}

func isLeftToPerson(s Site) bool { return s.Action == Person && s.Old != suppression }

// keepByHand makes a site one that a person keeps.
func (s *Site) keepByHand(why string) {
	s.Action, s.New, s.edits, s.client, s.resource, s.file, s.unruled = Stay, "", nil, nil, "", "", false
	s.Severe, s.Hint, s.Why = false, "", "kept by hand"
	if why != "" {
		s.Why += ": " + why
	}
}

// keptBy is the acknowledgement of the configuration for a spelling of a file;
// an empty spelling stands for the file as a whole.
func (m *Migration) keptBy(place, spelling string) (Keep, bool) {
	for _, k := range m.opts.Keep {
		if (k.Value == "" || k.Value == spelling) && (k.Path == "" || judge.MatchPath(k.Path, place)) {
			return k, true
		}
	}
	return Keep{}, false
}

// acknowledged keeps the sites of a file that the configuration acknowledges.
func (m *Migration) acknowledged(place string, sites []Site) {
	if len(m.opts.Keep) == 0 {
		return
	}
	for i := range sites {
		s := &sites[i]
		if s.Action == Stay || s.Old == suppression {
			continue
		}
		if k, ok := m.keptBy(place, s.Old); ok {
			s.keepByHand(k.Why)
			s.Why = k.reason()
		}
	}
}

// reason is why something stays that the configuration acknowledges.
func (k Keep) reason() string {
	if k.Why == "" {
		return keptByConfig
	}
	return keptByConfig + ": " + k.Why
}

const keptByConfig = "kept by the configuration"
