package operatorconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// deployment is a Deployment with one container, whose fields are given.
func deployment(name, container string) string {
	return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + ", namespace: ns}\n" +
		"spec: {template: {spec: {containers: [" + container + "]}}}\n"
}

func configMap(namespace, name, data string) string {
	return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: " + namespace + "}\ndata: " + data + "\n"
}

const (
	mcadProgram       = "command: [mcad-controller]"
	instaScaleProgram = "image: quay.io/project-codeflare/instascale-controller:v0.3.0"
)

// scaleMap is the ConfigMap that InstaScale needs.
var scaleMap = configMap("instascale-system", "instascale-config", `{maxScaleoutAllowed: "7"}`)

// here says where the operator runs, which no Deployment tells.
func here(k *Kind) { k.Namespace = "operators" }

// TestEveryOption: each flag, variable and key is carried over or reported.
func TestEveryOption(t *testing.T) {
	values := map[string]string{"bool": "true", "int": "7", "text": "other"}
	for _, o := range options {
		spellings := map[string]string{}
		program, extra := mcadProgram, ""
		if o.component == "InstaScale" {
			program, extra = instaScaleProgram, scaleMap+configMap("other", "instascale-config", "{}")
		}
		if o.flag != "" {
			spellings["flag"] = deployment("d", "{"+program+", args: [--"+o.flag+"="+values[o.is]+"]}") + extra
		}
		if o.env != "" {
			spellings["variable"] = deployment("d", "{"+program+", env: [{name: "+o.env+", value: \""+values[o.is]+"\"}]}") + extra
			spellings["ConfigMap of variables"] = deployment("d", "{"+program+", envFrom: [{configMapRef: {name: c}}]}") + configMap("ns", "c", "{"+o.env+": \""+values[o.is]+"\"}") + extra
		}
		if o.key != "" {
			spellings["key"] = deployment("d", "{"+program+"}") + configMap("kube-system", "instascale-config", "{"+o.key+": \""+values[o.is]+"\"}")
		}
		for spelling, text := range spellings {
			it := items(t, text, here)[0]
			if it.Refused != nil {
				t.Errorf("%s as %s: refused: %+v", o.flag+o.key, spelling, it.Refused)
				continue
			}
			config := objects.Text(it.Want, "data", "config.yaml")
			name := o.flag
			if name == "" || spelling != "flag" {
				name = o.env + o.key
			}
			reported := slices.ContainsFunc(it.Notes, func(f report.Finding) bool {
				return strings.Contains(f.Message, name+": ") && f.Rule != "unknown-option"
			})
			if key := o.to[strings.LastIndexByte(o.to, '.')+1:]; o.effect == carried && !strings.Contains(config, key+":") {
				t.Errorf("%s as %s: got\n%s", name, spelling, config)
			}
			if o.effect != carried && o.why != "" && !reported {
				t.Errorf("%s as %s: nothing is reported in %v", name, spelling, it.Notes)
			}
		}
	}
}

func TestDeployments(t *testing.T) {
	tests := []struct {
		name, text, want string // the configuration, then the rules of the findings
	}{
		{
			"a flag wins over a variable, a variable over a ConfigMap",
			deployment("d", "{"+mcadProgram+", args: [--backofftime, \"3\"], envFrom: [{configMapRef: {name: c}}], env: [{name: HEADOFLINEHOLDINGTIME, value: \"2\"}]}") +
				configMap("ns", "c", `{BACKOFFTIME: "1", HEADOFLINEHOLDINGTIME: "1", PREEMPTION: "TRUE"}`),
			"mcad: {backoffTime: 3, headOfLineHoldingTime: 2, preemption: true} ",
		},
		{
			"a reference, and one key of a ConfigMap",
			deployment("d", "{"+mcadProgram+", env: [{name: BACKOFFTIME, valueFrom: {configMapKeyRef: {name: c, key: x}}}], args: [\"-headoflineholdingtime=$(BACKOFFTIME)\"]}") +
				configMap("ns", "c", `{x: "9"}`),
			"mcad: {backoffTime: 9, headOfLineHoldingTime: 9} ",
		},
		{
			"unknown options", deployment("d", "{"+mcadProgram+", args: [--turbo, \"9\", --v, \"4\", rest, --preemption], env: [{name: HTTP_PROXY, value: x}, {name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}]}"),
			"{} unknown-option unread-value unknown-option unknown-option no-target",
		},
		{"a number that is none falls back", deployment("d", "{"+mcadProgram+", env: [{name: BACKOFFTIME, value: soon}]}"), "{} no-effect"},
		{
			"InstaScale", deployment("d", "{"+instaScaleProgram+", args: [--leader-elect, --metrics-bind-address=:9090, --ocm-secret-namespace=ocm], resources: {limits: {cpu: 1}}}") + scaleMap,
			"instascale: {enabled: true, maxScaleoutAllowed: 7, ocmSecretRef: {name: instascale-ocm-secret, namespace: ocm}} " +
				"leaderElection: {leaderElect: true, leaseDuration: 15s, renewDeadline: 10s, resourceLock: leases, resourceName: codeflare-operator-leader, retryPeriod: 2s} " +
				"metrics: {bindAddress: ':9090'} machine-pools leader-election check-deployment no-target",
		},
		{
			"the default of InstaScale", deployment("d", "{"+instaScaleProgram+"}") + configMap("kube-system", "instascale-config", "{}"),
			"instascale: {enabled: true, maxScaleoutAllowed: 3} machine-pools default-changed",
		},
		{
			"one address for both", deployment("d", "{"+mcadProgram+", args: [--healthProbeListenAddr=:1]}, {"+instaScaleProgram+", args: [--health-probe-bind-address=:2]}") + scaleMap,
			"health: {bindAddress: ':1'} instascale: {enabled: true, maxScaleoutAllowed: 7} check-deployment machine-pools no-target",
		},
		{"other containers", deployment("d", "{image: quay.io/x/y}, {image: \"example.org:5000/mcad-controller@sha256:0\"}"), "{} "},
		{
			"what the old operator created is its resource's own matter",
			"apiVersion: codeflare.codeflare.dev/v1alpha1\nkind: MCAD\nmetadata: {name: m, namespace: ns}\nspec: {preemptionEnabled: true}\n" +
				strings.Replace(deployment("d", "{"+mcadProgram+"}"), "namespace: ns}", "namespace: ns, ownerReferences: [{apiVersion: codeflare.codeflare.dev/v1alpha1, kind: MCAD}]}", 1),
			"mcad: {preemption: true} ",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := items(t, tt.text, here)
			if len(list) != 1 || list[0].Refused != nil {
				t.Fatalf("got %d items, refused: %+v", len(list), list[0].Refused)
			}
			config, err := objects.Parse([]byte(objects.Text(list[0].Want, "data", "config.yaml")))
			if err != nil {
				t.Fatal(err)
			}
			want, rest := cutFlow(tt.want)
			var rules []string
			for _, n := range list[0].Notes {
				rules = append(rules, n.Rule)
			}
			wanted, err := objects.Parse([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(config) != fmt.Sprint(wanted) || strings.Join(rules, " ") != rest {
				t.Errorf("got %v %v\nwant %v %s", config, rules, wanted, rest)
			}
		})
	}
}

// cutFlow separates the configuration, with top-level keys on one line, from
// the rules after it.
func cutFlow(text string) (config, rules string) {
	i := strings.LastIndexByte(text, '}') + 1
	config = strings.ReplaceAll(text[:i], "} ", "}, ")
	if config != "{}" {
		config = "{" + config + "}"
	}
	return config, strings.TrimSpace(text[i:])
}

func TestDeploymentsThatAreRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"two Deployments", deployment("a", "{"+mcadProgram+"}") + deployment("b", "{"+mcadProgram+"}"), "several-instances several-instances"},
		{"a Deployment and a resource", deployment("a", "{"+mcadProgram+"}") + "---\napiVersion: codeflare.codeflare.dev/v1alpha1\nkind: MCAD\nmetadata: {name: m, namespace: ns}\n", "several-instances several-instances"},
		{"no ConfigMap", deployment("a", "{"+mcadProgram+", envFrom: [{configMapRef: {name: c}}]}"), "no-configmap"},
		{"no ConfigMap of InstaScale", deployment("a", "{"+instaScaleProgram+"}"), "no-configmap"},
		{"a shell", deployment("a", "{image: mcad-controller, command: [/bin/sh, -c, mcad-controller --preemption]}"), "shell-command"},
		{"no number", deployment("a", "{"+mcadProgram+", args: [--backofftime, soon]}"), "wrong-type"},
		{"too large a number", deployment("a", "{"+instaScaleProgram+"}") + configMap("kube-system", "instascale-config", `{maxScaleoutAllowed: "4294967296"}`), "wrong-type"},
		{"no value", deployment("a", "{"+mcadProgram+", args: [--quotaURL]}"), "wrong-type"},
		{"no namespace of a Secret", deployment("a", "{"+instaScaleProgram+", args: [--ocm-secret-namespace=A_B]}") + scaleMap, "bad-secret"},
	}
	if it := items(t, deployment("a", "{"+mcadProgram+"}"), nil)[0]; it.Refused == nil || it.Refused.Reason != "no-namespace" {
		t.Errorf("without a namespace of the operator: %+v", it.Refused)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, it := range items(t, tt.text, here) {
				if it.Refused == nil {
					t.Fatalf("accepted: %v", it.Want)
				}
				got = append(got, it.Refused.Reason)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestConfigMapsOfACluster are read one by one, by name.
func TestConfigMapsOfACluster(t *testing.T) {
	text := deployment("a", "{"+mcadProgram+", envFrom: [{configMapRef: {name: here}}, {configMapRef: {name: gone, optional: true}}]}")
	var asked []string
	list := items(t, text, func(k *Kind) {
		k.Namespace = "operators"
		k.ConfigMap = func(ref objects.Ref) (objects.Object, error) {
			asked = append(asked, ref.String())
			if ref.Name == "gone" {
				return nil, fs.ErrNotExist
			}
			return objects.Object{"data": objects.Object{"PREEMPTION": "true"}}, nil
		}
	})
	if got := objects.Text(list[0].Want, "data", "config.yaml"); got != "mcad:\n  preemption: true\n" || strings.Join(asked, ", ") != "ConfigMap ns/here, ConfigMap ns/gone" {
		t.Errorf("got %q, asked for %v", got, asked)
	}
	list = items(t, text, func(k *Kind) {
		k.ConfigMap = func(objects.Ref) (objects.Object, error) { return nil, errors.New("forbidden") }
	})
	if list[0].Refused == nil || !strings.Contains(list[0].Refused.Message, "forbidden") {
		t.Errorf("got %+v", list[0].Refused)
	}
}

// Variables that name others twice do not grow without end.
func TestExpandIsBounded(t *testing.T) {
	p := &program{env: map[string]string{"V": "0123456789"}}
	if got := p.expand("$(V)$(V) $(W) $$"); got != "01234567890123456789 $(W) $" {
		t.Errorf("got %q", got)
	}
	for range 40 {
		if p.env["V"] = p.expand("$(V)$(V)"); len(p.env["V"]) > maxText {
			t.Fatalf("a variable of %d bytes", len(p.env["V"]))
		}
	}
}
