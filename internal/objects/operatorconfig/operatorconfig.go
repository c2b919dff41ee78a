// Package operatorconfig turns the MCAD and InstaScale custom resources of the
// first CodeFlare operator, and the Deployments and ConfigMaps that configure
// MCAD and InstaScale without it, into the ConfigMap of the operator's redesign
// (PCF-ADR-0007).
//
// Every field of the two specs and every option of the two programs is
// accounted for: it is carried over, or it had no effect before, or it has no
// counterpart and is reported with its value.
package operatorconfig

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// The API of the resources that are read.
const oldGroup = "codeflare.codeflare.dev/"

// Sources are the kinds of objects that are read from a cluster.
func Sources() []objects.Resource {
	return []objects.Resource{
		{APIVersion: oldGroup + "v1alpha1", Kind: "MCAD", Plural: "mcads"},
		{APIVersion: oldGroup + "v1alpha1", Kind: "InstaScale", Plural: "instascales"},
		{APIVersion: "apps/v1", Kind: "Deployment", Plural: "deployments"},
	}
}

// A Kind is `cfctl import operator-config`.
type Kind struct {
	Source    objects.Source
	Namespace string // of the ConfigMap; empty = the namespace of the resources
	MapName   string // of the ConfigMap; the operator's --config
	Version   string // of the operator that will read it, vX.Y.Z
	OCMSecret string // NAMESPACE/NAME of the OCM secret, for useMachinePools

	// ConfigMap reads one that a Deployment refers to, or returns
	// fs.ErrNotExist; nil = they are in Source.
	ConfigMap func(objects.Ref) (objects.Object, error)

	maps map[string]objects.Object // ConfigMaps of Source, by NAMESPACE/NAME
}

// DefaultMapName is the default of the operator's --config flag.
const DefaultMapName = "codeflare-operator-config"

// DefaultVersion is the operator that the ConfigMap is made for unless said
// otherwise: the last one with MCAD and InstaScale in it.
const DefaultVersion = "v1.2.0"

// Name implements objects.Kind.
func (k *Kind) Name() string { return "operator-config" }

// Resources implements objects.Kind: the one ConfigMap.
func (k *Kind) Resources() []objects.Resource {
	return []objects.Resource{{APIVersion: "v1", Kind: "ConfigMap", Plural: "configmaps", Namespace: k.Namespace, Name: k.MapName}}
}

// An effect says what became of a field of the old resources.
type effect int

const (
	carried effect = iota // it has a counterpart
	nothing               // it had no effect before either
	lost                  // it had an effect and has no counterpart
)

// A field is one field of an old spec.
type field struct {
	kind, name string
	effect     effect
	to         string // key of the new configuration; empty = none
	why        string
	byDefault  any // what the old CRD put there
}

// fields are all fields of MCADSpec and InstaScaleSpec (codeflare-operator
// v0.2.3, api/codeflare/v1alpha1).
var fields = []field{
	{"MCAD", "enableMonitoring", nothing, "", "no controller read it", true},
	{"MCAD", "multiCluster", nothing, "", "no template of the operator used it", false},
	{"MCAD", "dispatcherMode", lost, "", "the embedded MCAD never runs as a dispatcher", false},
	{"MCAD", "preemptionEnabled", carried, "mcad.preemption", "", false},
	{"MCAD", "agentConfigs", lost, "", "agents belong to the dispatcher mode, which the operator does not start", ""},
	{"MCAD", "quotaRestURL", lost, "", "MCAD has no REST quota manager any more; mcad.quotaEnabled means its built-in one", ""},
	{"MCAD", "podCreationTimeout", nothing, "", "it was written into an environment variable that MCAD did not read", int64(-1)},
	{"MCAD", "controllerResources", lost, "", "MCAD runs in the operator's own container; set the resources of the operator's Deployment or Subscription", map[string]any{}},
	{"MCAD", "controllerImage", lost, "", "MCAD is compiled into the operator", ""},
	{"InstaScale", "enableMonitoring", nothing, "", "no controller read it", true},
	{"InstaScale", "maxScaleoutAllowed", carried, "instascale.maxScaleoutAllowed", "", int64(15)},
	{"InstaScale", "useMachinePools", carried, "instascale.ocmSecretRef", "", false},
	{"InstaScale", "controllerResources", lost, "", "InstaScale runs in the operator's own container; set the resources of the operator's Deployment or Subscription", map[string]any{}},
	{"InstaScale", "controllerImage", lost, "", "InstaScale is compiled into the operator", ""},
}

// Items implements objects.Kind. All instances are read first: two of one
// kind are refused, since which of them won was never defined.
func (k *Kind) Items(ctx context.Context, emit func(*objects.Item) error) error {
	found, err := k.find(ctx, emit)
	if err != nil {
		return err
	}
	var all []instance
	for _, kind := range oldKinds {
		all = append(all, found[kind]...)
	}
	if len(all) == 0 {
		return nil
	}
	if refusal := k.refuse(found); refusal != nil {
		for _, in := range all {
			if err := emit(&objects.Item{Origin: objects.OriginOf(in.record), Refused: refusal}); err != nil {
				return err
			}
		}
		return nil
	}
	return emit(k.item(all))
}

func (k *Kind) refuse(found map[string][]instance) *objects.Refusal {
	if v := k.version(); semver.Compare(v, "v1.0.0-rc.1") < 0 || semver.Compare(v, "v1.3.0") >= 0 {
		return &objects.Refusal{
			Reason: "no-target", Message: fmt.Sprintf("codeflare-operator %s has no configuration of MCAD and InstaScale", v),
			Hint: "only v1.0.0-rc.1 up to v1.2.0 embed them: choose one with --for",
		}
	}
	var several []string // of each kind that has them, in order
	for _, kind := range oldKinds {
		list := found[kind]
		if len(list) < 2 {
			continue
		}
		names := lists.Of(list, instance.String)
		sort.Strings(names)
		several = append(several, fmt.Sprintf("%d instances of %s (%s)", len(list), kind, strings.Join(names, ", ")))
	}
	if several == nil {
		return nil
	}
	return &objects.Refusal{
		Reason: "several-instances", Message: strings.Join(several, " and ") + ", and one operator has one configuration",
		Hint: "delete all but the one that is meant, or give cfctl its manifest alone",
	}
}

// oldKinds are the kinds that the configuration is made of, in the order of messages.
var oldKinds = []string{"MCAD", "InstaScale"}

func (k *Kind) version() string {
	if strings.HasPrefix(k.Version, "v") {
		return k.Version
	}
	return "v" + k.Version
}

// item is the one ConfigMap. Its origin is all instances together.
func (k *Kind) item(all []instance) *objects.Item {
	first := objects.OriginOf(all[0].record)
	it := &objects.Item{Origin: first, Exact: true}
	var ids []string
	config := objects.Object{}
	for _, in := range all {
		o := objects.OriginOf(in.record)
		ids = append(ids, o.ID)
		note := func(rule string, severity report.Severity, format string, args ...any) {
			it.Notes = append(it.Notes, o.Finding(rule, severity, fmt.Sprintf(format, args...)))
		}
		carry := k.carry
		if in.container >= 0 {
			carry = k.carryOptions
		}
		if refusal := carry(in, config, note); refusal != nil {
			it.Refused = refusal
		}
	}
	it.Origin.ID = strings.Join(ids, "+")
	if it.Refused != nil {
		return it
	}
	text, err := objects.Manifest(config)
	if err != nil {
		it.Refused = &objects.Refusal{Reason: "unreadable", Message: err.Error()}
		return it
	}
	namespace := k.Namespace
	if namespace == "" && !slices.ContainsFunc(all, func(in instance) bool { return in.container >= 0 }) {
		namespace = first.Namespace // the old operator's resources are where it runs
	}
	if namespace == "" {
		it.Refused = &objects.Refusal{Reason: "no-namespace", Message: "nothing says in which namespace the operator runs", Hint: "name it with --namespace"}
		return it
	}
	it.Want = objects.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": objects.Object{"name": k.MapName, "namespace": namespace},
		"data":     objects.Object{"config.yaml": string(text)},
	}
	return it
}

// carry accounts for every field of one resource.
func (k *Kind) carry(in instance, config objects.Object, note noter) *objects.Refusal {
	ref := objects.RefOf(in.record.Object)
	spec := objects.Map(in.record.Object, "spec")
	if ref.Kind == "InstaScale" {
		put(config, "instascale.enabled", true)
	}
	known := map[string]bool{}
	for _, f := range fields {
		if f.kind != ref.Kind {
			continue
		}
		known[f.name] = true
		value, given := spec[f.name]
		standard := !given || objects.Digest(value) == objects.Digest(f.byDefault)
		switch {
		case f.effect == nothing && given:
			note("no-effect", report.Note, "spec.%s: %s had no effect: %s", f.name, spell(value), f.why)
		case f.effect == lost && !standard:
			note("no-target", report.Warning, "spec.%s: %s is lost: %s", f.name, spell(value), f.why)
		case f.effect == carried:
			if refusal := k.put(config, f, value, given, note); refusal != nil {
				return refusal
			}
		}
	}
	for name, value := range spec {
		if !known[name] {
			note("unknown-field", report.Warning, "spec.%s: %s is no field of %s: the operator never saw it", name, spell(value), ref.Kind)
		}
	}
	return nil
}

// put writes a carried field into the configuration.
func (k *Kind) put(config objects.Object, f field, value any, given bool, note noter) *objects.Refusal {
	wrong := &objects.Refusal{Reason: "wrong-type", Message: fmt.Sprintf("spec.%s: %s is not what %s takes", f.name, spell(value), f.kind)}
	switch f.name {
	case "maxScaleoutAllowed":
		if !given {
			value = f.byDefault
			note("default-changed", report.Note, "spec.maxScaleoutAllowed: unset meant 15 and would mean 5; %s: 15 is written", f.to)
		}
		n, ok := objects.Int(objects.Object{"n": value}, "n")
		if !ok || n != int64(int32(n)) {
			return wrong
		}
		put(config, f.to, n)
	case "preemptionEnabled":
		b, ok := value.(bool)
		if given && !ok {
			return wrong
		}
		put(config, f.to, b)
	case "useMachinePools":
		b, ok := value.(bool)
		if given && !ok {
			return wrong
		}
		return k.machinePools(config, f, b, note)
	}
	return nil
}

// machinePools writes the reference that turns machine pools on. Before, the
// Secret instascale-ocm-secret of the namespace of --ocm-secret-namespace
// ("default") was meant.
func (k *Kind) machinePools(config objects.Object, f field, on bool, note noter) *objects.Refusal {
	if !on {
		if k.OCMSecret != "" {
			note("machine-pools-off", report.Note, "spec.useMachinePools is not set: --ocm-secret is not written, it would turn machine pools on")
		}
		return nil
	}
	ref := k.OCMSecret
	if ref == "" {
		ref = "default/instascale-ocm-secret"
		note("machine-pools", report.Warning, "spec.useMachinePools: true becomes %s: default/instascale-ocm-secret, where InstaScale looked unless it was started with --ocm-secret-namespace; --ocm-secret NAMESPACE/NAME names another", f.to)
	}
	return putSecret(config, "--ocm-secret", ref)
}

// putSecret writes the reference to a Secret, NAMESPACE/NAME.
func putSecret(config objects.Object, place, ref string) *objects.Refusal {
	namespace, name, ok := strings.Cut(ref, "/")
	if !ok || !objects.ValidName(namespace) || !objects.ValidName(name) {
		return &objects.Refusal{Reason: "bad-secret", Message: fmt.Sprintf("%s %q is not NAMESPACE/NAME", place, ref)}
	}
	put(config, "instascale.ocmSecretRef", objects.Object{"name": name, "namespace": namespace})
	return nil
}

// put writes a value at a dotted path.
func put(o objects.Object, path string, value any) {
	_ = unstructured.SetNestedField(o, value, strings.Split(path, ".")...) // no path leads through another value
}

func spell(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(data)
}
