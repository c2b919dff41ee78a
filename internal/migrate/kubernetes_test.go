package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// The rules of kubernetes-removed are held against the Go types of Kubernetes:
// k8s.io/api and apiextensions-apiserver of this module's version still have
// nearly every version that the API server dropped.
//
//   - testdata/kubernetes/before.yaml has one realistic object for each rule. It
//     decodes strictly as its old type; what becomes of it decodes strictly as
//     its new type, and has every field that the new type does not make optional.
//   - The versions that are newer or older than these modules are compared with what
//     Kubernetes' own conversion makes of the same objects: testdata/kubernetes/recorded.yaml.
//   - Each old type is also filled by reflection, every field of it, and what
//     becomes of that decodes strictly too: a field that was renamed or dropped
//     in between would be unknown.

// withoutTypes are versions that no published Go type of these modules has,
// with what is known about their shape instead.
var withoutTypes = map[string]string{
	"apiregistration.k8s.io/v1beta1":        "kube-aggregator is not among the modules; both versions have the fields of APIServiceSpec, all of them unchanged",
	"apiregistration.k8s.io/v1":             "as v1beta1",
	"batch/v2alpha1":                        "the types went with 1.24; CronJobSpec of v2alpha1, v1beta1 and v1 is one and the same",
	"apps/v1alpha1":                         "PetSet of 1.4; its spec is that of StatefulSet v1beta1",
	"discovery.k8s.io/v1alpha1":             "the types went with 1.22; those of v1beta1 are a copy of them",
	"apidiscovery.k8s.io/v2beta1":           "clients do not register what the API server says about itself; the types of both versions are the same",
	"apidiscovery.k8s.io/v2":                "as v2beta1",
	"audit.k8s.io/v1alpha1":                 "apiserver is not among the modules; a policy of v1alpha1, v1beta1 and v1 has the same fields",
	"audit.k8s.io/v1beta1":                  "as v1alpha1",
	"audit.k8s.io/v1":                       "as v1alpha1",
	"storagemigration.k8s.io/v1alpha1":      "the types went with 1.35, when v1beta1 came without a conversion: it has resource without its version, and no continueToken",
	"flowcontrol.apiserver.k8s.io/v1alpha1": "the types went with 1.24; those of v1beta1 are a copy of them",
}

// withoutType are kinds of versions whose other kinds have Go types.
var withoutType = map[string]string{
	"extensions/v1beta1 Job":                     "the type went with 1.8; it is that of batch/v1 with autoSelector for manualSelector",
	"extensions/v1beta1 HorizontalPodAutoscaler": "the type went with 1.8: scaleRef and cpuUtilization became scaleTargetRef and targetCPUUtilizationPercentage",
	"batch/v2alpha1 ScheduledJob":                "CronJob had this name in 1.4",
	"apps/v1beta1 ReplicaSet":                    "the deprecation guide names it; no type was ever published",
}

func kubernetesScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiextensionsv1beta1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// kubernetesType is a new Go object for an apiVersion and a kind, nil when there is no
// type and one of the tables says why.
func kubernetesType(t *testing.T, apiVersion, kind string) runtime.Object {
	t.Helper()
	obj, err := kubernetesScheme(t).New(schema.FromAPIVersionAndKind(apiVersion, kind))
	if err == nil {
		return obj
	}
	known := slices.ContainsFunc(recordings(t, "kubernetes"), func(r recording) bool {
		return r.Object["kind"] == kind && (r.From == apiVersion || r.Object["apiVersion"] == apiVersion)
	})
	if !known && withoutTypes[apiVersion] == "" && withoutType[apiVersion+" "+kind] == "" {
		t.Errorf("%s %s: %v", apiVersion, kind, err)
	}
	return nil
}

// The gate finds an object of each rule in a folder of its own, so that no other name there
// leads to it.
func TestKubernetesGate(t *testing.T) {
	set, m := kubernetesRemoved(t, Options{Glance: true})
	for _, r := range set.For("").Rules {
		doc := "apiVersion: " + r.From.Group + "/" + cmp.Or(r.From.Version, "v1alpha1") + "\nkind: " + r.From.Kind + "\nmetadata:\n  name: x\n"
		p, err := m.planFS(context.Background(), fstest.MapFS{"a.yaml": {Data: []byte(doc)}})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Summary().Left() {
			t.Errorf("%s is not found", r.ID)
		}
	}
}

// A recording is what Kubernetes makes of an object of before.yaml.
type recording struct {
	From   string         `json:"from"` // its apiVersion before
	Object map[string]any `json:"object"`
}

func recordings(t *testing.T, dir string) []recording {
	t.Helper()
	data, err := os.ReadFile("testdata/" + dir + "/recorded.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []recording
	for _, doc := range split(data) {
		var r recording
		if err := yaml.UnmarshalStrict(doc, &r); err != nil {
			t.Fatal(err)
		}
		if r.From != "" {
			list = append(list, r)
		}
	}
	return list
}

// What a ruleset makes of objects is what the project's own conversion makes of them.
func TestRecordedConversions(t *testing.T) {
	for dir, name := range map[string]string{"kubernetes": "kubernetes-removed", "kueue": "kueue-v1beta2"} {
		before, err := os.ReadFile("testdata/" + dir + "/before.yaml")
		if err != nil {
			t.Fatal(err)
		}
		set, err := BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(Options{Rulesets: []*rules.Ruleset{set}, Target: "1.999"})
		if err != nil {
			t.Fatal(err)
		}
		after, _, _, err := m.Once("before.yaml", before)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range recordings(t, dir) {
			n := 0
			for i, doc := range split(before) {
				var old, got map[string]any
				if err := errors.Join(yaml.Unmarshal(doc, &old), yaml.Unmarshal(split(after)[i], &got)); err != nil {
					t.Fatal(err)
				}
				if old["apiVersion"] != want.From || old["kind"] != want.Object["kind"] || !reflect.DeepEqual(old["metadata"], want.Object["metadata"]) {
					continue
				}
				n++
				if at := differences(got, want.Object, ""); len(at) > 0 {
					t.Errorf("%s %s: %s differ: got %v\nthe project makes %v", want.From, old["kind"], at, got, want.Object)
				}
			}
			if n != 1 {
				t.Errorf("before.yaml of %s has %d objects %s %s", dir, n, want.From, want.Object["kind"])
			}
		}
	}
}

// kubernetesRemoved is the ruleset of that name, and a migration by it alone with some options.
func kubernetesRemoved(tb testing.TB, o Options) (*rules.Ruleset, *Migration) {
	tb.Helper()
	set, err := BuiltinRuleset("kubernetes-removed")
	if err != nil {
		tb.Fatal(err)
	}
	o.Rulesets = []*rules.Ruleset{set}
	m, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return set, m
}

func TestKubernetesObjects(t *testing.T) {
	set, m := kubernetesRemoved(t, Options{Target: "1.999"})
	data, err := os.ReadFile("testdata/kubernetes/before.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, _, finds, err := m.Once("before.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _, err := m.Once("before.yaml", got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("a second run changes something: %v", err)
	}
	if os.Getenv("UPDATE") != "" {
		writeTree(t, "testdata/kubernetes", memory{"after.yaml": string(got), "finds.txt": finds})
	}
	for name, text := range map[string]string{"after.yaml": string(got), "finds.txt": finds} {
		if want, err := os.ReadFile("testdata/kubernetes/" + name); err != nil || string(want) != text {
			t.Errorf("the result is not that of %s (%v)", name, err)
		}
	}
	before, after := split(data), split(got)
	if len(before) != len(after) {
		t.Fatalf("%d documents became %d", len(before), len(after))
	}
	seen := map[string]bool{}
	for i := range before {
		old, fresh := typeOf(t, before[i]), typeOf(t, after[i])
		seen[old.String()] = true
		if !slices.ContainsFunc(recordings(t, "kubernetes"), func(r recording) bool { // else TestRecordedConversions compares it
			return r.From == schema.GroupVersion{Group: old.Group, Version: old.Version}.String() && r.Object["kind"] == old.Kind
		}) {
			strictly(t, before[i], false)
			strictly(t, after[i], true)
		}
		if want := m.rules.Ask(old); want.Outcome == rules.Moves && (want.To.Group != fresh.Group || want.To.Version != fresh.Version || want.To.Kind != fresh.Kind) {
			t.Errorf("%s became %s", old, fresh)
		}
	}
	for _, r := range set.Rules {
		from := r.From
		from.Plural = ""
		if r.Removed == "" && !seen[from.String()] {
			t.Errorf("before.yaml has no %s", from)
		}
	}
}

// Every field of an old type has a place in the new one, or is reported.
func TestKubernetesFields(t *testing.T) {
	racetest.OneGoroutine(t)
	set, m := kubernetesRemoved(t, Options{Target: "1.999"})
	for _, r := range set.Rules {
		if r.Removed != "" {
			continue
		}
		for _, port := range []intstr.IntOrString{intstr.FromInt32(1), intstr.FromString("http")} {
			apiVersion := schema.GroupVersion{Group: r.From.Group, Version: r.From.Version}.String()
			obj := kubernetesType(t, apiVersion, r.From.Kind)
			if obj == nil {
				continue
			}
			fill(reflect.ValueOf(obj).Elem(), port, map[reflect.Type]int{})
			obj.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, r.From.Kind))
			in, err := yaml.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			out, _, _, err := m.Once("full.yaml", in)
			if err != nil {
				t.Errorf("%s: %v", r.ID, err)
				continue
			}
			strictly(t, out, true)
		}
	}
}

// split cuts a stream into its documents.
func split(data []byte) [][]byte {
	var list [][]byte
	for _, s := range text.Documents(data) {
		if text := bytes.TrimPrefix(s.Of(data), []byte("---")); len(bytes.TrimSpace(text)) > 0 {
			list = append(list, text)
		}
	}
	return list
}

func typeOf(t *testing.T, doc []byte) rules.GVK {
	t.Helper()
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &head); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return rules.GVKOf(head.APIVersion, head.Kind)
}

// strictly decodes a document as the type that it names; complete asks for
// every field that the type does not make optional.
func strictly(t *testing.T, doc []byte, complete bool) {
	t.Helper()
	g := typeOf(t, doc)
	obj := kubernetesType(t, schema.GroupVersion{Group: g.Group, Version: g.Version}.String(), g.Kind)
	if obj == nil {
		return
	}
	if err := yaml.UnmarshalStrict(doc, obj); err != nil {
		t.Errorf("%s: %v\n%s", g, err, doc)
		return
	}
	var tree map[string]any
	if err := yaml.Unmarshal(doc, &tree); err != nil {
		t.Fatal(err)
	}
	if missing := required(reflect.TypeOf(obj).Elem(), tree, ""); complete && len(missing) > 0 {
		t.Errorf("%s wants %s\n%s", g, strings.Join(missing, ", "), doc)
	}
}

// required are the paths of the fields that a type does not make optional and
// that a tree does not have.
func required(typ reflect.Type, tree any, at string) []string {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	var missing []string
	switch value := tree.(type) {
	case []any:
		if typ.Kind() == reflect.Slice {
			for i, x := range value {
				missing = append(missing, required(typ.Elem(), x, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case map[string]any:
		if typ.Kind() != reflect.Struct {
			return nil
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch x, ok := value[name]; {
			case name == "" || name == "-" || name == "status" && at == "" || name == "creationTimestamp":
			case ok:
				missing = append(missing, required(f.Type, x, at+"."+name)...)
			case !strings.Contains(opts, "omitempty") && !strings.Contains(opts, "omitzero"):
				missing = append(missing, at+"."+name)
			}
		}
	}
	return missing
}

// fill sets every field; a type inside of itself is filled once.
func fill(v reflect.Value, port intstr.IntOrString, open map[reflect.Type]int) {
	switch x := v.Addr().Interface().(type) {
	case *quantity.Quantity:
		*x = quantity.MustParse("1")
		return
	case *intstr.IntOrString:
		*x = port
		return
	case *metav1.Time, *metav1.MicroTime, *metav1.FieldsV1:
		return
	case *metav1.Duration:
		return
	case *apiextensionsv1beta1.JSON:
		x.Raw = []byte("1")
		return
	case *runtime.RawExtension:
		x.Raw = []byte(`{"a":1}`)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if open[v.Type()] > 0 {
			return
		}
		open[v.Type()]++
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Name != "ManagedFields" {
				fill(f, port, open)
			}
		}
		open[v.Type()]--
	case reflect.Pointer:
		if e := v.Type().Elem(); open[e] == 0 {
			v.Set(reflect.New(e))
			fill(v.Elem(), port, open)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("a"))
		} else if open[v.Type().Elem()] == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), port, open)
		}
	case reflect.Map:
		if open[v.Type().Elem()] > 0 {
			return
		}
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, port, open)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x").Convert(v.Type().Key()), value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	}
}

// The tables name no version without a rule.
func TestTablesAreNeeded(t *testing.T) {
	set, _ := kubernetesRemoved(t, Options{Target: "1.999"})
	for _, table := range []map[string]string{withoutTypes, withoutType} {
		for name := range table {
			if !slices.ContainsFunc(set.Rules, func(r rules.Rule) bool {
				to := rules.Complete(r.To, r.From)
				return strings.HasPrefix(r.From.String(), name) || strings.HasPrefix(to.String(), name)
			}) {
				t.Errorf("no rule names %s", name)
			}
		}
	}
}

// TestTemplatesThatAsk: what a template has only for clusters that serve it stays, in a
// ruleset about what Kubernetes removes.
func TestTemplatesThatAsk(t *testing.T) {
	set, err := BuiltinRuleset("kubernetes-removed")
	if err != nil {
		t.Fatal(err)
	}
	const psp = "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata:\n  name: x\n"
	const asks = "{{- if .Capabilities.APIVersions.Has \"policy/v1beta1/PodSecurityPolicy\" }}\n"
	other := "{{- if .Capabilities.APIVersions.Has \"other/v1\" }}\n"
	const lists = "{{- define \"api\" }}\n{{- if semverCompare \">=1.19-0\" .Capabilities.KubeVersion.Version }}\nnetworking.k8s.io/v1\n{{- else }}\nextensions/v1beta1\n{{- end }}\n{{- end }}\n"
	own := *set
	own.Kubernetes = ""
	more, err := ParseRuleset("more.yaml", []byte("name: more\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		opts Options
		want Action
	}{
		"one of two sets":  {lists, Options{Rulesets: []*Ruleset{set, more}}, Stay},
		"asked":            {asks + psp + "{{- end }}\n", Options{Rulesets: []*Ruleset{set}}, Stay},
		"asked before":     {other + "{{- end }}\n" + psp, Options{Rulesets: []*Ruleset{set}}, NeedsReview},
		"shown, not asked": {"{{ .Capabilities.KubeVersion }}\n" + psp + "{{- if .x }}\n{{- end }}\n", Options{Rulesets: []*Ruleset{set}}, NeedsReview},
		"compared alone":   {"{{- or (eq .x \"policy/v1beta1/PodSecurityPolicy\") .Capabilities.KubeVersion }}\n{{- end }}\n", Options{Rulesets: []*Ruleset{set}}, Stay},
		"not asked":        {"{{- if .Values.psp }}\n" + psp + "{{- end }}\n", Options{Rulesets: []*Ruleset{set}}, NeedsReview},
		"compared":         {"{{- if or (eq $v \"extensions/v1beta1\") (eq (include \"api\" .) \"networking.k8s.io/v1beta1\") }}\nserviceName: a\n{{- end }}\n", Options{Rulesets: []*Ruleset{set}}, Stay},
		"a value":          {"apiVersion: {{ ternary \"policy/v1\" \"policy/v1beta1\" (semverCompare \">=1.21-0\" .Capabilities.KubeVersion.Version) }}\nkind: PodDisruptionBudget\n", Options{Rulesets: []*Ruleset{set}}, Stay},
		"a default":        {"{{- $api := \"autoscaling/v2beta2\" }}\n{{- if semverCompare \">=1.23-0\" .Capabilities.KubeVersion.Version }}\n{{- $api = \"autoscaling/v2\" }}\n{{- end }}\napiVersion: {{ $api }}\nkind: HorizontalPodAutoscaler\n", Options{Rulesets: []*Ruleset{set}}, Stay},
		"not a default":    {"{{- $api := \"extensions/v1beta1\" }}\n{{- if .Capabilities.KubeVersion }}\n{{- end }}\napiVersion: {{ $api }}\nkind: Ingress\n", Options{Rulesets: []*Ruleset{set}}, NeedsReview},
		"chosen":           {lists, Options{Rulesets: []*Ruleset{set}}, Stay},
		"switched off":     {asks + psp + "{{- end }}\n", Options{Rulesets: []*Ruleset{set}, HeuristicsOff: []string{templateChoice}}, NeedsReview},
		"about something":  {asks + psp + "{{- end }}\n", Options{Rulesets: []*Ruleset{&own}}, NeedsReview},
	}
	for name, tt := range tests {
		m, err := New(tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if p := m.One("a.yaml", []byte("# "+asks+psp+"# {{ end }}\n")); p.Count(Stay) > 0 {
			t.Error("a manifest is no template")
		}
		p := m.One("templates/a.yaml", []byte(tt.text))
		if p.Count(tt.want) == 0 || p.Count(Stay)+p.Count(NeedsReview)+p.Count(Change) != p.Count(tt.want) {
			t.Errorf("%s: %d stay, %d need review", name, p.Count(Stay), p.Count(NeedsReview))
		}
	}
}

// TestShownKinds: what a tree shows of a group that it does not own are not all of its kinds.
func TestShownKinds(t *testing.T) {
	_, m := kubernetesRemoved(t, Options{Target: "1.999"})
	p, err := m.planFS(t.Context(), fstest.MapFS{
		"policy.yaml": {Data: []byte("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: x\n")},
		"a.go":        {Data: []byte("package a\n\nconst version = \"networking.k8s.io/v1beta1\"\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Files) != 1 || p.Count(Stay) > 0 {
		t.Errorf("%d files, %d references stay", len(p.Files), p.Count(Stay))
	}
}
