package find

import (
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What rows of yamlPlaces ask about names that are no groups: of labels, hosts,
// controllers, objects.

// keyShapes are what the key of a label may be spelled like.
var keyShapes = []Shape{GroupVersion, GroupVersionKind, GroupKind, GroupResource, Resource, Key, Bare}

var (
	isFinalizer = isKey("(?i)^finalizers?(_?name)?$")
	isHost      = isKey("(?i)^(hosts?|host_?names?|dns_?names?|common_?name|fqdn|server_?name|sni)$")
	isImage     = isKey("(?i)image(_?(name|repository|repo))?$|^(repository|newName)$")
	isKeyField  = isKey("^([a-z]+K|k)ey$")
)

// namesKey says whether a value is the key of a label, annotation, taint or
// finalizer: key and topologyKey have one, and the value of a variable that is
// named after one.
func namesKey(e *entry) bool {
	name := e.key()
	if name == "value" {
		of := e.t.Sibling(e.i, "name")
		return of >= 0 && keyVariable.MatchString(e.t.Text(of))
	}
	return name == "topologyKey" || name == "key" && e.t.Sibling(e.i, "resource") < 0 || keyVariable.MatchString(name) && isKeyField(name)
}

// keyVariable is the name of a variable, field or flag for the key of a label,
// an annotation or a taint, for a finalizer or for the lock of an election.
var keyVariable = lazyregexp.New(`(?i)(label|annotation|taint|topology)([-_.]?keys?)?$|finalizer([-_.]?(names?|keys?))?s?$|leader[-_.]?election[-_.]?(id|name|resource[-_.]?name)$`)

// selectsLabel says whether a list of values stands beside the key and the
// operator of a selector.
func selectsLabel(e *entry) bool {
	at := e.holder()
	return at >= 0 && e.t.Sibling(at, "key") >= 0 && e.t.Sibling(at, "operator") >= 0
}

// isAgreed says whether a value is a name that objects and those who serve them
// have agreed on: of a controller, a driver, a signer, or the type of an object.
// Source: GatewayClass, IngressClass, StorageClass, CSIDriver, CertificateSigningRequest, Secret.
func isAgreed(e *entry) bool {
	name := e.key()
	return agreedKey(name) || name == "type" && e.t.Nodes[e.i].Parent < 0 && rules.KindName.MatchString(e.t.Text(e.t.Sibling(e.i, "kind")))
}

var agreedKey = isKey("^(controllerName|controller|provisioner|driver|signerName|schedulerName|loadBalancerClass|managedBy)$")

// isSigner says whether a name is that of a signer of certificates, or a
// pattern of some: it is spelled like an object of a resource.
// Source: CertificateSigningRequest, and the permission to approve for signers.
func isSigner(e *entry) bool {
	if name := e.key(); name == "resourceNames" {
		list := e.t.Sibling(e.holder(), "resources")
		return list >= 0 && slices.Contains(e.t.TextsOf(e.t.Children(list)), "signers")
	} else if at := e.holder(); at >= 0 && inSchema(name) && e.t.Nodes[at].Parent >= 0 {
		return signerKey(e.t.KeyText(e.t.Nodes[at].Parent))
	} else {
		return signerKey(name)
	}
}

// grantsOthers says whether a rule of permissions names objects that may have any
// name: it is about no CRDs and no APIServices.
// Source: apiextensions.k8s.io and apiregistration.k8s.io, whose objects are named after a group.
func grantsOthers(e *entry) bool {
	list := e.t.Sibling(e.holder(), "resources")
	return list >= 0 && !slices.ContainsFunc(e.t.TextsOf(e.t.Children(list)), func(name string) bool {
		name, _, _ = strings.Cut(name, "/")
		return name == "customresourcedefinitions" || name == "apiservices" || !rules.PluralName.MatchString(name)
	})
}

// grantsCRDs says whether a rule of permissions names CRDs.
func grantsCRDs(e *entry) bool {
	list := e.t.Sibling(e.holder(), "resources")
	return list >= 0 && e.tok.Known.Version == "" && e.tok.Prefix != "" && !strings.Contains(e.tok.Prefix, ".") && slices.ContainsFunc(e.t.TextsOf(e.t.Children(list)), func(name string) bool {
		name, _, _ = strings.Cut(name, "/")
		return name == "customresourcedefinitions"
	})
}

// grantsAPIs says whether a rule of permissions names an APIService.
func grantsAPIs(e *entry) bool {
	list := e.t.Sibling(e.holder(), "resources")
	return list >= 0 && rules.APIVersion.MatchString(e.tok.Prefix) && slices.ContainsFunc(e.t.TextsOf(e.t.Children(list)), func(name string) bool {
		name, _, _ = strings.Cut(name, "/")
		return name == "apiservices"
	})
}

// inSchema is a key of the schema of a property that has a value of it.
var inSchema = isKey("^(default|const|enum|examples?)$")

var (
	signerKey = isKey("(?i)signer_?(names?)?s?$")
	// resourceList is a list of resources in which a wildcard stands for those of a group.
	// Source: EncryptionConfiguration; Crossplane, ManagedResourceActivationPolicy.
	resourceList = isKey("^(resources|activate)$")
)

// inKustomization says whether a name stands in a kustomization, which names
// files and folders.
func inKustomization(e *entry) bool {
	return strings.EqualFold(strings.TrimSuffix(path.Base(e.path), path.Ext(e.path)), "kustomization")
}

// listsFolders says whether a value of a kustomization stands in a list at its top, or in
// an item of one, and not among the values of a chart.
func listsFolders(e *entry) bool {
	at := e.holder()
	for deep := 0; at >= 0 && deep < 2; deep++ {
		if at = e.t.Up(e.t.Nodes[at].Parent); at < 0 {
			return inKustomization(e)
		}
	}
	return false
}

// namesLease says whether a name is that of a Lease: of the lock of an election.
func namesLease(e *entry) bool {
	meta := e.t.Nodes[e.i].Parent
	return meta >= 0 && e.t.KeyText(meta) == "metadata" && e.t.Text(e.t.Sibling(meta, "kind")) == "Lease"
}

// namesOther says whether a name is that of an object whose name is free: of a
// kind that is not spelled plural.group by definition.
// Source: apiextensions.k8s.io, and whatever else defines names and a group.
func namesOther(e *entry) bool {
	if kind := e.t.Text(e.t.Sibling(e.i, "kind")); kind != "" { // a reference
		return otherKind(kind) && !e.kinds[kind] && !slices.Contains(rules.Plurals(kind), e.tok.Prefix)
	}
	meta := e.t.Nodes[e.i].Parent
	return meta >= 0 && e.t.KeyText(meta) == "metadata" && otherKind(e.t.Text(e.t.Sibling(meta, "kind"))) && crdSpec(e.t, e.i) < 0
}

// refersToOther says whether a value is the name of an object of Kubernetes' own by the field
// that holds it: secretName, or the name in a configMapKeyRef.
// Source: k8s.io/api/core/v1, VolumeSource, EnvFromSource, EnvVarSource, ServiceSpec, PodSpec.
func refersToOther(e *entry) bool {
	name, parent := e.key(), e.t.Nodes[e.i].Parent
	return otherNames.MatchString(name) || name == "name" && parent >= 0 && otherReferences.MatchString(e.t.KeyText(parent))
}

var (
	otherNames      = lazyregexp.New(`^(secret|configMap|external|service|claim|serviceAccount)Name$`)
	otherReferences = lazyregexp.New(`^(secret|configMap)((Key)?Ref)?$`)
)

// isLabel says whether an entry is one of labels or annotations, or of what a Service selects
// its pods by, whatever it is called.
func isLabel(e *entry) bool {
	parent := e.t.Nodes[e.i].Parent
	if parent < 0 {
		return false
	}
	low := strings.ToLower(e.t.KeyText(parent))
	return strings.HasSuffix(low, "labels") || strings.HasSuffix(low, "annotations") || low == "selector" && e.t.Text(e.t.Value(-1, "kind")) == "Service"
}

// otherKind says whether the objects of a kind may have any name.
func otherKind(kind string) bool {
	return rules.KindName.MatchString(kind) && kind != "CustomResourceDefinition" && kind != "APIService"
}

// speaksOfOther says whether a key tells of something else than a group: a host,
// an address, who made something, a prefix of keys, text for people.
func speaksOfOther(e *entry) bool {
	name := e.key()
	if name == "value" || inSchema(name) {
		if of := e.t.Sibling(e.i, "name"); of >= 0 {
			name = e.t.Text(of)
		} else if at := e.holder(); at >= 0 && e.t.Nodes[at].Parent >= 0 {
			name = e.t.KeyText(e.t.Nodes[at].Parent)
		}
	}
	return speaksOf(name, true) != nil
}

var isCondition = isKey("(?i)condition(_?types?|_?reasons?|s)?$|condition[A-Z]|Condition")

// ofCondition says whether a value is the type of a condition or its reason.
// Source: metav1.Condition, PodReadinessGate.
func ofCondition(e *entry) bool {
	switch key := e.key(); key {
	case "type":
		return (e.t.Sibling(e.i, "status") >= 0 || e.inConditions()) && e.t.Sibling(e.i, "kind") < 0
	case "reason":
		return e.t.Sibling(e.i, "type") >= 0 || e.t.Sibling(e.i, "status") >= 0 || e.inConditions()
	default:
		return isCondition(key)
	}
}

// inConditions says whether a value is in an item of a list of conditions: one that
// is asked for tells no status.
func (e *entry) inConditions() bool {
	item := e.t.Nodes[e.i].Parent
	return item >= 0 && e.t.Nodes[item].Seq && isCondition(e.t.KeyText(e.t.Nodes[item].Parent))
}

// countsResources says whether a key is that of an extended resource of nodes.
func countsResources(e *entry) bool {
	p := e.t.Nodes[e.i].Parent
	return p >= 0 && countedIn(e.t.KeyText(p))
}

var countedIn = isKey("^(limits|requests|capacity|allocatable)$")

// isCount says whether a key counts the objects of a resource in a quota.
// Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/#object-count-quota
func isCount(e *entry) bool {
	return strings.HasSuffix(string(e.v.Data[max(0, e.tok.Word.Start-6):e.tok.Word.Start]), "count/")
}

// labelParents are mappings whose keys and values are labels, annotations or
// selectors of them.
var labelParents = []string{"nodeSelector", "selector", "pairs"}

// holdsLabels says whether a key of that name has labels, annotations or a
// selector of them below: podLabels, commonAnnotations, pairs of kustomize.
func holdsLabels(name string) bool {
	low := strings.ToLower(name)
	return slices.Contains(labelParents, name) || strings.HasSuffix(low, "labels") || strings.HasSuffix(low, "annotations")
}

// inLabels says whether node i is an entry of a mapping of labels. A selector
// of objects by apiVersion and kind is none.
func inLabels(t *text.Tree, i int32) bool {
	p := t.Nodes[i].Parent
	return p >= 0 && holdsLabels(t.KeyText(p)) && !(t.KeyText(i) == "apiVersion" && t.Sibling(i, "kind") >= 0)
}

// mayNameCRD says whether a key is spelled like the name of a CRD and is no label.
func mayNameCRD(e *entry) bool {
	n := e.t.Nodes[e.i]
	return mayBeResource(e.tok) && e.tok.Word == n.Key && !inLabels(e.t, e.i) && !countsResources(e)
}
