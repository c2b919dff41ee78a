package find

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A typed client names an API in Go without naming its group:
// c.PolicyV1beta1().PodDisruptionBudgets(ns). The method of the group and version
// and that of the resource together are a kind that is known, or another API.
// Source: k8s.io/code-generator, cmd/client-gen and cmd/informer-gen.

// A typedClient is the client of a group in Go, in one version or in any.
type typedClient struct {
	group, version string            // no version: whichever is called
	calls          []string          // PolicyV1beta1(), and Policy().V1beta1() of informers; without a version up to the V
	kinds          map[string]string // the method of each known resource, to its kind
}

// typedClients are those of the kinds that are known.
func typedClients(known []rules.GVK) []typedClient {
	var list []typedClient
	for _, g := range known {
		label := GoName(g.Group)
		if g.Kind == "" || label == "" {
			continue
		}
		i := slices.IndexFunc(list, func(c typedClient) bool { return c.group == g.Group && c.version == g.Version })
		if i < 0 {
			end := "V"
			if g.Version != "" {
				end += g.Version[1:] + "()"
			}
			i, list = len(list), append(list, typedClient{g.Group, g.Version, []string{label + end, label + "()." + end}, map[string]string{}})
		}
		list[i].kinds[goPlural(g.Kind)] = g.Kind
	}
	return list
}

// GoName is the first label of a group as an identifier.
func GoName(group string) string {
	label, _, _ := strings.Cut(group, ".")
	label = strings.ReplaceAll(label, "-", "")
	if label == "" {
		return ""
	}
	return strings.ToUpper(label[:1]) + label[1:]
}

// LowerFirst is a name with its first letter in lower case, as fields have it.
func LowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// goPlural is the method of the resource of a kind.
// Source: k8s.io/gengo/v2/namer, plural_namer.go.
func goPlural(kind string) string {
	stem, last := kind[:len(kind)-1], kind[len(kind)-1]
	before := byte(0)
	if stem != "" {
		before = stem[len(stem)-1]
	}
	switch {
	case kind == "Endpoints":
		return kind
	case strings.IndexByte("sxz", last) >= 0, last == 'h' && (before == 'c' || before == 's'):
		return kind + "es"
	case last == 'y' && strings.IndexByte("aeiou", before) < 0:
		return stem + "ies"
	case last == 'f':
		return stem + "ves"
	case last == 'e' && before == 'f':
		return stem[:len(stem)-1] + "ves"
	}
	return kind + "s"
}

// TypedNeedles are what source holds that uses a typed client of a kind that is known.
func (n *Names) TypedNeedles() []string {
	var list []string
	for _, c := range n.typed {
		list = append(list, c.calls...)
	}
	for _, m := range n.models {
		list = append(list, m.name)
	}
	return list
}

// typedCalls finds the calls of typed clients.
func (a *analysis) typedCalls(v *text.View) {
	for _, c := range a.typed {
		for _, call := range c.calls {
			a.typedCall(v, c, call)
		}
	}
}

func (a *analysis) typedCall(v *text.View, c typedClient, call string) {
	for at := 0; ; {
		n := bytes.Index(v.Data[at:], []byte(call))
		if n < 0 {
			return
		}
		start := at + n
		at = start + len(call)
		version, behind := c.version, methodBehind
		if version == "" {
			behind = versionBehind
		}
		rest := v.Data[at:min(len(v.Data), at+text.Nearby)]
		m := behind.FindSubmatchIndex(rest)
		if m == nil || start > 0 && text.IsIdent(v.Data[start-1]) {
			continue
		}
		if version == "" {
			version = "v" + string(rest[m[2]:m[3]])
		}
		method := m[len(m)-2:]
		if kind := c.kinds[string(rest[method[0]:method[1]])]; kind != "" && !(c.version == "" && isBuiltIn(c.group, version, kind)) {
			name := source.Span{Start: start, End: at}
			word := source.Span{Start: start, End: at + method[1]}
			a.found(Site{Doc: v, Token: Token{Group: name, Word: word, Known: rules.GVK{Group: c.group, Version: version, Kind: kind}}, Place: TypedCall})
		}
	}
}

// methodBehind is the call of a method behind another one, on its line or the
// next, behind a comment perhaps; versionBehind has the version before it.
var (
	methodBehind  = lazyregexp.New(`^\s*\.(?:\s|//[^\n]*\n)*([A-Z][A-Za-z0-9]*)\(`)
	versionBehind = lazyregexp.New(`^([1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)\(\)\s*\.(?:\s|//[^\n]*\n)*([A-Z][A-Za-z0-9]*)\(`)
)

// isBuiltIn says whether the call for a kind in a version is that of Kubernetes' own
// clients, of which the group of somebody else is spelled alike: BatchV1().Jobs is
// that of batch, and not of batch.volcano.sh.
func isBuiltIn(group, version, kind string) bool {
	if !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") {
		return false // it is its own
	}
	return slices.Contains(strings.Fields(builtIn[GoName(group)]), version+"/"+kind)
}

// IsBuiltInKind says whether Kubernetes itself has a kind of this name.
func IsBuiltInKind(kind string) bool {
	for _, group := range slices.Sorted(maps.Keys(builtIn)) {
		if strings.Contains(builtIn[group]+" ", "/"+kind+" ") {
			return true
		}
	}
	return false
}

// builtIn are the versions and kinds of Kubernetes' own clients, by the first label of
// their groups.
// Source: k8s.io/client-go, kubernetes/typed.
var builtIn = map[string]string{
	"Admissionregistration": "v1/MutatingWebhookConfiguration v1/ValidatingWebhookConfiguration v1/ValidatingAdmissionPolicy v1/ValidatingAdmissionPolicyBinding",
	"Apps":                  "v1/ControllerRevision v1/DaemonSet v1/Deployment v1/ReplicaSet v1/StatefulSet v1beta1/Deployment v1beta1/StatefulSet v1beta2/Deployment v1beta2/DaemonSet v1beta2/ReplicaSet v1beta2/StatefulSet",
	"Authentication":        "v1/TokenReview v1/SelfSubjectReview",
	"Authorization":         "v1/SubjectAccessReview v1/SelfSubjectAccessReview v1/SelfSubjectRulesReview v1/LocalSubjectAccessReview",
	"Autoscaling":           "v1/HorizontalPodAutoscaler v2/HorizontalPodAutoscaler v2beta1/HorizontalPodAutoscaler v2beta2/HorizontalPodAutoscaler",
	"Batch":                 "v1/Job v1/CronJob v1beta1/CronJob",
	"Certificates":          "v1/CertificateSigningRequest v1beta1/CertificateSigningRequest",
	"Coordination":          "v1/Lease v1beta1/Lease",
	"Core":                  "v1/ConfigMap v1/Endpoints v1/Event v1/LimitRange v1/Namespace v1/Node v1/PersistentVolume v1/PersistentVolumeClaim v1/Pod v1/PodTemplate v1/ReplicationController v1/ResourceQuota v1/Secret v1/Service v1/ServiceAccount",
	"Discovery":             "v1/EndpointSlice v1beta1/EndpointSlice",
	"Events":                "v1/Event v1beta1/Event",
	"Flowcontrol":           "v1/FlowSchema v1/PriorityLevelConfiguration",
	"Networking":            "v1/Ingress v1/IngressClass v1/NetworkPolicy v1beta1/Ingress v1beta1/IngressClass",
	"Node":                  "v1/RuntimeClass v1beta1/RuntimeClass",
	"Policy":                "v1/PodDisruptionBudget v1beta1/PodDisruptionBudget v1beta1/PodSecurityPolicy",
	"Rbac":                  "v1/Role v1/ClusterRole v1/RoleBinding v1/ClusterRoleBinding v1beta1/Role v1beta1/ClusterRole v1beta1/RoleBinding v1beta1/ClusterRoleBinding",
	"Resource":              "v1/DeviceClass v1/ResourceClaim v1/ResourceClaimTemplate v1/ResourceSlice",
	"Scheduling":            "v1/PriorityClass v1beta1/PriorityClass",
	"Storage":               "v1/StorageClass v1/VolumeAttachment v1/CSIDriver v1/CSINode v1/CSIStorageCapacity v1beta1/StorageClass v1beta1/VolumeAttachment",
}
