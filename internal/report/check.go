package report

import (
	"context"
	"fmt"
)

// A Check is a rule, and how it is looked whether it is kept. S is what the
// checks of one room share, with the Pass that takes their findings in it.
type Check[S Looker] struct {
	Rule
	Run func(context.Context, S) error // an error means that the answer is not known
}

// A Looker is what checks share: it has a Pass in it.
type Looker interface{ begin(Rule) }

// Simple is the Run of a check that cannot fail.
func Simple[S Looker](look func(S)) func(context.Context, S) error {
	return func(_ context.Context, s S) error {
		look(s)
		return nil
	}
}

// Run runs checks one after the other, until one of them cannot answer: the Pass
// then still has the rule of that one. A check that needs what is not given is
// left out; with given nil all are run.
func Run[S Looker](ctx context.Context, checks []Check[S], s S, given func(needs string) bool) error {
	for _, c := range checks {
		if c.Needs != "" && given != nil && !given(c.Needs) {
			continue
		}
		s.begin(c.Rule)
		if err := c.Run(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// RulesOf are the rules of checks, in their order; those that need what is not
// given are left out, as Run does.
func RulesOf[S Looker](checks []Check[S], given func(needs string) bool) Rules {
	var rules Rules
	for _, c := range checks {
		if c.Needs == "" || given == nil || given(c.Needs) {
			rules = append(rules, c.Rule)
		}
	}
	return rules
}

// A Pass is one run of checks: the rule that is checked, and what was found.
type Pass struct {
	Rule     Rule
	Findings []Finding
}

func (p *Pass) begin(r Rule) { p.Rule = r }

// Report adds a finding with its message. One that names no rule is of the rule
// that is checked. The result is the finding as it was added, to be completed
// before the next one.
func (p *Pass) Report(f Finding, format string, args ...any) *Finding {
	if f.Rule == "" {
		f.Rule, f.Severity = p.Rule.ID, p.Rule.Severity
	}
	f.Message = fmt.Sprintf(format, args...)
	p.Findings = append(p.Findings, f)
	return &p.Findings[len(p.Findings)-1]
}

// Rules is a catalogue, in the order in which it is printed.
type Rules []Rule

// Finding begins a finding of one of the rules, for what finds several of them
// at once. A rule that the catalogue lacks is a fault of the caller: panic.
func (rs Rules) Finding(id string) Finding {
	for _, r := range rs {
		if r.ID == id {
			return Finding{Rule: r.ID, Severity: r.Severity}
		}
	}
	panic("no rule " + id)
}

// A Section is what one command looks for.
type Section struct {
	Command string // "matrix check"
	About   string // Markdown above the table; may be empty
	Holds   bool   // a rule says what is to be, and a finding that it is not; else it says what was found
	Rules   Rules
}

// Meaning is what a finding of a rule of the section means.
func (s *Section) Meaning(r Rule) string {
	if s.Holds {
		return "passes when " + r.Doc
	}
	return r.Doc
}
