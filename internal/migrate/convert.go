package migrate

import "errors"

// A Conversion changes the shape of a kind between two versions.
type Conversion struct {
	ID    string `yaml:"id"`
	Kind  string `yaml:"kind"`
	From  string `yaml:"from"`
	To    string `yaml:"to"`
	Steps []Step `yaml:"steps"`
}

// A Step is one change of shape.
type Step struct {
	Move string `yaml:"move"`
}

func (c Conversion) validate() error {
	if c.Kind == "" {
		return errors.New("kind is missing")
	}
	return nil
}

func (a *analysis) convert() {}
