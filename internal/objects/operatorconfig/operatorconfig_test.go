package operatorconfig

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// everyField sets all 14 fields to something else than their default.
const everyField = `apiVersion: codeflare.codeflare.dev/v1alpha1
kind: MCAD
metadata: {name: mcad, namespace: ns}
spec:
  enableMonitoring: false
  multiCluster: true
  dispatcherMode: true
  preemptionEnabled: true
  agentConfigs: "agent1:5"
  quotaRestURL: http://quota.example.org
  podCreationTimeout: 60
  controllerResources: {limits: {cpu: "2"}}
  controllerImage: example.org/mcad:1
---
apiVersion: codeflare.codeflare.dev/v1alpha1
kind: InstaScale
metadata: {name: instascale, namespace: ns}
spec:
  enableMonitoring: false
  maxScaleoutAllowed: 7
  useMachinePools: true
  controllerResources: {limits: {cpu: "2"}}
  controllerImage: example.org/instascale:1
`

func items(t *testing.T, text string, change func(*Kind)) []*objects.Item {
	t.Helper()
	k := &Kind{Source: &objects.Files{Path: "-", Stdin: strings.NewReader(text)}, MapName: DefaultMapName, Version: DefaultVersion}
	if change != nil {
		change(k)
	}
	var list []*objects.Item
	err := k.Items(context.Background(), func(it *objects.Item) error {
		list = append(list, it)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEveryField: each of the 14 fields is carried over or accounted for.
func TestEveryField(t *testing.T) {
	if len(fields) != 14 {
		t.Errorf("%d fields are known", len(fields))
	}
	list := items(t, everyField, func(k *Kind) { k.OCMSecret = "ocm/secret" })
	if len(list) != 1 || list[0].Refused != nil {
		t.Fatalf("got %+v", list)
	}
	const want = `instascale:
  enabled: true
  maxScaleoutAllowed: 7
  ocmSecretRef:
    name: secret
    namespace: ocm
mcad:
  preemption: true
`
	if got := objects.Text(list[0].Want, "data", "config.yaml"); got != want {
		t.Errorf("got\n%s", got)
	}
	for _, f := range fields {
		said := slices.ContainsFunc(list[0].Notes, func(n report.Finding) bool {
			return strings.HasPrefix(n.Message, f.kind+" ") && strings.Contains(n.Message, "spec."+f.name+": ")
		})
		if said != (f.effect != carried) {
			t.Errorf("%s.%s: something is said about it: %t", f.kind, f.name, said)
		}
	}
}

// TestDefaults: what was not set keeps its meaning, and nothing is said about
// fields that lose nothing.
func TestDefaults(t *testing.T) {
	const bare = "apiVersion: codeflare.codeflare.dev/v1alpha1\nkind: InstaScale\nmetadata: {name: i, namespace: ns}\nspec: {controllerResources: {}, useMachinePools: false}\n"
	list := items(t, bare, nil)
	if got := objects.Text(list[0].Want, "data", "config.yaml"); got != "instascale:\n  enabled: true\n  maxScaleoutAllowed: 15\n" {
		t.Errorf("got\n%s", got)
	}
	if len(list[0].Notes) != 1 || list[0].Notes[0].Rule != "default-changed" {
		t.Errorf("got %v", list[0].Notes)
	}
}

// TestSeveralInstancesOfBothKinds has one message, in one order, each time.
func TestSeveralInstancesOfBothKinds(t *testing.T) {
	text := ""
	for _, kind := range []string{"InstaScale", "MCAD"} {
		for _, namespace := range []string{"two", "one"} {
			text += "---\napiVersion: codeflare.codeflare.dev/v1alpha1\nkind: " + kind + "\nmetadata: {name: m, namespace: " + namespace + "}\nspec: {}\n"
		}
	}
	const want = "2 instances of MCAD (one/m, two/m) and 2 instances of InstaScale (one/m, two/m), and one operator has one configuration"
	for range 30 {
		for _, it := range items(t, text, nil) {
			if it.Refused == nil || it.Refused.Message != want {
				t.Fatalf("%+v", it.Refused)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	mcad := func(namespace, spec string) string {
		return "---\napiVersion: codeflare.codeflare.dev/v1alpha1\nkind: MCAD\nmetadata: {name: m, namespace: " + namespace + "}\nspec: " + spec + "\n"
	}
	scale := func(spec string) string { return strings.Replace(mcad("ns", spec), "MCAD", "InstaScale", 1) }
	tests := []struct {
		name, text string
		change     func(*Kind)
		want       string // reasons
	}{
		{"two instances", mcad("a", "{}") + mcad("b", "{}"), nil, "several-instances several-instances"},
		{"a wrong type", mcad("a", `{preemptionEnabled: "true"}`), nil, "wrong-type"},
		{"a number that is none", scale(`{maxScaleoutAllowed: lots}`), nil, "wrong-type"},
		{"a number that is too large", scale(`{maxScaleoutAllowed: 4294967296}`), nil, "wrong-type"},
		{"a secret without namespace", scale("{useMachinePools: true}"), func(k *Kind) { k.OCMSecret = "secret" }, "bad-secret"},
		{"no namespace", mcad(`""`, "{}"), nil, "no-namespace"},
		{"an operator before", mcad("a", "{}"), func(k *Kind) { k.Version = "v0.2.3" }, "no-target"},
		{"an operator after", mcad("a", "{}"), func(k *Kind) { k.Version = "1.3.0" }, "no-target"},
		{"unreadable", "[x]\n" + mcad("a", "{}"), nil, "unreadable "},
		{"nothing", "apiVersion: v1\nkind: Pod\n", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, it := range items(t, tt.text, tt.change) {
				reason := ""
				if it.Refused != nil {
					reason = it.Refused.Reason
				}
				got = append(got, reason)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestLint looks at each key with the eyes of the versions around its coming
// and going.
func TestLint(t *testing.T) {
	tests := []struct{ version, text, want string }{
		{"v1.2.0", "instascale: {maxScaleoutAllowed: 5, machineSetsStrategy: reuse}\n", ""},
		{"v1.0.0-rc.4", "instascale: {machineSetsStrategy: reuse}\n", "unknown-key: it was added in v1.0.0"},
		{"v1.4.0", "mcad: {}\n", "unknown-key: it was removed in v1.3.0"},
		{"v1.4.2", "appwrapper: {enabled: true, Config: {autopilot: {injectAntiAffinities: true}}}\n", ""},
		{"v1.4.2", "appwrapper: {config: {x: 1}}\n", "letter-case"},
		{"v1.4.1", "appwrapper: {enabled: true}\n", "unknown-key: it was added in v1.4.2"},
		{"1.16.0", "kuberay: {mTLSEnabled: \"yes\", certGeneratorImage: x}\n", "unknown-key: it was removed in v1.6.0, wrong-type"},
		{"v1.2.0", "clientConnection: {qps: 1.5, burst: 10.5}\n", "wrong-type"},
		{"v1.2.0", "health: text\n", "wrong-type"},
		{"v1.2.0", "- x\n", "unreadable-config"},
		{"v1.2.0", "", ""},
		{"v1.2.0", "apiVersion: v1\nkind: Secret\n", "not-a-configmap"},
		{"v1.2.0", "apiVersion: v1\nkind: ConfigMap\n", "one-key"},
		{"v1.2.0", "apiVersion: v1\nkind: ConfigMap\ndata: {c: '{'}\n", "unreadable-config"},
		{"v1.2.0", "{", "unreadable-config"},
	}
	for _, tt := range tests {
		found, err := Lint("c.yaml", []byte(tt.text), tt.version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			if f.Hint != "" {
				f.Rule += ": " + f.Hint
			}
			got = append(got, f.Rule)
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s %q: got %q", tt.version, tt.text, got)
		}
	}
	for _, version := range []string{"x", "v0.2.3"} {
		if _, err := Lint("c.yaml", nil, version); err == nil {
			t.Errorf("%s is taken", version)
		}
	}
}
