package bundle

import (
	"fmt"
	"slices"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

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

// setWebhooks writes the webhook definitions, sorted by name, and notes those
// that OLM cannot serve.
func (c *collection) setWebhooks(spec map[string]any) []string {
	var list []webhook
	var notes []string
	for _, v := range c.validating {
		w := webhook{
			GenerateName: v.Name, Type: "ValidatingAdmissionWebhook", Rules: v.Rules, FailurePolicy: v.FailurePolicy,
			MatchPolicy: v.MatchPolicy, ObjectSelector: v.ObjectSelector, SideEffects: v.SideEffects,
			TimeoutSeconds: v.TimeoutSeconds, AdmissionReviewVersions: v.AdmissionReviewVersions,
		}
		notes = append(notes, c.serve(&w, v.ClientConfig)...)
		list = append(list, w)
	}
	for _, v := range c.mutating {
		w := webhook{
			GenerateName: v.Name, Type: "MutatingAdmissionWebhook", Rules: v.Rules, FailurePolicy: v.FailurePolicy,
			MatchPolicy: v.MatchPolicy, ObjectSelector: v.ObjectSelector, SideEffects: v.SideEffects,
			TimeoutSeconds: v.TimeoutSeconds, AdmissionReviewVersions: v.AdmissionReviewVersions,
			ReinvocationPolicy: v.ReinvocationPolicy,
		}
		notes = append(notes, c.serve(&w, v.ClientConfig)...)
		list = append(list, w)
	}
	list = append(list, c.conversions()...)
	slices.SortStableFunc(list, func(a, b webhook) int { return strings.Compare(a.GenerateName, b.GenerateName) })
	setOrDelete(spec, "webhookdefinitions", list)
	return notes
}

// serve fills in which Deployment answers a webhook, and where.
func (c *collection) serve(w *webhook, client admission.WebhookClientConfig) []string {
	if len(w.AdmissionReviewVersions) == 0 {
		w.AdmissionReviewVersions = []string{"v1beta1"}
	}
	w.defaultSideEffects()
	ref := client.Service
	if ref == nil {
		return []string{fmt.Sprintf("webhook %s has no service: OLM cannot serve it", w.GenerateName)}
	}
	service := c.service(ref.Name)
	w.port(service, ref.Port)
	w.DeploymentName = c.selected(service)
	w.WebhookPath = ref.Path
	if w.DeploymentName != "" {
		return nil
	}
	w.DeploymentName = strings.TrimSuffix(ref.Name, "-service")
	return []string{fmt.Sprintf("webhook %s: service %s selects no Deployment; took the name %s", w.GenerateName, ref.Name, w.DeploymentName)}
}

func (w *webhook) defaultSideEffects() {
	if w.SideEffects == nil {
		none := admission.SideEffectClassNone
		w.SideEffects = &none
	}
}

// port takes the ports from the service; without one they stay unset.
func (w *webhook) port(service *core.Service, port *int32) {
	want := int32(443)
	if port != nil {
		want = *port
	}
	if service == nil {
		return
	}
	for _, p := range service.Spec.Ports {
		if p.Port == want {
			target := p.TargetPort
			w.ContainerPort, w.TargetPort = p.Port, &target
			return
		}
	}
}

// service is the one of that name that selects pods.
func (c *collection) service(name string) *core.Service {
	for i := range c.services {
		s := &c.services[i]
		if s.Name == name && s.Spec.Type != core.ServiceTypeExternalName && len(s.Spec.Selector) > 0 {
			return s
		}
	}
	return nil
}

// selected is the name of the first Deployment whose pods a service selects.
func (c *collection) selected(service *core.Service) string {
	if service == nil {
		return ""
	}
	for _, d := range c.deployments {
		if len(d.Spec.Template.Labels) > 0 && selects(service, d) {
			return d.Name
		}
	}
	return ""
}

func selects(service *core.Service, d apps.Deployment) bool {
	for key, value := range service.Spec.Selector {
		if got, ok := d.Spec.Template.Labels[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// conversions are the webhooks that convert between versions of CRDs: one for
// each port and path of a service.
func (c *collection) conversions() []webhook {
	var list []webhook
	for i := range c.services {
		service := &c.services[i]
		for _, crd := range c.conversionsOf(service.Name) {
			ref := crd.Spec.Conversion.Webhook.ClientConfig.Service
			path := ""
			if ref.Path != nil {
				path = *ref.Path
			}
			at := slices.IndexFunc(list, func(w webhook) bool {
				return *w.WebhookPath == path && w.DeploymentName == c.convertedBy(service)
			})
			if at < 0 {
				w := webhook{
					Type: "ConversionWebhook", WebhookPath: &path, DeploymentName: c.convertedBy(service),
					AdmissionReviewVersions: crd.Spec.Conversion.Webhook.ConversionReviewVersions,
				}
				w.defaultSideEffects()
				w.port(service, ref.Port)
				list = append(list, w)
				at = len(list) - 1
			}
			list[at].ConversionCRDs = append(list[at].ConversionCRDs, crd.Name)
		}
	}
	for i := range list {
		slices.Sort(list[i].ConversionCRDs)
		list[i].GenerateName = conversionName(list[i].ConversionCRDs)
	}
	return list
}

func (c *collection) convertedBy(service *core.Service) string {
	if name := c.selected(service); name != "" {
		return name
	}
	return strings.TrimSuffix(service.Name, "-service")
}

// conversionsOf lists the CRDs that a service converts.
func (c *collection) conversionsOf(service string) []crdv1.CustomResourceDefinition {
	var list []crdv1.CustomResourceDefinition
	for _, crd := range c.crds {
		conversion := crd.Spec.Conversion
		if conversion != nil && conversion.Webhook != nil && conversion.Webhook.ClientConfig != nil &&
			conversion.Webhook.ClientConfig.Service != nil && conversion.Webhook.ClientConfig.Service.Name == service {
			list = append(list, crd)
		}
	}
	return list
}

// conversionName joins the plurals of CRDs to the name of their webhook.
func conversionName(crds []string) string {
	var b strings.Builder
	for _, name := range crds {
		plural, _, _ := strings.Cut(name, ".")
		b.WriteString(plural)
	}
	return "c" + b.String() + ".kb.io"
}
