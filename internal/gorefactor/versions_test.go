package gorefactor

import "testing"

func TestReplaceVersion(t *testing.T) {
	for _, x := range []struct{ name, from, to, want string }{
		{"v1alpha1", "v1alpha1", "v1", "v1"},
		{"V1alpha1", "v1alpha1", "v1", "V1"},
		{"AddV1Alpha1ToScheme", "v1alpha1", "v1beta1", "AddV1Beta1ToScheme"},
		{"appsv1alpha1", "v1alpha1", "v1", "appsv1"},
		{"v1alpha10", "v1alpha1", "v1", "v1alpha10"},
		{"corev1", "v1", "v2", "corev2"},
		{"v1beta1", "v1", "v2", "v1beta1"},
		{"V1beta1", "v1", "v2", "V1beta1"},
		{"Convert_v1_Foo_To_v2_Foo", "v1", "v3", "Convert_v3_Foo_To_v2_Foo"},
		{"ipv4", "v1", "v2", "ipv4"},
	} {
		if got := replaceVersion(x.name, x.from, x.to); got != x.want {
			t.Errorf("replaceVersion(%q, %q, %q) = %q, want %q", x.name, x.from, x.to, got, x.want)
		}
	}
}
