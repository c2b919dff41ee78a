package rules

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A Lifecycle says which versions of Kubernetes serve an API. An empty version is not known.
type Lifecycle struct {
	Deprecated string `yaml:"deprecated" doc:"the first version in which the old API is deprecated, such as \"1.31\""`
	Removed    string `yaml:"removed" doc:"the first version that does not serve the old API"`
	Served     string `yaml:"served" doc:"the first version that serves the new API"`
}

var kubernetesVersion = lazyregexp.New(`^1\.[1-9][0-9]{0,2}$`)

// CheckTarget refuses a version of Kubernetes that is none.
func CheckTarget(version string) error {
	if version != "" && !kubernetesVersion.MatchString(version) {
		return fmt.Errorf("%q is no version of Kubernetes such as 1.34", version)
	}
	return nil
}

func (l Lifecycle) validate() error {
	for _, v := range []string{l.Deprecated, l.Removed, l.Served} {
		if err := CheckTarget(v); err != nil {
			return err
		}
	}
	return missing(l.Removed == "" && l != Lifecycle{}, "kubernetes needs removed")
}

// reached says whether a version is the target or an earlier one.
func reached(version, target string) bool {
	return version != "" && semver.Compare("v"+version, "v"+target) <= 0
}

// For is the ruleset as it applies to a version of Kubernetes: rules for what that version
// serves without a warning are left out, and no rule leads to what it does not serve yet.
// An empty target is the newest version that the ruleset knows, of which only
// removals count.
func (r *Ruleset) For(target string) *Ruleset {
	at := cmp.Or(target, r.Kubernetes)
	if at == "" || !slices.ContainsFunc(r.Rules, func(x Rule) bool { return x.Kubernetes != Lifecycle{} }) {
		return r
	}
	applied := *r
	applied.Rules = nil
	for _, x := range r.Rules {
		life := x.Kubernetes
		gone := life == Lifecycle{} || reached(life.Removed, at)
		x.Deprecated = !gone
		if !gone && (target == "" || !reached(life.Deprecated, at)) {
			continue
		}
		if life.Served != "" && !reached(life.Served, at) {
			x.Removed = fmt.Sprintf("Kubernetes %s does not serve %s yet, which replaces it from %s on", at, Complete(x.To, x.From).apiVersion(), life.Served)
			x.To = GVK{}
		}
		applied.Rules = append(applied.Rules, x)
	}
	applied.Convert = slices.DeleteFunc(slices.Clone(r.Convert), func(c Conversion) bool { return r.leadsTo(c) && !applied.leadsTo(c) })
	return &applied
}

// leadsTo says whether a rule has a conversion's kind and version.
func (r *Ruleset) leadsTo(c Conversion) bool {
	return slices.ContainsFunc(r.Rules, func(x Rule) bool {
		return !x.Gone() && x.From.apiVersion() == c.From && x.From.Kind == c.Kind
	})
}

// Versions are the first version of Kubernetes that the rules are about and the newest that
// they know, empty for rules that are about none.
func (r *Ruleset) Versions() (first, last string) {
	for _, x := range r.Rules {
		if v := x.Kubernetes.Removed; v != "" && (first == "" || !reached(first, v)) {
			first = v
		}
	}
	return first, r.Kubernetes
}

func (g GVK) apiVersion() string { return g.Group + "/" + g.Version }
