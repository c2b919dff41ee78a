package migrate

import (
	"errors"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/migrate/prove"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Every file that changes is proven before it is written, by a package that
// knows nothing of this one: what it is given is the text before and after,
// the sites that change, the spans that stay, and the rules as data.

// proofRules are the rules as the proof takes them.
func (m *Migration) proofRules() *prove.Rules {
	var moves []prove.Move
	var names [][2]string
	var converts []prove.Conversion
	for _, set := range m.opts.Rulesets {
		for _, r := range set.Rules {
			if !r.Gone() {
				moves = append(moves, prove.Move{From: prove.GVK(r.From), To: prove.GVK(r.To)})
			}
		}
		for _, k := range set.Keys {
			names = append(names, [2]string{k.From, k.To}, [2]string{strings.TrimSuffix(k.From, "/"), strings.TrimSuffix(k.To, "/")})
		}
		for _, c := range set.Convert {
			converts = append(converts, m.proofConversion(c))
		}
	}
	for _, c := range m.clients {
		names = append(names, [2]string{c.Old, c.New}, [2]string{find.LowerFirst(c.Old), find.LowerFirst(c.New)})
	}
	return prove.Compile(moves, names, converts)
}

// proofConversion is a conversion as the proof takes it: what each step may do.
func (m *Migration) proofConversion(c rules.Conversion) prove.Conversion {
	out := prove.Conversion{Kind: c.Kind, From: c.From, To: c.To}
	for _, s := range c.Steps {
		verb, at, err := s.Verb()
		if err != nil {
			continue // a ruleset that was validated has none
		}
		p := prove.Step{Verb: verb, Key: s.To, Value: s.Value, Values: s.Values, Quote: s.Quote, Always: s.When == nil}
		if p.Path, err = text.ParsePath(at); err != nil {
			continue
		}
		if verb == "move" || verb == "copy" {
			p.Key = ""
			p.To, _ = text.ParsePath(s.To)
		}
		if verb == "require-input" {
			p.Value = m.opts.Set[s.Name]
		}
		out.Steps = append(out.Steps, p)
	}
	return out
}

// prove holds what becomes of the file against what it was. A document that no
// parser takes is a *prove.Unread; any other error is a fault of cfctl.
func (f *File) prove(data []byte) error {
	if f.Twin != nil {
		if err := f.m.proof.Check(f.twinCase(data)); err != nil {
			return err
		}
	}
	c := f.proofCase(data)
	if len(c.Edits) == 0 {
		return nil
	}
	return f.m.proof.Check(c)
}

// proofCase is the file as the proof takes it. Its After is empty for a gate and
// where edits do not fit.
func (f *File) proofCase(data []byte) *prove.File {
	c := &prove.File{Path: f.Path, Format: f.Format, Before: data, Edits: f.Edits(data), Decisions: decisions(f.Sites),
		Kept: keptSpans(f.Sites), Dual: f.m.opts.Dual, Glance: f.m.opts.Glance, Shaped: slices.ContainsFunc(f.Sites, Site.reshapes)}
	if f.template {
		c.Format = "helm"
	}
	if c.Glance {
		return c
	}
	if after, err := source.Apply(data, c.Edits); err == nil {
		c.After = after
	}
	return c
}

// reshapes says whether an object changes its shape here.
func (s Site) reshapes() bool { return s.Role == find.RoleShape && s.Action() == Change }

// twinCase is the file that dual mode creates beside another: what replace
// mode would make of it.
func (f *File) twinCase(data []byte) *prove.File {
	return &prove.File{Path: f.Twin.Path, Format: f.Format, Before: data, After: f.Twin.Data, Edits: text.LineEdits(data, f.Twin.Data), Shaped: true}
}

// decisions are the sites that change.
func decisions(sites []Site) []prove.Decision {
	var list []prove.Decision
	for _, s := range sites {
		if s.Action() == Change {
			list = append(list, prove.Decision{Span: s.Span, Old: s.Old, New: s.New, Rule: s.Rule, Edits: s.Edits()})
		}
	}
	return list
}

// keptSpans are the sites that stay, whatever other files say. What a site that
// changes does not agree with is none.
func keptSpans(sites []Site) []source.Span {
	var list []source.Span
	for _, s := range sites {
		if (s.Action() == Stay || s.Action() == Person) && s.Len() > 0 && s.claim == "" {
			list = append(list, s.Span)
		}
	}
	return list
}

// unread says whether a proof ended at a document that no parser takes.
func unread(err error) (*source.Error, bool) {
	var u *prove.Unread
	if errors.As(err, &u) {
		return u.Err, true
	}
	return nil, false
}
