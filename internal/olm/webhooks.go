package olm

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// A hook is an admission webhook, of either kind.
type hook struct {
	kind string // as a CSV says it: "ValidatingAdmissionWebhook"
	admission.MutatingWebhook
}

// webhooks are the webhook definitions, sorted by name, and notes on those
// that OLM cannot serve.
func (c *collection) webhooks() (list []webhook, notes []string) {
	slices.SortStableFunc(c.hooks, func(a, b hook) int { return -strings.Compare(a.kind, b.kind) }) // validating ones first
	for _, v := range c.hooks {
		w := webhook{
			GenerateName: v.Name, Type: v.kind, Rules: v.Rules, FailurePolicy: v.FailurePolicy,
			MatchPolicy: v.MatchPolicy, ObjectSelector: v.ObjectSelector, SideEffects: v.SideEffects,
			TimeoutSeconds: v.TimeoutSeconds, AdmissionReviewVersions: v.AdmissionReviewVersions,
			ReinvocationPolicy: v.ReinvocationPolicy,
		}
		notes = append(notes, c.serve(&w, v.ClientConfig)...)
		list = append(list, w)
	}
	list = append(list, c.conversions()...)
	// Not stable, as in operator-sdk: of more than twelve, those of one name come in its order.
	sort.Slice(list, func(i, j int) bool { return list[i].GenerateName < list[j].GenerateName })
	return list, notes
}

// serve fills in which Deployment answers a webhook, and where.
func (c *collection) serve(w *webhook, client admission.WebhookClientConfig) []string {
	if len(w.AdmissionReviewVersions) == 0 {
		w.AdmissionReviewVersions = []string{"v1beta1"}
	}
	w.SideEffects = cmp.Or(w.SideEffects, ptr.To(admission.SideEffectClassNone))
	ref := client.Service
	if ref == nil {
		return []string{fmt.Sprintf("webhook %s has no service: OLM cannot serve it", w.GenerateName)}
	}
	service := c.service(ref.Name)
	w.port(service, ref.Port)
	if service != nil && service.Spec.Type != core.ServiceTypeExternalName && len(service.Spec.Selector) > 0 {
		w.DeploymentName = c.selected(service)
	}
	w.WebhookPath = ref.Path
	if w.DeploymentName != "" {
		return nil
	}
	w.DeploymentName = strings.TrimSuffix(ref.Name, "-service")
	return []string{fmt.Sprintf("webhook %s: service %s selects no Deployment; took the name %s", w.GenerateName, ref.Name, w.DeploymentName)}
}

// port takes the ports from the service; without one they stay unset.
func (w *webhook) port(service *core.Service, port *int32) {
	if service == nil {
		return
	}
	for _, p := range service.Spec.Ports {
		if p.Port == ptr.Deref(port, 443) {
			w.ContainerPort, w.TargetPort = p.Port, &p.TargetPort
			return
		}
	}
}

// service is the first of that name.
func (c *collection) service(name string) *core.Service {
	for i := range c.services {
		if s := &c.services[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// selected is the name of the first Deployment whose pods a service selects.
func (c *collection) selected(service *core.Service) string {
	wanted := labels.SelectorFromSet(service.Spec.Selector)
	for _, d := range c.deployments {
		if of := labels.Set(d.Spec.Template.Labels); len(of) > 0 && wanted.Matches(of) {
			return d.Name
		}
	}
	return ""
}

// A conversion is what a CRD says of the webhook that converts between its versions.
type conversion struct {
	crd      string // its name
	path     string
	port     *int32 // of the service; nil = 443
	versions []string
}

// conversions are the webhooks that convert between versions of CRDs. CRDs that
// share a service and a path share a webhook, unless they name a port:
// operator-sdk takes each that does for itself.
func (c *collection) conversions() []webhook {
	var list []webhook
	for i := range c.services {
		service := &c.services[i]
		shared := map[string]int{} // index in list, by path
		for _, conv := range c.conversionsOf(service.Name) {
			at, ok := shared[conv.path]
			if !ok || conv.port != nil {
				at = len(list)
				list = append(list, c.conversionBy(service, conv))
			}
			if conv.port == nil {
				shared[conv.path] = at
			}
			list[at].ConversionCRDs = append(list[at].ConversionCRDs, conv.crd)
		}
	}
	for i := range list {
		slices.Sort(list[i].ConversionCRDs)
		list[i].GenerateName = conversionName(list[i].ConversionCRDs)
	}
	return list
}

// conversionBy is the webhook by which a service converts.
func (c *collection) conversionBy(service *core.Service, conv conversion) webhook {
	w := webhook{
		Type: "ConversionWebhook", WebhookPath: &conv.path, SideEffects: ptr.To(admission.SideEffectClassNone),
		DeploymentName:          cmp.Or(c.selected(service), strings.TrimSuffix(service.Name, "-service")),
		AdmissionReviewVersions: conv.versions,
	}
	w.port(service, conv.port)
	return w
}

// conversionsOf lists the CRDs that a service converts.
func (c *collection) conversionsOf(service string) []conversion {
	var list []conversion
	for _, crd := range c.crds {
		conv := crd.Spec.Conversion
		if conv == nil || conv.Webhook == nil || conv.Webhook.ClientConfig == nil {
			continue
		}
		if ref := conv.Webhook.ClientConfig.Service; ref != nil && ref.Name == service {
			list = append(list, conversion{crd.Name, ptr.Deref(ref.Path, ""), ref.Port, conv.Webhook.ConversionReviewVersions})
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
