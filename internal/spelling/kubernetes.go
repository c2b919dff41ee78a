package spelling

import (
	"slices"
	"strings"
)

// ofKubernetes are the resources of Kubernetes itself.
// Source: k8s.io/api, apiextensions-apiserver and kube-aggregator, the types with +genclient.
var ofKubernetes = strings.Fields(`
apiservices bindings certificatesigningrequests clusterrolebindings clusterroles clustertrustbundles componentstatuses
configmaps controllerrevisions cronjobs csidrivers csinodes csistoragecapacities customresourcedefinitions daemonsets
deployments deviceclasses devicetaintrules endpoints endpointslices events evictions flowschemas horizontalpodautoscalers ingressclasses
ingresses ipaddresses jobs leasecandidates leases limitranges localsubjectaccessreviews mutatingadmissionpolicies
mutatingadmissionpolicybindings mutatingwebhookconfigurations namespaces networkpolicies nodes persistentvolumeclaims
persistentvolumes podcertificaterequests poddisruptionbudgets pods podsecuritypolicies podtemplates priorityclasses prioritylevelconfigurations
replicasets replicationcontrollers resourceclaims resourceclaimtemplates resourcequotas resourceslices rolebindings roles
runtimeclasses secrets selfsubjectaccessreviews selfsubjectreviews selfsubjectrulesreviews serviceaccounts servicecidrs
services statefulsets storageclasses storageversionmigrations storageversions subjectaccessreviews tokenreviews
validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations volumeattachments
volumeattributesclasses`)

// KindOfKubernetes says whether a kind has the name of one that every cluster has: a name without a
// group refers to that one.
func KindOfKubernetes(kind string) bool {
	return kind == "Scale" || slices.ContainsFunc(Plurals(kind), OfKubernetes)
}

// OfKubernetes says whether a resource, by its plural, is one of Kubernetes itself.
func OfKubernetes(plural string) bool { return slices.Contains(ofKubernetes, plural) }
