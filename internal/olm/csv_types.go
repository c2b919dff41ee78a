package olm

import (
	"encoding/json"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The types below are the ClusterServiceVersion as operators.coreos.com/v1alpha1
// declares it: which members there are, and which of them are written when
// they are empty. Reading a base into them and writing it again is what gives a
// CSV its form: members that OLM does not know are gone, and the others have
// their own spelling ("displayname" of a base is written "displayName").
//
// Source: operator-framework/api, pkg/operators/v1alpha1, v0.17 to v0.34. The
// module itself is not used: it brings client-go.

type clusterServiceVersion struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`

	Spec csvSpec `json:"spec"`
}

type csvSpec struct {
	Install            install                 `json:"install"`
	Version            string                  `json:"version"`
	Maturity           string                  `json:"maturity,omitempty"`
	CRDs               apis[definition]        `json:"customresourcedefinitions"`
	APIServices        apis[apiService]        `json:"apiservicedefinitions"`
	WebhookDefinitions []webhook               `json:"webhookdefinitions,omitempty"`
	NativeAPIs         []meta.GroupVersionKind `json:"nativeAPIs,omitempty"`
	MinKubeVersion     string                  `json:"minKubeVersion,omitempty"`
	DisplayName        string                  `json:"displayName"`
	Description        string                  `json:"description,omitempty"`
	Keywords           []string                `json:"keywords,omitempty"`
	Maintainers        []maintainer            `json:"maintainers,omitempty"`
	Provider           link                    `json:"provider"`
	Links              []link                  `json:"links,omitempty"`
	Icon               []icon                  `json:"icon,omitempty"`
	InstallModes       []installMode           `json:"installModes,omitempty"`
	Replaces           string                  `json:"replaces,omitempty"`
	Labels             map[string]string       `json:"labels,omitempty"`
	Annotations        map[string]string       `json:"annotations,omitempty"`
	Selector           *meta.LabelSelector     `json:"selector,omitempty"`
	Cleanup            *cleanup                `json:"cleanup,omitempty"`
	Skips              []string                `json:"skips,omitempty"`
	RelatedImages      []relatedImage          `json:"relatedImages,omitempty"`
}

// install is how OLM installs the operator; "deployment" is the only strategy
// that there is.
type install struct {
	Strategy string   `json:"strategy"`
	Spec     strategy `json:"spec"`
}

type strategy struct {
	Deployments        []deployment  `json:"deployments"`
	Permissions        []permissions `json:"permissions,omitempty"`
	ClusterPermissions []permissions `json:"clusterPermissions,omitempty"`
}

// A deployment is a Deployment as a CSV writes it.
type deployment struct {
	Name  string              `json:"name"`
	Spec  apps.DeploymentSpec `json:"spec"`
	Label map[string]string   `json:"label,omitempty"`
}

// permissions are rules for one service account.
type permissions struct {
	ServiceAccountName string            `json:"serviceAccountName"`
	Rules              []rbac.PolicyRule `json:"rules"`
}

// apis says which APIs the operator brings, and which it needs.
type apis[T any] struct {
	Owned    []T `json:"owned,omitempty"`
	Required []T `json:"required,omitempty"`
}

// A definition describes one version of a CRD.
type definition struct {
	Name              string       `json:"name"`
	Version           string       `json:"version"`
	Kind              string       `json:"kind"`
	DisplayName       string       `json:"displayName,omitempty"`
	Description       string       `json:"description,omitempty"`
	Resources         []resource   `json:"resources,omitempty"`
	StatusDescriptors []descriptor `json:"statusDescriptors,omitempty"`
	SpecDescriptors   []descriptor `json:"specDescriptors,omitempty"`
	ActionDescriptors []descriptor `json:"actionDescriptors,omitempty"`
}

// An apiService describes one version of an aggregated API.
type apiService struct {
	definition
	Group          string `json:"group"`
	DeploymentName string `json:"deploymentName,omitempty"`
	ContainerPort  int32  `json:"containerPort,omitempty"`
}

// A resource is a kind that an operator makes for a custom resource.
type resource struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

// A descriptor says how a console shows a member of a custom resource.
type descriptor struct {
	Path         string          `json:"path"`
	DisplayName  string          `json:"displayName,omitempty"`
	Description  string          `json:"description,omitempty"`
	XDescriptors []string        `json:"x-descriptors,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
}

// A webhook is a webhook definition as a CSV writes it.
type webhook struct {
	GenerateName            string                            `json:"generateName"`
	Type                    string                            `json:"type"`
	DeploymentName          string                            `json:"deploymentName,omitempty"`
	ContainerPort           int32                             `json:"containerPort,omitempty"`
	TargetPort              *intstr.IntOrString               `json:"targetPort,omitempty"`
	Rules                   []admission.RuleWithOperations    `json:"rules,omitempty"`
	FailurePolicy           *admission.FailurePolicyType      `json:"failurePolicy,omitempty"`
	MatchPolicy             *admission.MatchPolicyType        `json:"matchPolicy,omitempty"`
	ObjectSelector          *meta.LabelSelector               `json:"objectSelector,omitempty"`
	SideEffects             *admission.SideEffectClass        `json:"sideEffects"`
	TimeoutSeconds          *int32                            `json:"timeoutSeconds,omitempty"`
	AdmissionReviewVersions []string                          `json:"admissionReviewVersions"`
	ReinvocationPolicy      *admission.ReinvocationPolicyType `json:"reinvocationPolicy,omitempty"`
	WebhookPath             *string                           `json:"webhookPath,omitempty"`
	ConversionCRDs          []string                          `json:"conversionCRDs,omitempty"`
}

type maintainer struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

type link struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

type icon struct {
	Data      string `json:"base64data"`
	MediaType string `json:"mediatype"`
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

type cleanup struct {
	Enabled bool `json:"enabled"`
}

// A relatedImage is an image that the operator uses, for disconnected clusters.
type relatedImage struct {
	Name  string `json:"name"`
	Image string `json:"image"`

	container string // where it was found; not written
}
