package operatorconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// An option is one option of the MCAD or InstaScale program: a flag, an
// environment variable, a key of InstaScale's ConfigMap, or several of them.
type option struct {
	component      string // MCAD or InstaScale
	flag, env, key string // empty = it has none
	is             string // bool, int, text
	effect         effect
	to             string // key of the new configuration; empty = none
	why            string
	byDefault      string // of the program; a value like it is not written
}

const (
	ownConnection = "the operator connects to the cluster that it runs in"
	ownLogging    = "the operator has its own logging options"
	samePort      = "the probes, ports and Services of the operator's Deployment must name the same port"
)

// options are all options of multi-cluster-app-dispatcher v1.31.0 to v1.40.0
// (cmd/kar-controllers/app/options) and instascale v0.0.1 to v0.4.0 (main.go),
// without those of their logging libraries.
var options = []option{
	{"MCAD", "dynamicpriority", "DYNAMICPRIORITY", "", "bool", carried, "mcad.dynamicPriority", "", "false"},
	{"MCAD", "preemption", "PREEMPTION", "", "bool", carried, "mcad.preemption", "", "false"},
	{"MCAD", "backofftime", "BACKOFFTIME", "", "int", carried, "mcad.backoffTime", "", "20"},
	{"MCAD", "headoflineholdingtime", "HEADOFLINEHOLDINGTIME", "", "int", carried, "mcad.headOfLineHoldingTime", "", "0"},
	{"MCAD", "quotaEnabled", "QUOTA_ENABLED", "", "bool", carried, "mcad.quotaEnabled", "", "false"},
	{"MCAD", "healthProbeListenAddr", "", "", "text", carried, "health.bindAddress", samePort, ":8081"},
	{"MCAD", "quotaURL", "QUOTA_REST_URL", "", "text", lost, "", "MCAD has no REST quota manager any more; mcad.quotaEnabled means its built-in one", ""},
	{"MCAD", "dispatcher", "DISPATCHER_MODE", "", "bool", lost, "", "the embedded MCAD never runs as a dispatcher", "false"},
	{"MCAD", "agentconfigs", "DISPATCHER_AGENT_CONFIGS", "", "text", lost, "", "agents belong to the dispatcher mode, which the operator does not start", ""},
	{"MCAD", "dispatchResourceReservationTimeout", "DISPATCH_RESOURCE_RESERVATION_TIMEOUT", "", "int", nothing, "", "MCAD does not use it since v1.33.0", "300000"},
	{"MCAD", "secure-port", "", "", "int", nothing, "", "MCAD never listened on it", "6443"},
	{"MCAD", "master", "", "", "text", lost, "", ownConnection, ""},
	{"MCAD", "scheduler", "", "", "text", lost, "", "MCAD took it for --master, and " + ownConnection, ""},
	{"MCAD", "kubeconfig", "", "", "text", lost, "", ownConnection, ""},

	{"InstaScale", "", "", "maxScaleoutAllowed", "int", carried, "instascale.maxScaleoutAllowed", "", ""},
	{"InstaScale", "", "", "machineSetsStrategy", "text", carried, "instascale.machineSetsStrategy", "", ""},
	{"InstaScale", "", "", "useMachinePools", "bool", nothing, "", "only InstaScale v0.0.4 and v0.0.5 read it; --ocm-secret NAMESPACE/NAME turns machine pools on", ""},
	{"InstaScale", "metrics-bind-address", "", "", "text", carried, "metrics.bindAddress", samePort, ":8080"},
	{"InstaScale", "health-probe-bind-address", "", "", "text", carried, "health.bindAddress", samePort, ":8081"},
	{"InstaScale", "leader-elect", "", "", "bool", carried, "leaderElection.leaderElect", "", "false"},
	{"InstaScale", "configs-namespace", "", "", "text", nothing, "", "", ""}, // says where its ConfigMap is
	{"InstaScale", "ocm-secret-namespace", "", "", "text", carried, "instascale.ocmSecretRef", "", ""},
	{"InstaScale", "kubeconfig", "KUBECONFIG", "", "text", lost, "", ownConnection, ""},
}

// logging are the flags of klog (MCAD) and zap (InstaScale), by name; those
// that are true take no value.
var logging = map[string]map[string]bool{
	"MCAD": {
		"v": false, "vmodule": false, "stderrthreshold": false, "log_dir": false, "log_file": false, "log_file_max_size": false, "log_backtrace_at": false,
		"logtostderr": true, "alsologtostderr": true, "add_dir_header": true, "skip_headers": true, "skip_log_headers": true, "one_output": true,
	},
	"InstaScale": {"zap-encoder": false, "zap-log-level": false, "zap-stacktrace-level": false, "zap-time-encoding": false, "zap-devel": true},
}

// lookup finds the option of a component that a test accepts.
func lookup(component string, is func(option) bool) (option, bool) {
	i := slices.IndexFunc(options, func(o option) bool { return o.component == component && is(o) })
	if i < 0 {
		return option{}, false
	}
	return options[i], true
}

// flagNamed finds an option by its flag.
func flagNamed(component, name string) (option, bool) {
	if bare, known := logging[component][name]; known {
		is := "text"
		if bare {
			is = "bool"
		}
		return option{component: component, flag: name, is: is, effect: lost, why: ownLogging}, true
	}
	return lookup(component, func(o option) bool { return o.flag == name && name != "" })
}

// A setting is an option with the value that a Deployment gives it.
type setting struct {
	option
	value, place string
	quiet        bool // the program falls back to its default where the value is invalid
}

// parse converts the value as the program does.
func (s setting) parse() (any, error) {
	switch s.is {
	case "bool":
		if s.quiet {
			return strings.EqualFold(s.value, "true"), nil
		}
		return strconv.ParseBool(s.value)
	case "int":
		return strconv.ParseInt(s.value, 0, 32)
	}
	return s.value, nil
}

// carrySetting accounts for one setting of a program.
func (k *Kind) carrySetting(config objects.Object, s setting, note noter) *objects.Refusal {
	value, err := s.parse()
	if err != nil && s.quiet {
		note("no-effect", report.Warning, "%s: %q is no number, and %s used its default", s.place, s.value, s.component)
		return nil
	}
	if err != nil {
		return &objects.Refusal{Reason: "wrong-type", Message: fmt.Sprintf("%s: %q is not what %s takes: its type is %s", s.place, s.value, s.component, s.is)}
	}
	switch standard := fmt.Sprint(value) == s.byDefault; {
	case s.effect == nothing && s.why != "":
		note("no-effect", report.Note, "%s: %s had no effect: %s", s.place, spell(value), s.why)
	case s.effect == lost && !standard:
		note("no-target", report.Warning, "%s: %s is lost: %s", s.place, spell(value), s.why)
	case s.effect != carried || s.flag == "ocm-secret-namespace":
	case !k.takes(s.to):
		note("no-target", report.Warning, "%s: %s is lost: codeflare-operator %s has no %s", s.place, spell(value), k.version(), s.to)
	case s.flag == "leader-elect":
		if value == true {
			put(config, "leaderElection", leaderElection())
			note("leader-election", report.Note, "%s: leaderElection is written in full, because the operator does not start if a part of it is missing", s.place)
		}
	case standard && s.why != "": // an address: not written, so that the other component's may be
	default:
		if old := objects.At(config, strings.Split(s.to, ".")...); old != nil && old != value {
			note("no-target", report.Warning, "%s: %s is lost: %s is %s already, from the other component", s.place, spell(value), s.to, spell(old))
			return nil
		}
		put(config, s.to, value)
		if s.why != "" {
			note("check-deployment", report.Warning, "%s: %s becomes %s: %s", s.place, spell(value), s.to, s.why)
		}
	}
	return nil
}

// takes says whether the operator's version knows a key, or keys below it.
func (k *Kind) takes(path string) bool {
	l := &linter{version: k.version()}
	parent, name := path[:strings.LastIndexByte(path, '.')+1], path[strings.LastIndexByte(path, '.')+1:]
	return slices.Contains(l.known(parent), name)
}

// leaderElection has the values that controller-runtime uses by default. The
// operator passes on what is missing as zero, with which it does not start.
func leaderElection() objects.Object {
	return objects.Object{
		"leaderElect": true, "leaseDuration": "15s", "renewDeadline": "10s", "retryPeriod": "2s",
		"resourceLock": "leases", "resourceName": "codeflare-operator-leader",
	}
}

// carryOptions accounts for everything that a Deployment configures.
func (k *Kind) carryOptions(in instance, config objects.Object, note noter) *objects.Refusal {
	p := &program{kind: k, instance: in, note: note, given: map[string]setting{}}
	if refusal := p.read(); refusal != nil {
		return refusal
	}
	if in.component == "InstaScale" {
		put(config, "instascale.enabled", true)
		if refusal := k.ocmSecret(config, p.given["ocm-secret-namespace"], note); refusal != nil {
			return refusal
		}
		if _, given := p.given["maxScaleoutAllowed"]; !given {
			put(config, "instascale.maxScaleoutAllowed", int64(3))
			note("default-changed", report.Note, "maxScaleoutAllowed: unset meant 3 and would mean 5; instascale.maxScaleoutAllowed: 3 is written")
		}
	}
	for _, name := range p.order {
		if refusal := k.carrySetting(config, p.given[name], note); refusal != nil {
			return refusal
		}
	}
	if resources := objects.Map(p.container, "resources"); len(resources) > 0 {
		note("no-target", report.Warning, "%s.resources: %s is lost: %s runs in the operator's own container; set the resources of the operator's Deployment or Subscription", p.place, spell(resources), in.component)
	}
	return nil
}

// ocmSecret writes the reference that turns machine pools on. InstaScale used
// them if the Secret instascale-ocm-secret existed, which a manifest does not
// tell; the operator does not start without a Secret that is named.
func (k *Kind) ocmSecret(config objects.Object, s setting, note noter) *objects.Refusal {
	if k.OCMSecret == "" && s.value == "" {
		note("machine-pools", report.Warning, "InstaScale used machine pools if there was a Secret instascale-ocm-secret in its default namespace: if so, name it with --ocm-secret NAMESPACE/NAME")
		return nil
	}
	place := "--ocm-secret"
	if k.OCMSecret == "" {
		place = s.place
		note("machine-pools", report.Warning, "%s: %q becomes instascale.ocmSecretRef: %s/instascale-ocm-secret; the operator does not start if that Secret does not exist", s.place, s.value, s.value)
	}
	ref := cmp.Or(k.OCMSecret, s.value+"/instascale-ocm-secret")
	return putSecret(config, place, ref)
}
