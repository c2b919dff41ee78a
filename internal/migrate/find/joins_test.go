package find

import (
	"fmt"
	"strings"
	"testing"
)

// What makes a key of labels or a longer domain of a constant is found in every
// language; a version, a path, the name of a resource and of a file is neither.
func TestJoins(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{`a = GROUP + "/owner"`, "|/owner"},
		{`String a = Api.GROUP + "/owner";`, "|/owner"},
		{`let a = format!("{}/owner", api::GROUP);`, "|/owner"},
		{`a = f"{GROUP}/finalizer"`, "|/finalizer"},
		{`a = f"{api.GROUP}/{name}"`, "|"},
		{`a = "%s/owner" % GROUP`, "|/owner"},
		{`a = "{}/{}".format(GROUP, name)`, "|"},
		{`a = GROUP + "/" + name`, "|"},
		{"const a = `${GROUP}/owner`;", "|/owner"},
		{"const a = `webhook.${GROUP}`;", "webhook.|"},
		{`a = "webhook." + GROUP`, "webhook.|"},
		{`a = "webhook." + GROUP + "/x"`, "webhook.|"},
		{`a = "internal.%s" % (GROUP)`, "internal.|"},
		{`HOST="internal.${GROUP}"`, "internal.|"},
		{`kubectl annotate x y $GROUP/owner=z`, "|/owner"},
		{`L := $(GROUP)/owner`, "|/owner"},
		{`H := $(GROUP).svc.local`, "|.svc.local"},
		{`    {{ .Values.GROUP }}/owner: x`, "|/owner"},
		{`  key: "{{ $GROUP | lower }}/owner"`, "|/owner"},

		{`a = path.Join(GROUP, "owner")`, "|/owner"},
		{`a = os.path.join(GROUP, name)`, "|"},
		{`a = strings.Join([]string{GROUP, "owner"}, "/")`, "|/owner"},
		{`a = "/".join([GROUP, "owner"])`, "|/owner"},
		{`a = "/".join((GROUP, "owner"))`, "|/owner"},
		{`a = [GROUP, "owner"].join("/")`, "|/owner"},
		{`a = ["internal", GROUP].join(".")`, "internal.|"},
		{`a = String.join("/", GROUP, "owner")`, "|/owner"},
		{`a = String.join(".", List.of("internal", GROUP));`, ""},
		{`a = fmt.Sprintf("%s/%s", GROUP, "owner")`, "|/owner"},
		{`a = fmt.Sprintf("%s.%s", "internal", GROUP)`, "internal.|"},
		{`a = fmt.Sprintf("key %[2]s/%[1]s of x", "owner", GROUP)`, "|/owner"},
		{`a = "%s.%s" % ("internal", GROUP)`, "internal.|"},
		{`a = "{1}/{0}".format("owner", GROUP)`, "|/owner"},
		{`a = "{}.{}".format("internal", GROUP)`, "internal.|"},
		{`a = String.format("%s.%s", "internal", GROUP)`, "internal.|"},
		{`a = format!("{}.{}", "internal", GROUP)`, "internal.|"},
		{`a = concat!(GROUP, "/owner")`, "|/owner"},
		{`a = GROUP.concat("/owner")`, "|/owner"},
		{`a = fmt.Sprint("internal.", GROUP)`, "internal.|"},
		{`a = fmt.Sprintf("%s.%s.svc", name, GROUP)`, "{name}.|.svc"},
		{`a = fmt.Sprintf("https://%s.%s", name, GROUP)`, "//{name}.|"},
		{"a = `${name}.${GROUP}.svc`", "${name}.|.svc"},
		{`a = name + "." + GROUP + ".svc"`, "{name}.|.svc"},
		{`a = "widgets." + GROUP + ".svc"`, "widgets.|.svc"},
		{`a = fmt.Sprintf("%s@%s", name, GROUP)`, "{name}@|"},
		{`    {{ print .Values.GROUP "/owner" }}: x`, "|/owner"},
		{`    {{ printf "%s/%s" .Values.GROUP "owner" }}: x`, "|/owner"},
		{`    {{ printf "internal.%s" .Values.GROUP | quote }}: x`, "internal.|"},

		{`a = path.Join(GROUP, "v1")`, ""},
		{`a = path.Join("apis", GROUP, "v1")`, ""},
		{`a = path.Join(dir, GROUP, "owner")`, ""},
		{`a = filepath.Join(GROUP, "crd.yaml")`, ""},
		{`a = strings.Join([]string{"pears", GROUP}, ".")`, ""},
		{`a = strings.Join([]string{plural, GROUP}, ".")`, ""},
		{`a = strings.Join([]string{GROUP, "owner"}, ", ")`, ""},
		{`a = strings.Join([]string{GROUP, version}, "/")`, ""},
		{`a = fmt.Sprintf("%s/%s", GROUP, "v1")`, ""},
		{`a = fmt.Sprintf("%s/%s", GROUP, gv.Version())`, ""},
		{`a = fmt.Sprintf("%s.%s", "pears", GROUP)`, ""},
		{`a = fmt.Sprintf("https://%s/%s/x", host, GROUP)`, ""},
		{`a = fmt.Sprintf("%s.%s", name, GROUP)`, ""},
		{`a = fmt.Sprintf("%s.%s.yaml", name, GROUP)`, ""},
		{`a = fmt.Sprintf("no %s of %s: %w", kind, GROUP, err)`, ""},
		{`apiVersion: {{ printf "%s/%s" .Values.GROUP .Values.version }}`, ""},
		{`a = GROUP + "/v1"`, ""},
		{`a = GROUP + "/" + VERSION`, ""},
		{`a = f"{GROUP}/{self.version}"`, ""},
		{`a = "{}/{}".format(GROUP, version)`, ""},
		{`a = "%s/%s" % (GROUP, "v1alpha1")`, ""},
		{`a = f"/apis/{GROUP}/{VERSION}/namespaces/{ns}/{plural}"`, ""},
		{`a = f"{host}/apis/{GROUP}/v1"`, ""},
		{"const a = `${GROUP}/${api.version}`;", ""},
		{`kubectl get widget.$GROUP/name`, ""},
		{`kubectl get widgets.$GROUP`, ""},
		{`crd/widgets.${GROUP}`, ""},
		{`apiVersion: ${GROUP}/v1`, ""},
		{`apiVersion: ${GROUP}/${VERSION}`, ""},
		{`apiVersion: {{ .Values.GROUP }}/{{ .Values.apiVersion }}`, ""},
		{`cat $(GROUP)/crd.yaml $(GROUP).yaml out/$(GROUP)/x`, ""},
		{`cat $(GROUP).yml $(GROUP).json $(GROUP).tgz $(GROUP).gz $(GROUP).tar $(GROUP).md $(GROUP).go $(GROUP).py $(GROUP).sh $(GROUP).crt $(GROUP).pem $(GROUP).txt`, ""},
		{`# $(GROUP)/owner`, ""},
		{`a = GROUP.lower()`, ""},
		{`a = f(GROUP, "/owner")`, ""},
		{`a = {GROUP: 1}`, ""},
	} {
		var got []string
		for _, j := range Joins([]byte(x.in), func(name string) bool { return name == "GROUP" || name == ".Values.GROUP" }) {
			got = append(got, fmt.Sprint(j.Before, "|", j.Behind))
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: got %q, want %q", x.in, got, x.want)
		}
	}
}
