package author

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// errLayout is the error of Register for a configuration that is written in a
// way that it does not edit.
var errLayout = errors.New("migrate.rulesets has a layout that cfctl does not edit")

// Register adds a ruleset to migrate.rulesets of a .cfctl.yaml, whose other bytes
// stay as they are. One that is listed already is not added again.
func Register(config []byte, ruleset string) ([]byte, error) {
	before, err := listed(config)
	if err != nil || slices.Contains(before, ruleset) {
		return config, err
	}
	out, err := insert(config, strict.Scalar(ruleset))
	if err != nil {
		return nil, err
	}
	if after, err := listed(out); err != nil || !slices.Equal(after, append(before, ruleset)) {
		return nil, errLayout
	}
	return out, nil
}

// listed are the rulesets that a configuration lists.
func listed(config []byte) ([]string, error) {
	var c struct {
		Migrate struct {
			Rulesets []string `yaml:"rulesets"`
		} `yaml:"migrate"`
	}
	err := yaml.Unmarshal(config, &c)
	return c.Migrate.Rulesets, err
}

// insert adds an entry, spelled as YAML, to the text of a configuration.
func insert(config []byte, entry string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(config, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return section(config, entry), nil
	}
	key, migrate := strict.Entry(doc.Content[0], "migrate")
	switch {
	case doc.Content[0].Kind != yaml.MappingNode || doc.Content[0].Style&yaml.FlowStyle != 0 && key == nil:
		return nil, errLayout
	case key == nil:
		return section(config, entry), nil
	}
	_, list := strict.Entry(migrate, "rulesets")
	switch {
	case list == nil && migrate.Kind == yaml.MappingNode && migrate.Style&yaml.FlowStyle != 0:
		at := offset(config, migrate.Line, migrate.Column) + 1
		more := ""
		if len(migrate.Content) > 0 {
			more = ", "
		}
		return splice(config, at, "rulesets: ["+entry+"]"+more)
	case list == nil && migrate.Kind == yaml.MappingNode && len(migrate.Content) > 0:
		first := migrate.Content[0]
		return splice(config, offset(config, first.Line, 1), strings.Repeat(" ", first.Column-1)+"rulesets: ["+entry+"]\n")
	case list == nil: // "migrate:" alone
		return splice(config, offset(config, key.Line+1, 1), strings.Repeat(" ", key.Column+1)+"rulesets: ["+entry+"]\n")
	case list.Kind != yaml.SequenceNode:
		return nil, errLayout
	case list.Style&yaml.FlowStyle != 0:
		return inFlow(config, list, entry)
	}
	return inBlock(config, list, entry)
}

// section is a configuration with a section migrate at its end.
func section(config []byte, entry string) []byte {
	text := string(config)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text + "migrate:\n  rulesets:\n    - " + entry + "\n")
}

// inFlow adds an entry to [A, B].
func inFlow(config []byte, list *yaml.Node, entry string) ([]byte, error) {
	begin := offset(config, list.Line, list.Column)
	end := bytes.IndexByte(config[begin:], ']')
	if end < 0 {
		return nil, errLayout
	}
	if len(list.Content) > 0 {
		entry = ", " + entry
	}
	return splice(config, begin+end, entry)
}

// inBlock adds an entry below the last one of a list with a line for each.
func inBlock(config []byte, list *yaml.Node, entry string) ([]byte, error) {
	last := list.Content[len(list.Content)-1]
	line := config[offset(config, last.Line, 1):]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " "))]
	return splice(config, offset(config, last.Line+1, 1), fmt.Sprintf("%s- %s\n", indent, entry))
}

// splice inserts text at an offset; behind a last line without an end it begins a
// line of its own.
func splice(config []byte, at int, text string) ([]byte, error) {
	if at == len(config) && at > 0 && config[at-1] != '\n' {
		text = "\n" + text
	}
	return source.Apply(config, []source.Edit{{Span: source.Span{Start: at, End: at}, New: text}})
}

// offset is the byte of a line and column, both from 1; columns are of the ASCII
// that configuration keys are. Beyond the last line it is the end.
func offset(text []byte, line, column int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return min(at+column-1, len(text))
}
