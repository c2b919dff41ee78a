package migrate

import (
	"errors"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/source"
)

// The account says of every place where an old name is what becomes of it,
// so that others can hold it against a search of their own.

// What becomes of a place, or of a file that was not read.
const (
	answerChanged = "changed"
	answerKept    = "kept"
	answerReview  = "review"
	answerSkipped = "skipped"
)

// An Entry is one line of the account.
type Entry struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`   // from 1; 0 = the file or folder as a whole
	Column  int    `json:"column"` // from 1, in characters; 0 = all of the line, or of the file
	Start   int    `json:"start"`  // byte offsets, half-open
	End     int    `json:"end"`
	Answer  string `json:"answer"` // changed, kept, review, skipped
	Role    string `json:"role,omitempty"`
	Ruleset string `json:"ruleset,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Reason  string `json:"reason,omitempty"` // id of reasons, for what is not changed
	Guard   string `json:"guard,omitempty"`  // id of the heuristic that decided, which can be switched off
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Why     string `json:"why,omitempty"`
}

// Account is every place of the plan, then every file and folder that was not
// read. A folder stands for all that is below it.
func (p *Plan) Account() []Entry {
	list := []Entry{}
	for _, f := range p.Files {
		if f.Skip != nil {
			id := "unread"
			switch {
			case f.Fault:
				id = "not-proven"
			case errors.Is(f.Skip.Err, errAbsent):
				id = skipReason(string(source.SkipSparse))
			}
			list = append(list, Entry{Path: f.Path, Line: f.Skip.Pos.Line, Column: f.Skip.Pos.Column, Answer: answerSkipped, Reason: id, Why: f.Skip.Err.Error()})
			continue
		}
		if f.To != f.Path {
			list = append(list, Entry{Path: f.Path, Answer: answerChanged, Role: roleCRDFile, Rule: findingRename, Old: f.Path, New: f.To})
		}
		for _, s := range f.Sites {
			list = append(list, f.entry(s))
		}
	}
	for _, s := range p.Skipped {
		list = append(list, Entry{Path: s.Path, Answer: answerSkipped, Reason: skipReason(s.Reason), Why: s.Reason})
	}
	return list
}

// entry is the line of the account for a site.
func (f *File) entry(s Site) Entry {
	e := Entry{
		Path: f.Path, Line: s.Pos.Line, Column: s.Pos.Column, Start: s.Start, End: s.End,
		Role: s.Role(), Ruleset: s.Rule.Set, Rule: s.Rule.ID, Old: s.Old, New: s.New, Reason: s.ID(), Why: s.Why(),
	}
	switch s.Action() {
	case Change:
		e.Answer, e.Reason = answerChanged, ""
		return e
	case Stay:
		e.Answer, e.New = answerKept, ""
	default:
		e.Answer = answerReview
	}
	e.Guard = judge.HeuristicOf(s.ID())
	return e
}

// skipReason is the id of why something was not read.
func skipReason(text string) string {
	ids := map[source.Reason]string{
		source.SkipIgnored: "ignored", source.SkipExcluded: "excluded", source.SkipVCS: "version-control",
		source.SkipVendored: "vendored", source.SkipNodeModules: "installed", source.SkipRepository: "another-repository", source.SkipBinary: "binary",
		source.SkipSymlink: "symbolic-link", source.SkipIrregular: "irregular", source.SkipTooLarge: "too-large",
		source.SkipTemporary: "temporary", source.SkipSparse: "not-checked-out", source.SkipUnreadable: "unread", skipFormat: "format",
	}
	head, _, _ := strings.Cut(text, ":")
	return ids[source.Reason(head)]
}
