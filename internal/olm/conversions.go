package olm

import (
	"cmp"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
)

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
		Type: "ConversionWebhook", WebhookPath: &conv.path, DeploymentName: c.selected(service),
		AdmissionReviewVersions: conv.versions,
	}
	w.DeploymentName = cmp.Or(w.DeploymentName, strings.TrimSuffix(service.Name, "-service"))
	w.defaultSideEffects()
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
			list = append(list, conversion{crd.Name, pathOf(ref.Path), ref.Port, conv.Webhook.ConversionReviewVersions})
		}
	}
	return list
}

// pathOf is the path of a webhook; empty when it names none.
func pathOf(path *string) string {
	if path == nil {
		return ""
	}
	return *path
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
