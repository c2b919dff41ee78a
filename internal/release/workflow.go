package release

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A workflow is what a file of GitHub Actions says of how it is started.
// Source: "Workflow syntax for GitHub Actions", `on`.
type workflow struct {
	dispatch bool                     // it can be dispatched
	inputs   map[string]workflowInput // of a dispatch
	push     bool                     // it runs on pushes
	tags     refFilter                // of them, on those of these tags
	create   bool                     // it runs when a tag or branch is made
}

// A workflowInput is one declared input.
type workflowInput struct {
	required bool
	preset   string   // default; empty = none
	kind     string   // string, boolean, choice, number, environment; empty = string
	options  []string // of a choice
}

// A refFilter says which refs an event is about: patterns of which the last
// that fits decides, "!" excludes.
type refFilter struct {
	patterns []string
	ignore   []string
	none     bool // the event is filtered by branches alone: no tag starts it
}

// parseWorkflow reads a workflow file. What is no YAML mapping with `on` is an
// error.
func parseWorkflow(data []byte) (*workflow, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	on := field(&doc, "on")
	if on == nil {
		return nil, fmt.Errorf("no events under on")
	}
	w := &workflow{}
	switch on.Kind {
	case yaml.ScalarNode:
		w.event(on.Value, nil)
	case yaml.SequenceNode:
		for _, n := range on.Content {
			w.event(n.Value, nil)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(on.Content); i += 2 {
			w.event(on.Content[i].Value, deref(on.Content[i+1]))
		}
	}
	return w, nil
}

func (w *workflow) event(name string, body *yaml.Node) {
	switch name {
	case "workflow_dispatch":
		w.dispatch, w.inputs = true, inputsOf(field(body, "inputs"))
	case "push":
		w.push = true
		w.tags = refFilter{patterns: stringsOf(field(body, "tags")), ignore: stringsOf(field(body, "tags-ignore"))}
		branches := field(body, "branches") != nil || field(body, "branches-ignore") != nil
		w.tags.none = branches && w.tags.patterns == nil && w.tags.ignore == nil
	case "create":
		w.create = true
	}
}

func inputsOf(n *yaml.Node) map[string]workflowInput {
	inputs := map[string]workflowInput{}
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		body := deref(n.Content[i+1])
		inputs[n.Content[i].Value] = workflowInput{
			required: scalarOf(field(body, "required")) == "true", preset: scalarOf(field(body, "default")),
			kind: scalarOf(field(body, "type")), options: stringsOf(field(body, "options"))}
	}
	return inputs
}

// field is the value of a key of a mapping (or of a document that is one).
func field(n *yaml.Node, key string) *yaml.Node {
	n = deref(n)
	if n != nil && n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = deref(n.Content[0])
	}
	return deref(strict.Value(n, key))
}

func deref(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func scalarOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == yaml.NodeTagNull {
		return ""
	}
	return n.Value
}

// stringsOf is a list of strings, also where one is alone; nil = no such key.
func stringsOf(n *yaml.Node) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	list := []string{}
	for _, c := range n.Content {
		list = append(list, scalarOf(deref(c)))
	}
	return list
}

// startedBy says whether pushing a tag starts the workflow.
func (w *workflow) startedBy(tag string) bool {
	return w.create || w.push && w.tags.admits(tag)
}

func (f refFilter) admits(ref string) bool {
	switch {
	case f.none:
		return false
	case f.ignore != nil:
		return !slices.ContainsFunc(f.ignore, func(p string) bool { return forge.MatchesRef(p, ref) })
	case f.patterns == nil:
		return true
	}
	admitted := false
	for _, p := range f.patterns {
		if exclude, ok := strings.CutPrefix(p, "!"); ok {
			admitted = admitted && !forge.MatchesRef(exclude, ref)
		} else {
			admitted = admitted || forge.MatchesRef(p, ref)
		}
	}
	return admitted
}

// refuses lists what is wrong with the inputs that a dispatch would be given.
func (w *workflow) refuses(given map[string]string) []string {
	if !w.dispatch {
		return []string{"it cannot be dispatched: it has no workflow_dispatch"}
	}
	var wrong []string
	for _, name := range git.Sorted(given) {
		in, ok := w.inputs[name]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("it takes no input %q (it takes: %s)", name, strings.Join(git.Sorted(w.inputs), ", ")))
		} else if !in.takes(given[name]) {
			wrong = append(wrong, fmt.Sprintf("its input %q is %s, and %q is given", name, in.form(), given[name]))
		}
	}
	for _, name := range git.Sorted(w.inputs) {
		if in := w.inputs[name]; in.required && in.preset == "" && given[name] == "" {
			wrong = append(wrong, fmt.Sprintf("it wants the input %q, which is not given", name))
		}
	}
	return wrong
}

// takes says whether a value is of the input's type.
func (in workflowInput) takes(value string) bool {
	switch in.kind {
	case "boolean":
		return value == "true" || value == "false"
	case "choice":
		return slices.Contains(in.options, value)
	case "number":
		_, err := strconv.ParseFloat(value, 64)
		return err == nil
	}
	return true
}

func (in workflowInput) form() string {
	if in.kind == "choice" {
		return "one of " + strings.Join(in.options, ", ")
	}
	return "a " + in.kind
}
