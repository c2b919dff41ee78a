package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// ParseTarget is the minor version of Kubernetes that a text names, such as 1.34, v1.34 or
// 1.34.2. Empty text names none.
func ParseTarget(text string) (string, error) {
	version := strings.TrimPrefix(semver.MajorMinor("v"+strings.TrimPrefix(text, "v")), "v")
	if text != "" && !kubernetesVersion.MatchString(version) {
		return "", fmt.Errorf("%q is not a version of Kubernetes: want one such as 1.34", text)
	}
	return version, nil
}

func checkVersion(version string) error {
	if v, err := ParseTarget(version); err != nil || v != version {
		return fmt.Errorf("%q is not a minor version of Kubernetes in quotes, such as \"1.34\"", version)
	}
	return nil
}

func (l Lifecycle) validate() error {
	for _, v := range []string{l.Deprecated, l.Removed, l.Served} {
		if err := checkVersion(v); err != nil {
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
			state := "deprecated in Kubernetes " + at
			if gone {
				state = "Kubernetes " + at + " does not serve it"
			}
			x.Removed = fmt.Sprintf("%s; %s, which replaces it, is served from %s on", state, Complete(x.To, x.From).apiVersion(), life.Served)
			x.To = GVK{}
		}
		applied.Rules = append(applied.Rules, x)
	}
	applied.Convert = slices.DeleteFunc(slices.Clone(r.Convert), func(c Conversion) bool { return r.leadsTo(c) && !applied.leadsTo(c) })
	return &applied
}

// Lives are the states of the rules and conversions that For left, by id, as a reader is
// told of them.
func (r *Ruleset) Lives(target string) map[string]Life {
	lives := map[string]Life{}
	for _, x := range r.Rules {
		if (x.Kubernetes == Lifecycle{}) {
			continue
		}
		life := Life{Why: "Kubernetes " + target + " does not serve it"}
		if x.Deprecated {
			life = Life{Deprecated: true, Why: "deprecated; Kubernetes " + x.Kubernetes.Removed + " does not serve it"}
		}
		lives[x.ID] = life
		for _, c := range r.Convert {
			if x.From.apiVersion() == c.From && x.From.Kind == c.Kind {
				lives[c.ID] = life
			}
		}
	}
	return lives
}

// A Life is the state of an API in the target version.
type Life struct {
	Deprecated bool // and still served
	Why        string
}

// leadsTo says whether a rule has a conversion's kind and version.
func (r *Ruleset) leadsTo(c Conversion) bool {
	return slices.ContainsFunc(r.Rules, func(x Rule) bool {
		return !x.Gone() && x.From.apiVersion() == c.From && x.From.Kind == c.Kind
	})
}

// NotServed is the first version of Kubernetes that does not serve a kind, and the version of
// the API to use or, where there is none, a sentence that says what to do. Since is empty
// where the target version, to which the ruleset applies, serves the kind.
func (r *Ruleset) NotServed(apiVersion, kind string) (since, use string) {
	at := GVKOf(apiVersion, kind)
	for _, x := range r.Rules {
		if _, ok := fits(x.From, at); !ok || x.From.Group != at.Group || x.Deprecated {
			continue
		}
		if x.Gone() {
			return x.Kubernetes.Removed, x.Removed
		}
		return x.Kubernetes.Removed, Complete(x.To, x.From).apiVersion()
	}
	return "", ""
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
