package edit

import (
	"testing"
)

// A webhook follows its group in its rules and, where its path is made of it,
// in its path.
func TestWebhooks(t *testing.T) {
	hook := func(path, group, version string) string {
		return "kind: MutatingWebhookConfiguration\nwebhooks:\n- clientConfig:\n    service:\n      path: " + path + "\n  rules:\n  - apiGroups: [" + group + "]\n    apiVersions: [" + version + "]\n    resources: [steps]\n"
	}
	rows(t, []row{
		{name: "group", file: "a.yaml", in: hook("/mutate-old-example-com-v1-step", "old.example.com", "v1"), want: hook("/mutate-new-example-org-v1-step", "new.example.org", "v1")},
		{name: "version", file: "a.yaml", in: hook("/mutate-step-example-com-v1alpha1-step", "step.example.com", "v1alpha1"), want: hook("/mutate-step-example-com-v1-step", "step.example.com", "v1")},
		{name: "both versions", file: "a.yaml", in: hook("/x", "step.example.com", "v1, v1alpha1")},
		{name: "its own path", file: "a.yaml", in: hook("/mutate", "old.example.com", "v1"), want: hook("/mutate", "new.example.org", "v1")},
		{name: "both groups", file: "a.yaml", dual: true, in: hook("/mutate-old-example-com-v1-step", "old.example.com", "v1"), want: hook("/mutate-old-example-com-v1-step", "old.example.com, new.example.org", "v1")},
		{name: "marker", file: "a.go", in: "package a\n\n// +kubebuilder:webhook:path=/mutate-old-example-com-v1-step,groups=old.example.com,resources=steps,versions=v1\n",
			want: "package a\n\n// +kubebuilder:webhook:path=/mutate-new-example-org-v1-step,groups=new.example.org,resources=steps,versions=v1\n"},
	})
}

// An argument of a marker is read without its quotes.
func TestArgument(t *testing.T) {
	line := []byte("// +kubebuilder:webhook:path=/a,name=\"b\",verbs=`c;d` ")
	for name, want := range map[string]string{"path": "/a", "name": "b", "verbs": "c;d"} {
		if s, ok := Argument(line, name); !ok || string(s.Of(line)) != want {
			t.Errorf("%s is %q", name, s.Of(line))
		}
	}
	if _, ok := Argument(line, "groups"); ok {
		t.Error("groups is there")
	}
}

// A rule of a webhook or a policy names versions, and a path that is made of them.
func TestWebhookRules(t *testing.T) {
	rows(t, []row{
		{name: "a validating one", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-tree-example-com-v1-plum
  rules:
  - apiGroups: [tree.example.com]
    apiVersions: [v1]
    resources: [plums]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-wood-example-org-v1-prune
  rules:
  - apiGroups: [wood.example.org]
    apiVersions: [v1]
    resources: [prunes]
`},
		{name: "of all versions", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: ["*"]
    resources: [steps]
`},
		{name: "of all resources", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: ["*"]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: ["*"]
`},
		{name: "of no resources", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1]
`},
		{name: "the path of another group", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-core-example-net-v1-any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-core-example-net-v1-any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`},
		{name: "the path of another kind", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-old-example-com-v1-others
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-old-example-com-v1-others
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`, told: "webhook-path: /validate-old-example-com-v1-others"},
		{name: "a conversion, which is no admission", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /convert-old-example-com-v1-any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /convert-old-example-com-v1-any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`},
		{name: "no version in the path", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /mutate-old-example-com-any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /mutate-old-example-com-any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`},
		{name: "by a URL", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    url: https://hooks.example.net/validate-old-example-com-v1-any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    url: https://hooks.example.net/validate-old-example-com-v1-any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`, told: "webhook-path: /validate-old-example-com-v1-any"},
		{name: "by a URL of a path of its own", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    url: https://hooks.example.net/any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    url: https://hooks.example.net/any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`},
		{name: "the path in a block", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: >-
        /validate-old-example-com-v1-any
  rules:
  - apiGroups: [old.example.com]
    apiVersions: [v1]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: >-
        /validate-old-example-com-v1-any
  rules:
  - apiGroups: [new.example.org]
    apiVersions: [v1]
    resources: [anys]
`, told: "webhook-path: /validate-old-example-com-v1-any"},
		{name: "in a bundle", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  webhookdefinitions:
  - webhookPath: /mutate-old-example-com-v1-any
    rules:
    - apiGroups: [old.example.com]
      apiVersions: [v1]
      resources: [anys]
`, want: `
kind: ClusterServiceVersion
spec:
  webhookdefinitions:
  - webhookPath: /mutate-new-example-org-v1-any
    rules:
    - apiGroups: [new.example.org]
      apiVersions: [v1]
      resources: [anys]
`},
		{name: "versions that go to different groups", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [home.example.com]
    apiVersions: [v1, v1alpha1]
    resources: [nests]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [home.example.com, nest.example.org]
    apiVersions: [v1, v1alpha1]
    resources: [nests]
`, stays: "dual: v1alpha1"},
		{name: "versions of resources that do not agree", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1]
    resources: [steps, others]
`, told: "splits: v1alpha1", stays: "no-rule: step.example.com"},
		{name: "the new version beside the old one", file: "a.yaml", dual: true, in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1]
    resources: [steps]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1, v1]
    resources: [steps]
`},
		{name: "both versions are there", file: "a.yaml", dual: true, in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1, v1]
    resources: [steps]
`, stays: "both-granted: v1alpha1"},
		{name: "both versions, in lines", file: "a.yaml", dual: true, in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions:
    - v1alpha1 # for now
    resources: [steps]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [step.example.com]
    apiVersions:
    - v1alpha1 # for now
    - v1 # for now
    resources: [steps]
`},
		{name: "a policy with a version", file: "a.yaml", in: `
kind: ValidatingAdmissionPolicy
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [step.example.com]
      apiVersions: [v1alpha1]
      resources: [steps]
`, want: `
kind: ValidatingAdmissionPolicy
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [step.example.com]
      apiVersions: [v1]
      resources: [steps]
`},
		{name: "a sub-resource", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-tree-example-com-v1-plum
  rules:
  - apiGroups: [tree.example.com]
    apiVersions: [v1]
    resources: [plums/scale]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-wood-example-org-v1-prune
  rules:
  - apiGroups: [wood.example.org]
    apiVersions: [v1]
    resources: [prunes/scale]
`},
		{name: "the file is about that version", file: "config/v1alpha1/webhook.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig:
    service:
      path: /validate-step-example-com-v1alpha1-step
  rules:
  - apiGroups: [step.example.com]
    apiVersions: [v1alpha1]
    resources: [steps]
`},
		{name: "of all resources in another version", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [home.example.com]
    apiVersions: [v1]
    resources: ["*"]
`, stays: "no-rule: home.example.com"},
		{name: "of all resources in two versions", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [home.example.com]
    apiVersions: [v1, v1alpha1]
    resources: ["*"]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [nest.example.org, home.example.com]
    apiVersions: [v1, v1alpha1]
    resources: ["*"]
`},
		{name: "a version that only one resource leaves", file: "a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [fir.example.com]
    apiVersions: [v1]
    resources: [firs, cones]
`, told: "splits: v1"},
		{name: "a resource in the folder of its version", file: "v1/a.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [yew.example.com]
    apiVersions: ["*"]
    resources: [yews]
`, told: "version-folder: yew.example.com"},
		{name: "versions as a template", file: "templates/webhook.yaml", in: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [old.example.com]
    apiVersions: [{{ .Values.version }}]
    resources: [anys]
`, want: `
kind: ValidatingWebhookConfiguration
webhooks:
- rules:
  - apiGroups: [new.example.org]
    apiVersions: [{{ .Values.version }}]
    resources: [anys]
`},
	})
}
