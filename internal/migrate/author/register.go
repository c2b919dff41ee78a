package author

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// Register adds a ruleset to migrate.rulesets of a .cfctl.yaml, whose other bytes
// stay as they are. One that is listed already is not added again.
func Register(config []byte, ruleset string) ([]byte, error) {
	before, err := listed(config)
	if err != nil || slices.Contains(before, ruleset) {
		return config, err
	}
	edit, err := strict.AddItems(config, "migrate", "rulesets", []string{strict.Scalar(ruleset)}, nil)
	if err != nil {
		return nil, err
	}
	return source.Apply(config, []source.Edit{edit})
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
