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
