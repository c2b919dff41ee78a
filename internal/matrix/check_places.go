package matrix

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// eachPlace visits the places that a check evaluates, row by row.
func (p *pass) eachPlace(visit func(r row, place *stack.Place) error) error {
	for _, r := range p.facts() {
		if r.of == nil || r.Value == "" {
			continue
		}
		for _, place := range p.Stack.PlacesOf(r.of, p.Stack.RootComponent(), p.version()) {
			if place.Rule != p.Rule.ID || place.Kind == "table-row" {
				continue
			}
			if err := visit(r, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachMatch visits what is at the places that a check evaluates.
func (p *pass) eachMatch(visit func(r row, m stack.Match)) error {
	return p.eachPlace(func(r row, place *stack.Place) error {
		matches, err := place.Find(p.Tree)
		for _, m := range matches {
			switch {
			case m.Skipped:
			case m.Part == stack.PartDigest:
				p.holdDigest(r, m)
			default:
				p.looked++
				visit(r, m)
			}
		}
		return err
	})
}

// holdDigest checks the digest of an image against the one that the release
// declares, if it declares one.
func (p *pass) holdDigest(r row, m stack.Match) {
	pin, _ := p.release.Pin(r.of.Name)
	if pin.Digest == "" {
		return
	}
	p.looked++
	if m.Text == pin.Digest {
		return
	}
	f := finding{Path: m.Path, Line: m.Pos.Line, Column: m.Pos.Column, Component: r.Name, Version: r.Value, Expected: pin.Digest, Actual: m.Text}
	p.fix(&f, source.Edit{Span: m.Span, Old: m.Text, New: pin.Digest})
	p.Report(f, "%s: %s is pinned to %s, the declared release %s has %s", r.Name, m.Place, m.Text, p.release.Version, pin.Digest)
}

// checkOverridden reports what stands next to the version of a row and is taken
// instead of it. A digest is not, when the declared release has it.
func checkOverridden(_ context.Context, p *pass) error {
	for _, r := range p.facts() {
		if r.of == nil || r.Value == "" || r.of == p.Stack.RootComponent() { // what is built of this very release has its digest later
			continue
		}
		for _, place := range p.Stack.PlacesOf(r.of, p.Stack.RootComponent(), p.version()) {
			matches, err := place.Find(p.Tree)
			if err != nil {
				return err
			}
			pin, _ := p.release.Pin(r.of.Name)
			for _, m := range matches {
				if m.Other == "" || m.Skipped || pin.Digest == m.Other {
					continue
				}
				f := p.match(r, m)
				f.Actual, f.Fixes = m.Other, nil
				f.Hint = "if this is intended, declare a place for this image with the key " + m.Other
				if strings.Contains(m.Other, ":") {
					f.Hint = "declare the digest in matrix.releases: components: digest"
				}
				p.Report(f, "%s: next to %s, %s decides what is taken", r.Name, m.Text, m.Other)
			}
		}
	}
	return nil
}

// checkMakefile compares the expanded values: a variable may be made of others.
func checkMakefile(_ context.Context, p *pass) error {
	return p.eachPlace(func(r row, place *stack.Place) error {
		assigned, err := place.Assigned(p.Tree)
		if err != nil || place.Kind != "make-var" {
			return err
		}
		matches, err := place.Find(p.Tree)
		if err != nil {
			return err
		}
		for _, v := range assigned {
			text, ok := place.ReadValue(v.Value)
			if !ok || place.Image && strings.Contains(text, "$") {
				continue // another image, or a tag that make makes of other variables
			}
			p.looked++
			if version, _ := place.Read(text); r.takes(version) || r.takes(text) || r.takes("v"+text) || slices.Contains(place.Skip, text) {
				continue
			}
			f := finding{Path: v.Path, Line: v.Line, Component: r.Name, Version: r.Value, Expected: r.Value, Actual: text}
			for _, m := range matches {
				if m.Path == v.Path && (m.Pos.Line == v.Line || len(matches) == 1 && strings.HasPrefix(v.Text, "$")) {
					f = p.match(r, m)
				}
			}
			p.Report(f, "%s: %s is %s, %s", r.Name, place.Key, v.Value, r.said())
		}
		return nil
	})
}

// checkMatches reports what is at the places of a rule and says another version
// than the table; says is what it says, for people.
func checkMatches(says func(m stack.Match) string) func(context.Context, *pass) error {
	return func(_ context.Context, p *pass) error {
		return p.eachMatch(func(r row, m stack.Match) {
			if !r.takes(m.Version) {
				p.Report(p.match(r, m), "%s: %s, %s", r.Name, says(m), r.said())
			}
		})
	}
}

var (
	checkRef       = checkMatches(func(m stack.Match) string { return "the CRDs are those of " + m.Text })
	checkGenerated = checkMatches(func(m stack.Match) string { return m.Place.Key + " says " + m.Says() })
	checkPlaces    = checkMatches(func(m stack.Match) string { return m.Place.String() + " says " + m.Says() }) // of no rule of its own
)

// rootPlaces visits what is at the root's own places of a rule, also when
// there is no table.
func (p *pass) rootPlaces(rule string, visit func(m stack.Match)) error {
	root := p.Stack.RootComponent()
	for _, place := range p.Stack.PlacesOf(root, root, p.version()) {
		if place.Rule != rule {
			continue
		}
		matches, err := place.Find(p.Tree)
		if err != nil {
			return err
		}
		for _, m := range matches {
			if m.Part == stack.PartDigest {
				continue // of an image of this very release: it is built after
			}
			p.looked++
			visit(m)
		}
	}
	return nil
}

// rootMatch begins a finding at a place of the root that does not say what the
// tag says.
func (p *pass) rootMatch(m stack.Match, version string) finding {
	r, ok := p.root()
	if !ok {
		r = row{Row: stack.Row{Name: p.Stack.RootComponent().Title, Value: version}}
	}
	f := finding{
		Path: m.Path, Line: m.Pos.Line, Column: m.Pos.Column,
		Component: r.Name, Version: r.Value, Expected: m.Spell(version), Actual: m.Says(),
	}
	if e, err := m.Set(version); versions.IsVersion(version) && err == nil {
		p.fix(&f, e)
	}
	return f
}

// againstTag checks the root's places of a rule against the tag; says is what they
// say, for people.
func againstTag(says string) func(context.Context, *pass) error {
	return func(_ context.Context, p *pass) error {
		if p.Tag == "" {
			return nil
		}
		version := cmp.Or(p.tagged(), p.Tag)
		return p.rootPlaces(p.Rule.ID, func(m stack.Match) {
			if m.Version != version {
				p.Report(p.rootMatch(m, version), "%s %s, this is %s", says, m.Says(), p.Tag)
			}
		})
	}
}

var (
	checkParams = againstTag("the image deployed by default is")
	checkCSV    = againstTag("the bundle says")
)

// checkAlignment checks the same places against the root's row where there is
// no tag yet: in the work tree of a pull request.
func checkAlignment(_ context.Context, p *pass) error {
	r, ok := p.root()
	if ok && p.Tag == "" && versions.IsVersion(r.Value) {
		for _, rule := range []string{"params-env-mismatch", "csv-mismatch"} {
			err := p.rootPlaces(rule, func(m stack.Match) {
				if m.Version != r.Value {
					p.Report(p.rootMatch(m, r.Value), "%s says %s, the row of %s says %s", m.Place, m.Says(), r.Name, r.Value)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	for _, rule := range p.Config.Rules {
		if rule.Kind != KindAlign {
			continue
		}
		a, _ := p.Stack.Component(rule.Component)
		b, _ := p.Stack.Component(rule.With)
		ra, ok := p.rowOf(a)
		rb, ok2 := p.rowOf(b)
		if ok && ok2 && ra.Value != rb.Value {
			f := p.at(ra)
			f.Expected, f.Actual = rb.Value, ra.Value
			p.Report(f, "%s is %s, %s is %s: they share a version%s", ra.Name, ra.Value, rb.Name, rb.Value, Because(rule.Reason))
		}
	}
	return nil
}

// checkImageTag looks at the image that the Makefile builds.
func checkImageTag(_ context.Context, p *pass) error {
	root := p.Stack.RootComponent()
	for _, place := range p.Stack.PlacesOf(root, root, p.version()) {
		if place.Rule != p.Rule.ID {
			continue
		}
		assigned, err := place.Assigned(p.Tree)
		if err != nil {
			return err
		}
		if len(assigned) == 0 {
			continue
		}
		v, image := assigned[0], assigned[0].Value
		p.looked++
		tag := image[strings.LastIndexByte(image, ':')+1:]
		if versions.IsVersion(tag) || strings.Contains(tag, "$") {
			continue // what make makes of other variables is not known
		}
		f := finding{Path: v.Path, Line: v.Line, Component: root.Title, Version: p.version(), Expected: "a tag vMAJOR.MINOR.PATCH", Actual: tag}
		if versions.IsVersion("v" + tag) {
			f.Expected = "v" + tag
		}
		p.Report(f, "%s is built as %s: the tag %q is not a semantic version with a leading v", root.Title, image, tag)
	}
	return nil
}

func checkNotInBuild(_ context.Context, p *pass) error {
	for _, r := range p.facts() {
		if r.of == nil || !r.of.Built || r.of == p.Stack.RootComponent() {
			continue
		}
		present := false
		var looked []string
		for _, place := range p.Stack.PlacesOf(r.of, p.Stack.RootComponent(), "") {
			if place.Kind == "table-row" {
				continue
			}
			ok, err := place.Present(p.Tree)
			if err != nil {
				return err
			}
			present = present || ok
			looked = append(looked, place.String())
		}
		if present || len(looked) == 0 {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = "one of: "+strings.Join(looked, "; "), "none"
		f.Hint = "drop the row, or build the component in"
		p.Report(f, "%s has a row and nothing in the tree builds it in", r.Name)
	}
	return nil
}

// checkPlaceMissing reports a place without a version: nothing else would check that it is
// the row's.
func checkPlaceMissing(_ context.Context, p *pass) error {
	for _, r := range p.facts() {
		if r.of == nil {
			continue
		}
		for _, place := range p.Stack.PlacesOf(r.of, p.Stack.RootComponent(), p.version()) {
			if place.Optional || place.Kind == "table-row" {
				continue
			}
			matches, err := place.Find(p.Tree)
			missing := len(matches) == 0
			if err == nil && missing && place.Image { // of other images, and of tags that make makes, none is read
				ok, wrong := place.Present(p.Tree)
				missing, err = !ok, wrong
			}
			if err != nil {
				return err
			}
			if missing {
				f := p.at(r)
				f.Expected, f.Actual = place.String(), "none"
				f.Hint = "correct the place in the stack, or mark it optional: true"
				p.Report(f, "%s: %s has no version", r.Name, place)
			}
		}
	}
	return nil
}
