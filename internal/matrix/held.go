package matrix

import (
	"fmt"
	"path"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Held is a requirement of one go.mod that another one does not follow.
type Held struct {
	Path, Version string
	Line          int
	Why           string // "builds v0.31.4 by a replace directive"
}

// HeldBack lists the requirements that now raises over was, and that below, which
// requires the module of now, does not follow: it replaces what is required by an
// older version, or is further away than a rule of kind module allows.
func (c *Config) HeldBack(was, now, below *modfile.File) []Held {
	var list []Held
	for _, r := range now.Require {
		if old := requirementOf(was, r.Mod.Path); old == nil || semver.Compare(r.Mod.Version, old.Mod.Version) <= 0 {
			continue
		}
		if why := c.holdsBack(below, r); why != "" {
			list = append(list, Held{r.Mod.Path, r.Mod.Version, r.Syntax.Start.Line, why})
		}
	}
	return list
}

func (c *Config) holdsBack(below *modfile.File, r *modfile.Require) string {
	if rep := replacement(below.Replace, r.Mod); rep != nil {
		if versions.IsVersion(rep.New.Version) && semver.Compare(rep.New.Version, r.Mod.Version) < 0 {
			return fmt.Sprintf("builds %s by a replace directive", rep.New.Version)
		}
		return ""
	}
	has := requirementOf(below, r.Mod.Path)
	if has == nil {
		return ""
	}
	for _, rule := range c.Rules {
		if ok, _ := path.Match(rule.Modules, r.Mod.Path); rule.Kind != kindModule || !ok {
			continue
		}
		if d, ok := apart(has.Mod.Version, r.Mod.Version); ok && d > rule.Minors && semver.Compare(has.Mod.Version, r.Mod.Version) < 0 {
			return fmt.Sprintf("has %s: %d minors apart, allowed are %d%s", has.Mod.Version, d, rule.Minors, Because(rule.Reason))
		}
	}
	return ""
}

func requirementOf(f *modfile.File, path string) *modfile.Require {
	if f == nil {
		return nil
	}
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return r
		}
	}
	return nil
}
