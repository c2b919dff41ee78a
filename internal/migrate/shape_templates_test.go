package migrate

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/shape"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A chart writes an object with the fields that a conversion names, in forms that
// charts have: values, blocks, branches, loops.
type chart struct {
	*rand.Rand
	b      strings.Builder
	values map[string]any
	on     []string // the values that a branch asks for
}

// value gives a value a name.
func (c *chart) value(v any) string {
	name := fmt.Sprint("v", len(c.values))
	c.values[name] = v
	return "$.V." + name
}

func (c *chart) line(indent int, format string, args ...any) {
	c.b.WriteString(strings.Repeat(" ", indent) + fmt.Sprintf(format, args...) + "\n")
}

// toggle is the name of a value that is set or not.
func (c *chart) toggle() string {
	name := c.value(true)
	c.on = append(c.on, strings.TrimPrefix(name, "$.V."))
	return name
}

// mapping writes entries, one of them perhaps by an action.
func (c *chart) mapping(m map[string]any, indent int) {
	keys := slices.Sorted(maps.Keys(m))
	c.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i, key := range keys {
		if v := m[key]; i == len(keys)-1 && i > 0 && c.IntN(12) == 0 {
			c.line(indent, "{{- toYaml %s | nindent %d }}", c.value(map[string]any{key: v}), indent)
		} else {
			c.branch(key, v, indent)
		}
	}
}

// branch writes an entry, perhaps in a branch.
func (c *chart) branch(key string, v any, indent int) {
	switch c.IntN(14) {
	case 0:
		c.line(indent, "{{- if %s }}", c.toggle())
		c.entry(key, v, indent)
		c.line(indent, "{{- end }}")
	case 1:
		c.line(indent, "{{- if %s }}", c.toggle())
		c.entry(key, v, indent)
		c.line(indent, "{{- else }}")
		c.entry(key, v, indent)
		c.line(indent, "{{- end }}")
	case 2:
		c.line(indent, "{{- with %s }}", c.value(v))
		c.line(indent, "%s:", key)
		c.line(indent+2, "{{- toYaml . | nindent %d }}", indent+2)
		c.line(indent, "{{- end }}")
	default:
		c.entry(key, v, indent)
	}
}

func (c *chart) entry(key string, v any, indent int) {
	switch c.IntN(14) {
	case 0:
		c.line(indent, "%s:", key)
		c.line(indent+2, "{{- toYaml %s | nindent %d }}", c.value(v), indent+2)
	case 1:
		c.line(indent, "%s:", key)
		c.line(0, "{{ toYaml %s | indent %d }}", c.value(v), indent+2)
	default:
		c.plain(key, v, indent)
	}
}

func (c *chart) plain(key string, v any, indent int) {
	switch v := v.(type) {
	case map[string]any:
		c.line(indent, "%s:", key)
		c.mapping(v, indent+2)
	case []any:
		c.line(indent, "%s:", key)
		if loops := c.IntN(3) == 0; loops {
			c.line(indent, "{{- range %s }}", c.value([]int{1, 2}))
			defer c.line(indent, "{{- end }}")
		}
		for _, item := range v {
			c.line(indent, "- item: %d", c.IntN(9))
			c.mapping(item.(map[string]any), indent+2)
		}
		if c.IntN(12) == 0 {
			c.line(indent, "{{- toYaml %s | nindent %d }}", c.value(v), indent)
		}
	default:
		if c.IntN(3) == 0 {
			c.line(indent, "%s: {{ %s }}", key, c.value(v))
			return
		}
		c.line(indent, "%s: %v", key, v)
	}
}

// fields are the fields that the steps of a conversion name, some of them.
func fields(r *rand.Rand, conv rules.Conversion) map[string]any {
	all := map[string]any{"spec": map[string]any{"other": 1}}
	for _, s := range conv.Steps {
		_, path, _ := s.Verb()
		if s.Set != "" || s.Map != "" || s.Input != "" || s.Tell != "" || r.IntN(3) == 0 {
			continue
		}
		keys, err := rules.ParsePath(path)
		if err != nil {
			continue
		}
		at := all
		for i, key := range keys {
			next := any(map[string]any{})
			switch list := i+1 < len(keys) && keys[i+1] == "[*]"; {
			case key == "[*]":
				continue
			case list:
				next = []any{map[string]any{}}
			case i == len(keys)-1 && r.IntN(2) == 0:
				next = 7
			case i == len(keys)-1:
				next = map[string]any{"a": 1, "b": 2}
			}
			if at[key] == nil {
				at[key] = next
			}
			switch v := at[key].(type) {
			case map[string]any:
				at = v
			case []any:
				at = v[0].(map[string]any)
			}
			if _, scalar := at[key].(int); scalar {
				break
			}
		}
	}
	return all
}

// rendered is what Helm would make of a template.
func rendered(t *testing.T, in string, values map[string]any) string {
	t.Helper()
	indent := func(n int, s string) string {
		return strings.Repeat(" ", n) + strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n))
	}
	tpl, err := template.New("").Funcs(template.FuncMap{
		"toYaml": func(v any) string { b, _ := yaml.Marshal(v); return strings.TrimSuffix(string(b), "\n") },
		"indent": indent, "nindent": func(n int, s string) string { return "\n" + indent(n, s) },
	}).Parse(in)
	if err != nil {
		t.Fatalf("%v in\n%s", err, in)
	}
	var b bytes.Buffer
	if err := tpl.Execute(&b, map[string]any{"V": values}); err != nil {
		t.Fatalf("%v in\n%s", err, in)
	}
	return b.String()
}

// reshaped does the conversion of a table on an object.
func reshaped(table *rules.Table, in string, templated bool) (out string, stays bool) {
	data := []byte(in)
	due, _ := shape.Find(table, syntax.Scan(data, source.Span{End: len(data)}, false, templated))
	fresh, _, err := shape.Convert(data, data, 0, due, shape.Options{Templated: templated})
	return string(fresh), err != nil
}

// bare is a value without what is null or empty.
func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if v[k] = bare(v[k]); v[k] == nil {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = bare(v[i])
		}
	}
	return v
}

// The template of an object, changed and then rendered, is what was rendered first
// and changed then, whatever the values are; or the template stays as it is.
func TestChangedTemplatesRenderAsChangedObjects(t *testing.T) {
	t.Parallel()
	changed := 0
	for _, name := range Builtin() {
		set, err := BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := rules.Compile([]*rules.Ruleset{set})
		if err != nil {
			t.Fatal(err)
		}
		for _, conv := range set.Convert {
			for seed := range uint64(12) {
				c := &chart{Rand: rand.New(rand.NewPCG(seed, 1)), values: map[string]any{}}
				c.line(0, "apiVersion: %s\nkind: %s\nmetadata: {name: x}", conv.From, conv.Kind)
				c.mapping(fields(c.Rand, conv), 0)
				in := c.b.String()
				out, stays := reshaped(table, in, true)
				if stays {
					continue
				}
				changed++
				for pass := range 3 {
					for i, name := range c.on {
						c.values[name] = pass == 0 || pass == 2 && i%2 == 0
					}
					before := rendered(t, in, c.values)
					want, _ := reshaped(table, before, false)
					got := rendered(t, out, c.values)
					var a, b any
					if yaml.Unmarshal([]byte(want), &a) != nil {
						continue
					}
					if err := yaml.Unmarshal([]byte(got), &b); err != nil || !reflect.DeepEqual(bare(a), bare(b)) {
						t.Fatalf("%s: %v, got\n%s\nof\n%s\nrendered\n%s\nwant\n%s", conv.ID, err, out, in, got, want)
					}
				}
			}
		}
	}
	if changed < 50 {
		t.Errorf("%d templates changed", changed)
	}
}
