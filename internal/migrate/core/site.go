package core

import (
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Site is one text that is rewritten, kept or needs review.
type Site struct {
	source.Span
	judge.Verdict
	Pos    source.Position // after Resolve
	Old    string
	New    string // of what needs review: what a rule makes of it, where that is known
	Rule   rules.RuleID
	Edits  []source.Edit
	In     string        // where the hint is a command, the folder that it is for, from the base of the tree; "" for words
	Apart  []source.Span // the places of a kind named apart from it, where it needs review for these alone
	Then   []Site        // what becomes of it and its parts when these are taken care of; nil without them
	Severe bool          // an error in the tree, not only something left to do
	Mild   bool          // the target version still serves what is there
	both   bool          // it is about both groups in dual mode, or about the end of that
}

// As is the site with a verdict for which nothing changes.
func (s Site) As(v judge.Verdict) Site {
	s.New = ""
	return s.Leave(v)
}

// Leave is the site with a verdict for which nothing changes, with what it could become.
func (s Site) Leave(v judge.Verdict) Site {
	s.Verdict, s.Edits, s.In = v.In(s.Role()), nil, ""
	return s
}

// To is a site whose hint is a command, for a folder from the base of the tree.
func (s Site) To(dir string) Site {
	s.In = dir
	return s
}

// Top is the site of a file as a whole.
func (s Site) Top() Site {
	s.Pos = source.Position{Line: 1, Column: 1}
	return s
}

// At is a site of a role that no reader of references found, before it is decided about.
func At(span source.Span, role, old string) Site {
	return Site{Span: span, Verdict: judge.Rewritten("", role), Old: old}
}
