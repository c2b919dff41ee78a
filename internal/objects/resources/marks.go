package resources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A mark is what another tool wrote on an object to know it again. The copy is
// a second object: a mark by which a tool would take it for its own, and delete
// it as one that no one declares, must not be copied without a word.
type mark struct {
	tool  string
	where string // annotations or labels
	key   string
	drop  bool // it stays behind
	// what is said, with the value; empty = as the one before
	severity report.Severity
	message  string
	hint     string
}

const (
	annotations = "annotations"
	labels      = "labels"
)

// marks are the marks that are known, by tool.
//
//   - Argo CD finds the objects of an application by annotation or by label
//     (argo-cd.readthedocs.io, user guide, resource tracking).
//   - kapp finds those of an app by label (carvel.dev/kapp, "diff and labels").
//   - kubectl finds those of an ApplySet by label (KEP-3659).
//   - Helm and Flux delete what their own inventory names; their marks say who
//     may take an object over (helm.sh, "helm upgrade" of existing resources;
//     fluxcd.io, garbage collection).
var marks = []mark{
	{
		"Argo CD", annotations, "argocd.argoproj.io/tracking-id", true, report.Note,
		"its Argo CD tracking id %s is not copied: the application would prune the copy",
		"put the new manifest into the application's source; Argo CD then tracks it itself",
	},
	{tool: "Argo CD", where: annotations, key: "argocd.argoproj.io/installation-id", drop: true},
	{
		"Argo CD", labels, "argocd.argoproj.io/instance", false, report.Warning,
		"Argo CD may track it by the label argocd.argoproj.io/instance=%s: the copy has it, too, and an automated sync would prune it",
		"put the new manifest into the application's source before apply, or sync without prune",
	},
	{
		"kapp", labels, "kapp.k14s.io/app", false, report.Warning,
		"kapp tracks it by the label kapp.k14s.io/app=%s: the copy has it, too, and the next deploy would delete it",
		"put the new manifest into the app's source before apply",
	},
	{
		"kubectl", labels, "applyset.kubernetes.io/part-of", false, report.Warning,
		"it is part of the ApplySet %s: the copy is, too, and kubectl apply --prune would delete it",
		"put the new manifest into the set's source before apply",
	},
	{
		"Helm", annotations, "meta.helm.sh/release-name", false, report.Note,
		"its marks of the Helm release %s are kept: an upgrade to a chart that has the new kind takes the copy over",
		"",
	},
	{
		"Flux", labels, "kustomize.toolkit.fluxcd.io/name", false, report.Note,
		"its marks of the Flux Kustomization %s are kept: Flux takes the copy over once its source has it",
		"",
	},
	{
		"Flux", labels, "helm.toolkit.fluxcd.io/name", false, report.Note,
		"its marks of the Flux HelmRelease %s are kept: Flux takes the copy over once its chart has it",
		"",
	},
}

// instanceLabel is by what Argo CD tracks unless it is told otherwise; every
// other tool writes it, too.
const instanceLabel = "app.kubernetes.io/instance"

// leave takes the marks off the copy that must not be on it, and says what
// becomes of every mark.
func leave(it *objects.Item, o, meta objects.Object) {
	say := func(m mark, value string) {
		if m.message == "" {
			return
		}
		f := it.Origin.Finding("tracked", m.severity, fmt.Sprintf(m.message, value))
		f.Hint = m.hint
		it.Notes = append(it.Notes, f)
	}
	byAnnotation := false
	for _, m := range marks {
		value, ok := objects.At(meta, m.where, m.key).(string)
		if !ok {
			continue
		}
		say(m, value)
		if m.drop {
			byAnnotation = true
			delete(objects.Map(meta, m.where), m.key)
		}
	}
	if instance := objects.Text(meta, labels, instanceLabel); instance != "" && !byAnnotation && argoWasHere(o) {
		say(mark{
			severity: report.Warning,
			message:  "Argo CD was here and may track it by the label " + instanceLabel + "=%s: the copy has it, too, and an automated sync would prune it",
			hint:     "put the new manifest into the application's source before apply, or sync without prune",
		}, instance)
	}
}

// argoWasHere says whether Argo CD left a mark of any other kind.
func argoWasHere(o objects.Object) bool {
	for _, where := range []string{annotations, labels} {
		for key := range objects.Map(o, "metadata", where) {
			if strings.HasPrefix(key, "argocd.argoproj.io/") {
				return true
			}
		}
	}
	return slices.ContainsFunc(objects.List(o, "metadata", "managedFields"), func(v any) bool {
		m, _ := v.(map[string]any)
		return strings.HasPrefix(objects.Text(m, "manager"), "argocd")
	})
}
