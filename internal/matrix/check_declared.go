package matrix

// checkDeclared holds the table against the declared release of that version.
func checkDeclared(p *Pass, c *Check) error {
	release, ok := p.Config.Release(p.version())
	if !ok {
		return nil
	}
	for _, r := range p.rows {
		if r.of == nil {
			continue
		}
		f := p.at(c, r)
		pin, ok := release.Pin(r.of.Name)
		switch {
		case !ok:
			f.Expected, f.Actual = "no row", r.Value
			p.report(f, "%s has a row, and is not part of the declared release %s", r.Name, release.Version)
		case pin.Version != r.Value:
			f.Expected, f.Actual = pin.Version, r.Value
			p.setRow(&f, r, pin.Version)
			p.report(f, "%s: the table says %s, the declared release %s says %s", r.Name, r.Value, release.Version, pin.Version)
		}
	}
	for _, pin := range release.Components {
		comp, ok := p.Stack.Component(pin.Name)
		if !ok {
			continue
		}
		if _, ok := p.rowOf(comp); !ok {
			p.report(finding{Rule: c.Name, Severity: c.Severity, Path: p.Stack.Table.Path, Component: comp.Title, Version: pin.Version, Expected: pin.Version, Actual: "no row", Hint: "cfctl matrix render -w"},
				"%s %s is part of the declared release %s and has no row", comp.Title, pin.Version, release.Version)
		}
	}
	return nil
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
