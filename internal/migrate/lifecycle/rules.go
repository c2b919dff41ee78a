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
	to                          gvk // no kind: nothing replaces it
	toPlural                    string
	deprecated, removed, served int    // minor versions; served is the first that has to
	advice                      string // what to do where nothing replaces it
	id                          string // "" = made of the names
	file                        bool   // a program reads it from a file: it is no resource
}

// unserved are kinds that no API server serves under a path of their own, so that no
// manifest has them.
var unserved = map[string]string{
	"Scale":              "the kind of a subresource",
	"DeploymentRollback": "the kind of a subresource",
	"JobTemplate":        "was registered and never served",
	"AdmissionReview":    "the API server still sends v1beta1 to webhooks that ask for it",
}

// byHand are changes that the published types do not tell. Those without a source were in
// the ruleset before it was generated; their versions are not checked against a changelog.
var byHand = []change{
	// k8s.io/api never had ReplicaSet in this version; the deprecation guide names it.
	{from: gvk{"apps", "v1beta1", "ReplicaSet"}, to: gvk{"apps", "v1", "ReplicaSet"}, removed: 16},
	// Types of releases that the module proxy does not have.
	{from: gvk{"extensions", "v1beta1", "Job"}, to: gvk{"batch", "v1", "Job"}, removed: 8},
	{from: gvk{"extensions", "v1beta1", "HorizontalPodAutoscaler"}, to: gvk{"autoscaling", "v1", "HorizontalPodAutoscaler"}, removed: 8},
	{from: gvk{"apps", "v1alpha1", "PetSet"}, to: gvk{"apps", "v1", "StatefulSet"}, toPlural: "statefulsets", removed: 5},
	{from: gvk{"batch", "v2alpha1", "ScheduledJob"}, to: gvk{"batch", "v1", "CronJob"}, toPlural: "cronjobs", removed: 8},
	{from: gvk{"extensions", "", "ThirdPartyResource"}, removed: 8, id: "thirdpartyresources",
		advice: "ThirdPartyResource is gone since 1.8; write a CustomResourceDefinition"},
	// Alpha versions whose types are still there to read old objects; pluto has the same
	// versions for rbac, and 1.17 for scheduling.
	{from: gvk{"rbac.authorization.k8s.io", "v1alpha1", "ClusterRole"}, to: gvk{"rbac.authorization.k8s.io", "v1", "ClusterRole"}, deprecated: 17, removed: 22},
	{from: gvk{"rbac.authorization.k8s.io", "v1alpha1", "ClusterRoleBinding"}, to: gvk{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"}, deprecated: 17, removed: 22},
	{from: gvk{"rbac.authorization.k8s.io", "v1alpha1", "Role"}, to: gvk{"rbac.authorization.k8s.io", "v1", "Role"}, deprecated: 17, removed: 22},
	{from: gvk{"rbac.authorization.k8s.io", "v1alpha1", "RoleBinding"}, to: gvk{"rbac.authorization.k8s.io", "v1", "RoleBinding"}, deprecated: 17, removed: 22},
	{from: gvk{"scheduling.k8s.io", "v1alpha1", "PriorityClass"}, to: gvk{"scheduling.k8s.io", "v1", "PriorityClass"}, deprecated: 14, removed: 22},
	{from: gvk{"node.k8s.io", "v1alpha1", "RuntimeClass"}, to: gvk{"node.k8s.io", "v1", "RuntimeClass"}, deprecated: 22, removed: 24},
	// The policy of the audit log is a file of the API server; the versions are those of pluto.
	{from: gvk{"audit.k8s.io", "v1alpha1", "Policy"}, to: gvk{"audit.k8s.io", "v1", "Policy"}, deprecated: 21, removed: 24, served: 12, file: true},
	{from: gvk{"audit.k8s.io", "v1beta1", "Policy"}, to: gvk{"audit.k8s.io", "v1", "Policy"}, deprecated: 21, removed: 24, served: 12, file: true},
	{from: gvk{"audit.k8s.io", "v1alpha1", "Event"}, deprecated: 21, removed: 24, file: true,
		advice: "Kubernetes 1.24 and later write events of audit.k8s.io/v1 to the audit log"},
	{from: gvk{"audit.k8s.io", "v1beta1", "Event"}, deprecated: 21, removed: 24, file: true,
		advice: "Kubernetes 1.24 and later write events of audit.k8s.io/v1 to the audit log"},
	// Nothing replaces these; the text says what to do instead.
	{from: gvk{"policy", "", "PodSecurityPolicy"}, deprecated: 21, removed: 25, id: "psp-policy",
		advice: "PodSecurityPolicy is gone since 1.25; label namespaces for Pod Security Admission, or use a policy engine"},
	{from: gvk{"extensions", "", "PodSecurityPolicy"}, deprecated: 11, removed: 16, id: "psp-extensions",
		advice: "PodSecurityPolicy is gone since 1.25; label namespaces for Pod Security Admission, or use a policy engine"},
	{from: gvk{"settings.k8s.io", "", "PodPreset"}, removed: 20, id: "podpresets",
		advice: "PodPreset is gone since 1.20; use a mutating webhook"},
	{from: gvk{"auditregistration.k8s.io", "", "AuditSink"}, removed: 19, id: "auditsinks",
		advice: "AuditSink is gone since 1.19; configure the audit webhook of the API server"},
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

// changes are all kinds that are gone or will be, in the order in which they go.
func (h history) changes() []change {
	var all []change
	for from, l := range h {
		if c, ok := h.change(from, l); ok {
			all = append(all, c)
		}
	}
	for _, c := range byHand {
		if c.to.kind != "" {
			c.served = cmp.Or(c.served, h.since(c.to))
		}
		if !c.file {
			c.plural = plural(c.from.kind)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b change) int {
		return cmp.Or(a.removed-b.removed, strings.Compare(a.from.group, b.from.group), strings.Compare(a.from.version, b.from.version), strings.Compare(a.from.kind, b.from.kind))
	})
	return all
}

// change is what becomes of a kind that goes.
func (h history) change(from gvk, l *life) (change, bool) {
	removed := l.gone(h.newest())
	known := slices.ContainsFunc(byHand, func(c change) bool {
		return c.from.group == from.group && c.from.kind == from.kind && (c.from.version == "" || c.from.version == from.version)
	})
	if removed == 0 || unserved[from.kind] != "" || known {
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
func (h history) rules() []byte {
	var b bytes.Buffer
	shown := 0
	for _, c := range h.changes() {
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
	id := c.id
	if id == "" {
		group, _, _ := strings.Cut(c.from.group, ".")
		id = plural(c.from.kind) + "-" + group + "-" + c.from.version
	}
	from := fields("group", c.from.group, "version", c.from.version, "kind", c.from.kind, "plural", c.plural)
	what := "removed: " + fmt.Sprintf("%q", c.advice)
	if c.to.kind != "" {
		to := []string{"version", c.to.version}
		if c.to.group != c.from.group {
			to = append([]string{"group", c.to.group}, to...)
		}
		if c.to.kind != c.from.kind {
			to = append(to, "kind", c.to.kind, "plural", c.toPlural)
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
