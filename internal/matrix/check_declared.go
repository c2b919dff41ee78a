package matrix

import (
	"maps"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// checkDeclared checks the table against the declared release of that version.
func checkDeclared(p *pass) {
	release, ok := p.Config.Release(p.version())
	if !ok {
		return
	}
	for _, r := range p.rows {
		if r.of == nil {
			continue
		}
		f := p.at(r)
		if p.tagged() == "" {
			f.Hint = "for the release after " + release.Version + ": " + report.Shell("cfctl", "matrix", "set", p.Stack.Root, "VERSION") + "; cfctl matrix add VERSION"
		}
		pin, ok := release.Pin(r.of.Name)
		switch {
		case !ok:
			f.Expected, f.Actual = "no row", r.Value
			p.Report(f, "%s has a row, and is not part of the declared release %s", r.Name, release.Version)
		case pin.Range != "":
			p.declaredRange(f, r, pin, release)
		case !r.takes(pin.Version):
			f.Expected, f.Actual = pin.Version, r.Value
			p.setRow(&f, r, pin.Version)
			p.Report(f, "%s: the table says %s, and .cfctl.yaml declares %s for release %s", r.Name, r.Value, pin.Version, release.Version)
		}
	}
	if len(p.rows) == 0 {
		return
	}
	have := p.inTable()
	for _, pin := range release.Components {
		comp, ok := p.Stack.Component(pin.Name)
		if !ok {
			continue
		}
		if place := p.Stack.RowPlace(comp); place != nil && !have[comp] {
			p.Report(finding{Path: place.Path, Component: comp.Title, Version: pin.Version, Expected: pin.Version, Actual: "no row", Hint: "cfctl matrix render -w"},
				"%s %s is part of the declared release %s and has no row", comp.Title, pin.Version, release.Version)
		}
	}
}

// declaredRange checks the versions of a row against a declared range.
func (p *pass) declaredRange(f finding, r row, pin Pin, release *Release) {
	declared, err := versions.ParseRange(pin.Range)
	taken := versions.OneVersion(r.Value)
	if r.allowed != nil {
		taken = *r.allowed
	}
	if err != nil || taken.Within(declared) && (r.allowed == nil || declared.Within(taken)) {
		return // one that cannot be read is for lint
	}
	f.Expected, f.Actual = pin.Range, r.Value
	p.Report(f, "%s: the table says %s, the declared release %s takes %s", r.Name, r.Value, release.Version, pin.Range)
}

// Release returns the declared release of a version.
func (c *Config) Release(version string) (*Release, bool) {
	for i := range c.Releases {
		if c.Releases[i].Version == version && version != "" {
			return &c.Releases[i], true
		}
	}
	return nil, false
}

// VersionsOf are the versions of a release as it is declared, and over them those of bumps.
func (c *Config) VersionsOf(s *stack.Stack, version string, bumps []Bump) (map[string]string, error) {
	versions := map[string]string{}
	if r, ok := c.Release(version); ok {
		for _, pin := range r.Components {
			of, err := s.Lookup(pin.Name)
			if err != nil {
				return nil, err
			}
			if pin.Version != "" { // a range says no version to write
				versions[of.Name] = pin.Version
			}
		}
	}
	maps.Copy(versions, VersionsOf(bumps))
	return versions, nil
}
