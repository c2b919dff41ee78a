package operatorconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A noter reports what becomes of a field or an option.
type noter func(rule string, severity report.Severity, format string, args ...any)

// An instance is one running MCAD or InstaScale: a custom resource of the old
// operator, or a container of a Deployment.
type instance struct {
	component string
	record    objects.Record
	container int // of a Deployment; -1 = a custom resource
}

func (in instance) String() string {
	ref := objects.RefOf(in.record.Object)
	if in.container < 0 {
		ref.Kind = ""
	}
	return strings.TrimSpace(ref.String())
}

// programs are the names of the images and commands of a component.
var programs = map[string]string{
	"mcad-controller":              "MCAD",
	"multi-cluster-app-dispatcher": "MCAD",
	"instascale":                   "InstaScale",
	"instascale-controller":        "InstaScale",
}

// deployed are the instances of a Deployment. What the old operator created
// for one of its own resources is not among them.
func deployed(r objects.Record) []instance {
	for _, owner := range objects.List(r.Object, "metadata", "ownerReferences") {
		if m, ok := owner.(map[string]any); ok && strings.HasPrefix(objects.Text(m, "apiVersion"), oldGroup) {
			return nil
		}
	}
	var list []instance
	for i, c := range containers(r.Object) {
		image, _, _ := stack.SplitImage(objects.Text(c, "image"))
		command := ""
		if words := texts(objects.List(c, "command")); len(words) > 0 {
			command = path.Base(words[0])
		}
		for _, name := range []string{command, path.Base(image)} {
			if component := programs[name]; component != "" {
				list = append(list, instance{component, r, i})
				break
			}
		}
	}
	return list
}

func containers(deployment objects.Object) []objects.Object {
	var list []objects.Object
	for _, c := range objects.List(deployment, "spec", "template", "spec", "containers") {
		m, _ := c.(map[string]any)
		list = append(list, m) // keeps the index
	}
	return list
}

func texts(list []any) []string {
	return lists.Of(list, func(w any) string { return fmt.Sprint(w) })
}

// configMap reads a ConfigMap that a Deployment refers to. One that is not
// there is nil.
func (k *Kind) configMap(namespace, name string) (objects.Object, error) {
	if k.ConfigMap == nil {
		return k.maps[namespace+"/"+name], nil
	}
	o, err := k.ConfigMap(objects.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: name})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return o, err
}

// A program reads the settings of one container: ConfigMaps, environment
// variables, flags; a later one wins.
type program struct {
	kind *Kind
	instance
	container objects.Object
	place     string // of the container
	note      noter
	env       map[string]string // for $(NAME)
	given     map[string]setting
	order     []string // of given
}

func (p *program) read() *objects.Refusal {
	p.container = containers(p.record.Object)[p.instance.container]
	p.place = fmt.Sprintf("containers[%d]", p.instance.container)
	p.env = map[string]string{}
	if refusal := p.environment(); refusal != nil {
		return refusal
	}
	if refusal := p.flags(); refusal != nil || p.component != "InstaScale" {
		return refusal
	}
	return p.instaScaleMap()
}

// set notes a setting, in place of one with the same name.
func (p *program) set(o option, value, place string, quiet bool) {
	name := o.flag + o.key
	if _, known := p.given[name]; !known {
		p.order = append(p.order, name)
	}
	p.given[name] = setting{o, value, place, quiet}
}

// unknown reports what is no option of the program.
func (p *program) unknown(place string) {
	p.note("unknown-option", report.Warning, "%s is no option of %s that cfctl knows", place, p.component)
}

func (p *program) variable(name, value, place string) {
	p.env[name] = value
	if o, ok := lookup(p.component, func(o option) bool { return o.env == name }); ok {
		p.set(o, value, place, true)
		return
	}
	p.unknown(place)
}

func (p *program) environment() *objects.Refusal {
	for i, e := range objects.List(p.container, "envFrom") {
		from, _ := e.(map[string]any)
		place := fmt.Sprintf("%s.envFrom[%d]", p.place, i)
		name := objects.Text(from, "configMapRef", "name")
		if name == "" {
			p.note("unread-value", report.Warning, "%s: a Secret, which cfctl does not read", place)
			continue
		}
		data, refusal := p.data(place, p.record, name, objects.At(from, "configMapRef", "optional") == true)
		if refusal != nil {
			return refusal
		}
		for _, key := range slices.Sorted(maps.Keys(data)) {
			p.variable(objects.Text(from, "prefix")+key, fmt.Sprint(data[key]), fmt.Sprintf("%s %s.%s", place, name, key))
		}
	}
	for i, e := range objects.List(p.container, "env") {
		v, _ := e.(map[string]any)
		name, place := objects.Text(v, "name"), fmt.Sprintf("%s.env[%d] %s", p.place, i, objects.Text(v, "name"))
		ref := objects.Map(v, "valueFrom", "configMapKeyRef")
		switch {
		case ref != nil:
			data, refusal := p.data(place, p.record, objects.Text(ref, "name"), ref["optional"] == true)
			if refusal != nil {
				return refusal
			}
			if value, ok := data[objects.Text(ref, "key")]; ok {
				p.variable(name, fmt.Sprint(value), place)
			}
		case v["valueFrom"] != nil:
			p.note("unread-value", report.Warning, "%s: its value is neither given nor in a ConfigMap; cfctl does not read it", place)
		default:
			p.variable(name, p.expand(objects.Text(v, "value")), place)
		}
	}
	return nil
}

var reference = lazyregexp.New(`\$\$|\$\([^()]+\)`)

// maxText is the longest argument or variable with which Linux starts a program.
const maxText = 128 << 10

// expand replaces $(NAME) as Kubernetes does; $$ is one dollar sign. What would be longer than
// maxText is left: the program cannot start with it.
func (p *program) expand(text string) string {
	size := len(text)
	return reference.Get().ReplaceAllStringFunc(text, func(ref string) string {
		if ref == "$$" {
			return "$"
		}
		if value, ok := p.env[ref[2:len(ref)-1]]; ok && size+len(value) <= maxText {
			size += len(value)
			return value
		}
		return ref
	})
}

// flags reads the command line as package flag of Go does.
func (p *program) flags() *objects.Refusal {
	type word struct{ text, place string }
	var words []word
	command := texts(objects.List(p.container, "command"))
	for i, w := range command {
		words = append(words, word{p.expand(w), fmt.Sprintf("%s.command[%d]", p.place, i)})
	}
	if len(command) > 0 {
		if base := path.Base(words[0].text); base == "sh" || base == "bash" {
			return &objects.Refusal{
				Reason: "shell-command", Message: fmt.Sprintf("%s.command: %s is started by a shell, and cfctl does not run it to see its options", p.place, p.component),
				Hint: "give cfctl a copy of the manifest with the program and its options as command and args",
			}
		}
		words = words[1:]
	}
	for i, w := range texts(objects.List(p.container, "args")) {
		words = append(words, word{p.expand(w), fmt.Sprintf("%s.args[%d]", p.place, i)})
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w.text, "-"), "-"), "=")
		if !strings.HasPrefix(w.text, "-") || name == "" {
			p.unknown(w.place) // without its text, which may be a secret
			return nil         // package flag stops here
		}
		o, known := flagNamed(p.component, name)
		switch follows := i+1 < len(words); {
		case given:
		case known && o.is == "bool":
			value = "true"
		case known && !follows:
			return &objects.Refusal{Reason: "wrong-type", Message: fmt.Sprintf("%s: --%s has no value", w.place, name)}
		case follows && (known || !strings.HasPrefix(words[i+1].text, "-")):
			i++
			value = words[i].text
		}
		if !known {
			p.unknown(w.place + " --" + name)
			continue
		}
		p.set(o, value, w.place+" --"+name, false)
	}
	return nil
}

// instaScaleNamespaces are the defaults of --configs-namespace: up to v0.0.8,
// and since then.
var instaScaleNamespaces = []string{"kube-system", "instascale-system"}

// instaScaleMap reads the ConfigMap that InstaScale does not start without.
func (p *program) instaScaleMap() *objects.Refusal {
	const name = "instascale-config"
	namespaces := instaScaleNamespaces
	if s, ok := p.given["configs-namespace"]; ok {
		namespaces = []string{s.value}
	}
	for _, namespace := range namespaces {
		o, err := p.kind.configMap(namespace, name)
		if err != nil {
			return &objects.Refusal{Reason: "unreadable", Message: err.Error()}
		}
		data := objects.Map(o, "data")
		for _, key := range slices.Sorted(maps.Keys(data)) {
			place := fmt.Sprintf("ConfigMap %s/%s: data.%s", namespace, name, key)
			opt, known := lookup(p.component, func(o option) bool { return o.key == key })
			if !known {
				p.unknown(place)
			} else if value := fmt.Sprint(data[key]); value != "" {
				p.set(opt, value, place, false)
			}
		}
		if o != nil {
			return nil
		}
	}
	return noConfigMap("InstaScale", strings.Join(namespaces, " or "), name)
}

// data is the content of a ConfigMap in the namespace of the Deployment.
func (p *program) data(place string, r objects.Record, name string, optional bool) (objects.Object, *objects.Refusal) {
	namespace := objects.RefOf(r.Object).Namespace
	o, err := p.kind.configMap(namespace, name)
	switch {
	case err != nil:
		return nil, &objects.Refusal{Reason: "unreadable", Message: place + ": " + err.Error()}
	case o == nil && !optional:
		return nil, noConfigMap(place, namespace, name)
	}
	return objects.Map(o, "data"), nil
}

func noConfigMap(who, namespace, name string) *objects.Refusal {
	return &objects.Refusal{
		Reason: "no-configmap", Message: fmt.Sprintf("%s: the ConfigMap %s of namespace %s is not in the source", who, name, namespace),
		Hint: fmt.Sprintf("add it to the source: kubectl get configmap %s -n %s -o yaml", name, strings.Fields(namespace + " ")[0]),
	}
}

// find reads the whole source: the instances by component, in order.
func (k *Kind) find(ctx context.Context, emit func(*objects.Item) error) (map[string][]instance, error) {
	found := map[string][]instance{}
	k.maps = map[string]objects.Object{}
	err := k.Source.Objects(ctx, func(r objects.Record) error {
		if r = objects.Typed(r); r.Err != nil {
			return emit(objects.UnreadableItem(r))
		}
		switch ref := objects.RefOf(r.Object); {
		case strings.HasPrefix(ref.APIVersion, oldGroup) && slices.Contains(oldKinds, ref.Kind):
			found[ref.Kind] = append(found[ref.Kind], instance{ref.Kind, r, -1})
		case ref.Kind == "Deployment" && strings.HasPrefix(ref.APIVersion, "apps/"):
			for _, in := range deployed(r) {
				found[in.component] = append(found[in.component], in)
			}
		case ref.Kind == "ConfigMap" && ref.APIVersion == "v1":
			k.maps[ref.Namespace+"/"+ref.Name] = r.Object
		}
		return nil
	})
	return found, err
}
