package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Clients of Kubernetes in other languages than Go name its APIs in identifiers, too: the
// class of a group and version, PolicyV1beta1Api, and the model of a kind,
// V1beta1PodDisruptionBudget, in what is generated of its OpenAPI document (Python,
// JavaScript, Java, C#, Ruby); policy.v1beta1.PodDisruptionBudget in packages of fabric8,
// policy().v1beta1().podDisruptionBudget() in its calls, and policy::v1beta1::PodDisruptionBudget
// in crates of Rust.
// Source: kubernetes-client/gen; fabric8io/kubernetes-client; Arnavion/k8s-openapi.

// A model is how a kind of Kubernetes is named in one version, or its API.
type model struct {
	name  string
	group string // before the name, in models of kinds that several groups have: NetworkingV1beta1Ingress
	known rules.GVK
}

// modelsOf are the models of the kinds that are known, of groups that Kubernetes has itself.
func modelsOf(known []rules.GVK) []model {
	var list []model
	for _, g := range known {
		if g.Kind == "" || g.Version == "" || strings.Contains(g.Group, ".") && !strings.HasSuffix(g.Group, ".k8s.io") {
			continue
		}
		title, labels := "", strings.Split(strings.TrimSuffix(g.Group, ".k8s.io"), ".")
		for _, label := range labels {
			title += GoName(label)
		}
		version := "V" + g.Version[1:]
		list = append(list, model{title + version + "Api", "", g}, model{version + g.Kind, title, g},
			model{labels[0] + "." + g.Version + "." + g.Kind, "", g}, model{labels[0] + "::" + g.Version + "::" + g.Kind, "", g},
			model{labels[0] + "()." + g.Version + "()." + LowerFirst(g.Kind), "", g}, model{labels[0] + "()." + g.Version + "()." + LowerFirst(goPlural(g.Kind)), "", g})
	}
	slices.SortStableFunc(list, func(a, b model) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(list, func(a, b model) bool { return a.name == b.name && strings.HasSuffix(a.name, "Api") })
}

// apiModels finds the classes and models of clients in source.
func (a *analysis) apiModels(v *text.View) {
	for _, m := range a.models {
		for at := 0; ; {
			n := bytes.Index(v.Data[at:], []byte(m.name))
			if n < 0 {
				break
			}
			word := source.Span{Start: at + n, End: at + n + len(m.name)}
			if at = word.End; a.namesModel(v.Data, m, word) {
				a.found(Site{Doc: v, Token: Token{Group: word, Word: word, Known: m.known}, Place: TypedCall})
			}
		}
	}
}

// namesModel says whether a word is the name of a model, or of what belongs to one: its list,
// its spec, its status.
func (a *analysis) namesModel(data []byte, m model, word source.Span) bool {
	left, rest := bytes.TrimSuffix(data[:word.Start], []byte(m.group)), data[word.End:]
	for _, more := range []string{"List", "Spec", "Status"} {
		rest = bytes.TrimPrefix(rest, []byte(more))
	}
	return (len(left) == 0 || !text.IsIdent(left[len(left)-1])) && (len(rest) == 0 || !text.IsIdent(rest[0]))
}
