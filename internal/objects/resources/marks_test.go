package resources

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// TestOwnersFirst: an owner is created before what it owns, however the source
// orders them, and each once.
func TestOwnersFirst(t *testing.T) {
	for order, want := range map[string]string{
		"c<b b<a a<x":         "a b c",
		"a<x c<a b<a":         "a c b",
		"a<b b<a c<x":         "c a b",
		"d<c c<a a<b b<a e<x": "e d c a b",
	} {
		var items []*objects.Item
		for _, pair := range strings.Fields(order) {
			items = append(items, &objects.Item{Origin: objects.Origin{ID: pair[:1]}, Owner: pair[2:]})
		}
		var got []string
		for _, it := range ownersFirst(items) {
			got = append(got, it.Origin.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v", order, got)
		}
	}
}

// TestMarksOfOtherTools: the copy carries no mark by which a tool would take it
// for an object of its own without being told, and every other one is named.
func TestMarksOfOtherTools(t *testing.T) {
	rs, err := migrate.BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{rs}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, metadata string
		kept           string // the metadata of the copy
		said           string // part of what is said; empty = nothing
		severity       report.Severity
	}{
		{
			"Argo CD by annotation", "annotations: {argocd.argoproj.io/tracking-id: 'app:mcad.ibm.com/AppWrapper:n/a', argocd.argoproj.io/installation-id: x, mine: y}, labels: {app.kubernetes.io/instance: app}",
			"annotations: {mine: y}, labels: {app.kubernetes.io/instance: app}", "tracking id app:mcad.ibm.com/AppWrapper:n/a is not copied", report.Note,
		},
		{
			"Argo CD by label", "annotations: {argocd.argoproj.io/sync-wave: '1'}, labels: {app.kubernetes.io/instance: app}",
			"annotations: {argocd.argoproj.io/sync-wave: '1'}, labels: {app.kubernetes.io/instance: app}", "by the label app.kubernetes.io/instance=app", report.Warning,
		},
		{
			"Argo CD among the managers", "labels: {app.kubernetes.io/instance: app}, managedFields: [{manager: argocd-controller}]",
			"labels: {app.kubernetes.io/instance: app}", "by the label app.kubernetes.io/instance=app", report.Warning,
		},
		{"no Argo CD", "labels: {app.kubernetes.io/instance: app}", "labels: {app.kubernetes.io/instance: app}", "", 0},
		{"a label of Argo CD's own", "labels: {argocd.argoproj.io/instance: app}", "labels: {argocd.argoproj.io/instance: app}", "argocd.argoproj.io/instance=app", report.Warning},
		{
			"Helm", "annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: n}, labels: {app.kubernetes.io/managed-by: Helm}",
			"annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: n}, labels: {app.kubernetes.io/managed-by: Helm}", "Helm release r are kept", report.Note,
		},
		{"Flux", "labels: {kustomize.toolkit.fluxcd.io/name: k}", "labels: {kustomize.toolkit.fluxcd.io/name: k}", "Flux Kustomization k are kept", report.Note},
		{"kapp", "labels: {kapp.k14s.io/app: '17'}", "labels: {kapp.k14s.io/app: '17'}", "kapp.k14s.io/app=17", report.Warning},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\nmetadata: {name: a, namespace: n, " + tt.metadata + "}\n"
			k := &Kind{Source: &objects.Files{Path: "-", Stdin: strings.NewReader(text)}, Rulesets: []*migrate.Ruleset{rs}, Migration: m}
			var items []*objects.Item
			err := k.Items(context.Background(), func(it *objects.Item) error {
				items = append(items, it)
				return nil
			})
			if err != nil || len(items) != 1 || items[0].Want == nil {
				t.Fatalf("%d items, %v", len(items), err)
			}
			want, err := objects.Parse([]byte("{name: a, namespace: n, " + tt.kept + "}"))
			if err != nil {
				t.Fatal(err)
			}
			if got := objects.Map(items[0].Want, "metadata"); objects.Digest(got) != objects.Digest(want) {
				t.Errorf("got %v", got)
			}
			var said []report.Finding
			for _, n := range items[0].Notes {
				if n.Rule == "tracked" {
					said = append(said, n)
				}
			}
			switch {
			case tt.said == "" && len(said) > 0:
				t.Errorf("said %v", said)
			case tt.said != "" && (len(said) != 1 || !strings.Contains(said[0].Message, tt.said) || said[0].Severity != tt.severity):
				t.Errorf("said %v", said)
			}
		})
	}
}

// TestStatusIsReported: whatever fields a status has, the item says once that it stays behind.
func TestStatusIsReported(t *testing.T) {
	rs, err := migrate.BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{rs}})
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]string{
		"":                                     "",
		"status: {}":                           "",
		"status: {state: Running, nodes: 2}":   "its status.state was Running",
		"status: {nextTime: '2026-01-01'}":     "its status is not copied",
		"status: {conditions: [{type: Done}]}": "its status is not copied",
	} {
		text := "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\nmetadata: {name: a, namespace: n}\n" + status
		k := &Kind{Source: &objects.Files{Path: "-", Stdin: strings.NewReader(text)}, Rulesets: []*migrate.Ruleset{rs}, Migration: m}
		err := k.Items(context.Background(), func(it *objects.Item) error {
			if it.Want["status"] != nil {
				t.Errorf("%s: copied", status)
			}
			if want == "" && len(it.Notes) > 0 || want != "" && (len(it.Notes) != 1 || !strings.Contains(it.Notes[0].Message, want)) {
				t.Errorf("%s: said %v", status, it.Notes)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
