package main

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// TestDocumentedConfiguration holds the examples of docs/matrix.md to the
// decoder, and the stack that it describes to its own rules.
func TestDocumentedConfiguration(t *testing.T) {
	doc, err := os.ReadFile("../../docs/matrix.md")
	if err != nil {
		t.Fatal(err)
	}
	stacks := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(doc, -1) {
		var c config.Config
		if err := strict.Decode("docs/matrix.md", m[1], &c); err != nil {
			t.Errorf("%v in\n%s", err, m[1])
			continue
		}
		if c.Stack == nil {
			continue
		}
		stacks++
		if err := c.Stack.Complete("docs/matrix.md"); err != nil {
			t.Error(err)
		}
		if err := (&matrix.Config{}).Complete("docs/matrix.md", c.Stack); err != nil {
			t.Error(err)
		}
	}
	if stacks == 0 {
		t.Error("no stack is described")
	}
}

// Trying again does not mend a clone on this machine.
func TestHintOfAnIncompleteClone(t *testing.T) {
	err := remoteHint(&git.RemoteError{URL: "file:///src/app", Err: errors.New("unable to read 8bd19")}, "")
	var h hinted
	if !errors.As(err, &h) || !strings.Contains(h.hint, "git -C /src/app fsck") {
		t.Errorf("%v", err)
	}
}
