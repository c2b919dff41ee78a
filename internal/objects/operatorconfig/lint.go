package operatorconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A key is one key of the operator's configuration, with the operator
// versions that know it. The types are the configuration types of
// codeflare-operator and of the modules that it embeds, at each version.
type key struct {
	path string
	is   string // bool, int, number, text, list, map
	from string // first version; empty = v1.0.0-rc.1
	to   string // first version without it; empty = none
}

// keys are all keys that a leaf value can be at. A path that ends in .*
// takes whatever is below it.
var keys = []key{
	{"clientConnection.qps", "number", "", ""},
	{"clientConnection.burst", "int", "", ""},
	{"metrics.bindAddress", "text", "", ""},
	{"health.bindAddress", "text", "", ""},
	{"health.readinessEndpointName", "text", "", ""},
	{"health.livenessEndpointName", "text", "", ""},
	{"leaderElection.leaderElect", "bool", "", ""},
	{"leaderElection.leaseDuration", "text", "", ""},
	{"leaderElection.renewDeadline", "text", "", ""},
	{"leaderElection.retryPeriod", "text", "", ""},
	{"leaderElection.resourceLock", "text", "", ""},
	{"leaderElection.resourceName", "text", "", ""},
	{"leaderElection.resourceNamespace", "text", "", ""},
	{"mcad.dynamicPriority", "bool", "", "v1.3.0"},
	{"mcad.preemption", "bool", "", "v1.3.0"},
	{"mcad.backoffTime", "int", "", "v1.3.0"},
	{"mcad.headOfLineHoldingTime", "int", "", "v1.3.0"},
	{"mcad.quotaEnabled", "bool", "", "v1.3.0"},
	{"instascale.enabled", "bool", "", "v1.3.0"},
	{"instascale.ocmSecretRef.name", "text", "", "v1.3.0"},
	{"instascale.ocmSecretRef.namespace", "text", "", "v1.3.0"},
	{"instascale.maxScaleoutAllowed", "int", "", "v1.3.0"},
	{"instascale.machineSetsStrategy", "text", "v1.0.0", "v1.3.0"},
	{"kuberay.rayDashboardOAuthEnabled", "bool", "v1.3.0", ""},
	{"kuberay.ingressDomain", "text", "v1.3.1", ""},
	{"kuberay.mTLSEnabled", "bool", "v1.4.0", ""},
	{"kuberay.certGeneratorImage", "text", "v1.4.1", "v1.6.0"},
	{"appwrapper.enabled", "bool", "v1.4.2", ""},
	{"appwrapper.Config.*", "map", "v1.4.2", ""},
}

// LintRules are the rules of Lint.
var LintRules = []report.Rule{
	{ID: "not-a-configmap", Doc: "what is linted is the operator's ConfigMap", Severity: report.Error},
	{ID: "one-key", Doc: "the ConfigMap has exactly one key; the operator does not start with any other number", Severity: report.Error},
	{ID: "unreadable-config", Doc: "the configuration is one YAML document", Severity: report.Error},
	{ID: "unknown-key", Doc: "every key is known to the operator of that version; it ignores others silently", Severity: report.Error},
	{ID: "wrong-type", Doc: "every value has the type that the operator decodes", Severity: report.Error},
	{ID: "letter-case", Doc: "keys are spelled as in the operator's types; other cases are taken, and hard to find", Severity: report.Warning},
}

// Lint looks at the operator's ConfigMap in a file, or at its configuration
// alone, with the eyes of one version of the operator.
func Lint(path string, data []byte, version string) ([]report.Finding, error) {
	v := "v" + strings.TrimPrefix(version, "v")
	if !semver.IsValid(v) {
		return nil, fmt.Errorf("%q is no version of the operator", version)
	}
	if semver.Compare(v, "v1.0.0-rc.1") < 0 {
		return nil, fmt.Errorf("codeflare-operator %s reads no ConfigMap; v1.0.0-rc.1 is the first that does", v)
	}
	finding := func(rule, format string, args ...any) report.Finding {
		return report.Finding{Rule: rule, Severity: report.Error, Path: path, Message: fmt.Sprintf(format, args...)}
	}
	doc, err := objects.Parse(data)
	if err != nil {
		return []report.Finding{finding("unreadable-config", "%v", err)}, nil
	}
	config, ok := doc.(map[string]any)
	if !ok && doc != nil {
		return []report.Finding{finding("unreadable-config", "it is no mapping")}, nil
	}
	if config["kind"] != nil || config["apiVersion"] != nil {
		if config["kind"] != "ConfigMap" {
			return []report.Finding{finding("not-a-configmap", "a %v, not a ConfigMap", config["kind"])}, nil
		}
		entries := objects.Map(config, "data")
		if len(entries) != 1 {
			return []report.Finding{finding("one-key", "data has %d keys; the operator takes a ConfigMap with exactly one", len(entries))}, nil
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			s, _ := entries[name].(string)
			inner, err := objects.Parse([]byte(s))
			if err != nil {
				return []report.Finding{finding("unreadable-config", "data[%q]: %v", name, err)}, nil
			}
			config, _ = inner.(map[string]any)
			if config == nil && strings.TrimSpace(s) != "" {
				return []report.Finding{finding("unreadable-config", "data[%q] is no mapping", name)}, nil
			}
		}
	}
	l := &linter{version: v, finding: finding, data: data}
	l.mapping("", config)
	return l.found, nil
}

type linter struct {
	version string
	data    []byte
	finding func(rule, format string, args ...any) report.Finding
	found   []report.Finding
}

// known lists the keys of the version below a path: the next names.
func (l *linter) known(path string) []string {
	var names []string
	for _, k := range keys {
		if k.from != "" && semver.Compare(l.version, k.from) < 0 || k.to != "" && semver.Compare(l.version, k.to) >= 0 {
			continue
		}
		if rest, ok := strings.CutPrefix(k.path, path); ok {
			name, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (l *linter) mapping(path string, m objects.Object) {
	names := l.known(path)
	if slices.Contains(names, "*") {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		if i < 0 {
			l.add(l.unknown(path, name, names))
			continue
		}
		if names[i] != name {
			f := l.finding("letter-case", "%s%s is spelled %s", path, name, names[i])
			f.Severity = report.Warning
			l.add(f)
		}
		l.value(path+names[i], m[name])
	}
}

func (l *linter) value(path string, value any) {
	for _, k := range keys {
		if k.path == path {
			if value != nil && !isType(k.is, value) {
				l.add(l.finding("wrong-type", "%s: %s is no %s", path, spell(value), k.is))
			}
			return
		}
	}
	if m, ok := value.(map[string]any); ok {
		l.mapping(path+".", m)
	} else if value != nil {
		l.add(l.finding("wrong-type", "%s: %s is no mapping", path, spell(value)))
	}
}

func (l *linter) unknown(path, name string, names []string) report.Finding {
	f := l.finding("unknown-key", "%s%s is no key of codeflare-operator %s, which ignores it silently", path, name, l.version)
	if near := spelling.Nearest(name, names); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	for _, k := range keys {
		if k.path != path+name && !strings.HasPrefix(k.path, path+name+".") {
			continue
		}
		if k.to != "" && semver.Compare(l.version, k.to) >= 0 {
			f.Hint = "it was removed in " + k.to
		} else if k.from != "" && semver.Compare(l.version, k.from) < 0 {
			f.Hint = "it was added in " + k.from
		}
	}
	return f
}

// add places a finding at the line where its key first stands.
func (l *linter) add(f report.Finding) {
	path, _, _ := strings.Cut(strings.TrimSuffix(f.Message, ":"), " ")
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], ":")
	for n, line := range strings.Split(string(l.data), "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " \"'-{"), name) {
			f.Line, f.Column = n+1, strings.Index(line, name)+1
			break
		}
	}
	l.found = append(l.found, f)
}

func isType(want string, v any) bool {
	switch v := v.(type) {
	case bool:
		return want == "bool"
	case int64:
		return want == "int" || want == "number"
	case float64:
		return want == "number" || want == "int" && v == float64(int64(v))
	case string:
		return want == "text"
	case []any:
		return want == "list"
	}
	return want == "map"
}
