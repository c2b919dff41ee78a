package matrix

import (
	_ "embed"

	"github.com/project-codeflare/cfctl/internal/strict"
)

//go:embed releases.yaml
var releases []byte

// Known are the published releases of the CodeFlare stack, oldest first: what
// History reads out of codeflare-operator. They answer where there is no
// repository to read; checks do not judge by them.
func Known() []Release {
	var doc struct {
		Matrix Config `yaml:"matrix"`
	}
	if err := strict.Decode("releases.yaml", releases, &doc); err != nil {
		panic(err) // embedded: a test reads it
	}
	return doc.Matrix.Releases
}
