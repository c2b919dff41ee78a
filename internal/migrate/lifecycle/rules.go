package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A change is one kind that a release of Kubernetes stops serving.
type change struct {
	from                        gvk
	plural                      string
	to                          gvk    // no kind: nothing replaces it
	deprecated, removed, served int    // minor versions; served is the first that has to
	advice                      string // what to do where nothing replaces it
}

// unserved are kinds that no API server serves under a path of their own, so that no
// manifest has them.
var unserved = map[string]string{
	"Scale":              "the kind of a subresource",
	"DeploymentRollback": "the kind of a subresource",
	"JobTemplate":        "was registered and never served",
	"AdmissionReview":    "the API server still sends v1beta1 to webhooks that ask for it",
}

// rewritten are versions whose objects Kubernetes never converted to a later one: what
// they say needs to be written again.
var rewritten = map[string]string{
	"resource.k8s.io/v1alpha1":                           "write it again for resource.k8s.io/v1, which has device classes and requests",
	"resource.k8s.io/v1alpha2":                           "write it again for resource.k8s.io/v1, which has device classes and requests",
	"resource.k8s.io/v1alpha3 PodSchedulingContext":      "dynamic resource allocation does without it",
	"scheduling.k8s.io/v1alpha1 Workload":                "write it again for scheduling.k8s.io/v1beta1",
	"scheduling.k8s.io/v1alpha2":                         "write it again for scheduling.k8s.io/v1beta1",
	"coordination.k8s.io/v1alpha1 LeaseCandidate":        "write it again for coordination.k8s.io/v1beta1, which has one strategy",
	"certificates.k8s.io/v1alpha1 PodCertificateRequest": "the kubelet creates these objects",
	"networking.k8s.io/v1alpha1 ClusterCIDR":             "the controller that read it is gone; configure the network plugin",
}

// changes are all kinds that are gone or will be, in the order in which they go, but for those
// of the rules that are written by hand.
func (h history) changes(byHand []rules.Rule) []change {
	var all []change
	for from, l := range h {
		known := slices.ContainsFunc(byHand, func(x rules.Rule) bool {
			return x.From.Group == from.group && x.From.Kind == from.kind && (x.From.Version == "" || x.From.Version == from.version)
		})
		if c, ok := h.change(from, l); ok && !known {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b change) int {
		return cmp.Or(a.removed-b.removed, strings.Compare(a.from.group, b.from.group), strings.Compare(a.from.version, b.from.version), strings.Compare(a.from.kind, b.from.kind))
	})
	return all
}

// change is what becomes of a kind that goes.
func (h history) change(from gvk, l *life) (change, bool) {
	removed := l.gone(h.newest())
	if removed == 0 || unserved[from.kind] != "" {
		return change{}, false
	}
	c := change{from: from, removed: removed}
	if l.deprecated < removed {
		c.deprecated = l.deprecated
	}
	if l.resource {
		c.plural = plural(from.kind)
	}
	for _, key := range []string{from.String(), from.group + "/" + from.version} {
		c.advice = cmp.Or(c.advice, rewritten[key])
	}
	if c.advice == "" {
		c.to = h.successor(from, l)
	}
	switch {
	case c.to.kind != "":
		c.served = h.since(c.to)
	case c.advice == "":
		c.advice = "no version replaces it"
	}
	if c.advice != "" {
		c.advice = fmt.Sprintf("Kubernetes %s and later do not serve %s of %s/%s; %s", release(removed), from.kind, from.group, from.version, c.advice)
	}
	return c, true
}

// gone is the first release that does not serve a kind: what its methods say, or the
// first release without its type, whichever came first. Zero: it is served, and nothing
// says until when.
func (l *life) gone(newest int) int {
	if l.last < newest && (l.removed > l.last+1 || l.removed == 0 && l.resource) {
		return l.last + 1
	}
	return l.removed
}

// since is the first release that serves a kind.
func (h history) since(of gvk) int {
	l := h[of]
	if l == nil {
		return 0
	}
	return cmp.Or(l.introduced, l.first)
}

// successor is the version that replaces one: of the group that the methods name, else of
// its own, the most stable version that is served longer.
func (h history) successor(from gvk, l *life) gvk {
	group := cmp.Or(l.replacement.group, from.group)
	var best gvk
	for to, other := range h {
		if to.group != group || to.kind != from.kind || to == from || other.last < h.newest() {
			continue
		}
		until := other.gone(h.newest())
		if until != 0 && until <= l.gone(h.newest()) || semver.Compare(rank(to.version), rank(from.version)) <= 0 && group == from.group {
			continue
		}
		if best.kind == "" || semver.Compare(rank(to.version), rank(best.version)) > 0 {
			best = to
		}
	}
	return best
}

// plural is the resource of a kind.
func plural(kind string) string {
	if strings.HasSuffix(kind, "Parameters") {
		return strings.ToLower(kind)
	}
	return rules.Plurals(kind)[0]
}

// rank is a version as one that sorts by how stable it is: v2alpha1, v1beta2, v1.
func rank(version string) string {
	number, rest, stable := version, "", "3"
	if i := strings.IndexAny(version, "ab"); i >= 0 {
		number, rest, stable = version[:i], strings.TrimLeft(version[i:], "alphbet"), "1"
		if version[i] == 'b' {
			stable = "2"
		}
	}
	return "v" + stable + "." + number[1:] + "." + cmp.Or(rest, "0")
}

// rules are the changes as rules of a ruleset.
func (h history) rules(byHand []rules.Rule) []byte {
	var b bytes.Buffer
	shown := 0
	for _, c := range h.changes(byHand) {
		if c.removed != shown {
			verb := "not served since"
			if c.removed > h.newest() {
				verb = "not served from"
			}
			fmt.Fprintf(&b, "  # %s %s\n", verb, release(c.removed))
			shown = c.removed
		}
		fmt.Fprintf(&b, "  - %s\n", c.rule())
	}
	return b.Bytes()
}

func (c change) rule() string {
	group, _, _ := strings.Cut(c.from.group, ".")
	id := plural(c.from.kind) + "-" + group + "-" + c.from.version
	from := fields("group", c.from.group, "version", c.from.version, "kind", c.from.kind, "plural", c.plural)
	what := "removed: " + fmt.Sprintf("%q", c.advice)
	if c.to.kind != "" {
		to := []string{"version", c.to.version}
		if c.to.group != c.from.group {
			to = append([]string{"group", c.to.group}, to...)
		}
		what = "to: " + fields(to...)
	}
	quoted := func(minor int) string {
		if minor == 0 {
			return ""
		}
		return fmt.Sprintf("%q", release(minor))
	}
	return fmt.Sprintf("{id: %s, from: %s, %s, kubernetes: %s}", id, from, what, fields("deprecated", quoted(c.deprecated), "removed", quoted(c.removed), "served", quoted(c.served)))
}

// fields is a mapping in one line, of pairs of keys and values; empty values are left out.
func fields(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, pairs[i]+": "+pairs[i+1])
		}
	}
	return "{" + strings.Join(list, ", ") + "}"
}
