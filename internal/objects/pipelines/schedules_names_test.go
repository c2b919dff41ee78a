package pipelines

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// TestSchedulesOfOddNames: a recurring run whose name or namespace no server
// takes is reported with its place, and gets neither file nor command; the
// rest go on.
func TestSchedulesOfOddNames(t *testing.T) {
	target := imported{list: []objects.Object{object("Pipeline", "p", "p-new", "p-old")}}
	var text strings.Builder
	odd := []string{"../..", "a/b", "x; touch y", "$(id)", "-x", "A", "a b"}
	line := func(namespace, name string) {
		text.WriteString("---\napiVersion: kubeflow.org/v1beta1\nkind: ScheduledWorkflow\nmetadata: {name: \"" + name + "\", namespace: \"" + namespace + "\", uid: \"u' OR 1=1 --\"}\nspec: {pipelineId: p-old}\n")
	}
	for _, o := range odd {
		line(o, "x")
		line("n", o)
	}
	line("", "x")
	line("n", "good")
	f, err := Follow(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Schedules(context.Background(), &objects.Files{Path: "-", Stdin: strings.NewReader(text.String())})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, s := range list {
		if s.Finding != nil && (s.Finding.Rule == "bad-name" || s.Finding.Rule == "bad-namespace") && s.Finding.Line > 0 && s.Patch == nil && s.SQL == "" {
			refused++
		} else if s.ref.Name != "good" || strings.Contains(s.SQL, "OR 1=1 --'") {
			t.Errorf("%s: %s", s.ref, s.SQL)
		}
	}
	if want := 2*len(odd) + 1; refused != want {
		t.Errorf("%d refused, want %d", refused, want)
	}
}

// TestScheduleCommand: a printed command is one command, whatever the folder
// is called.
func TestScheduleCommand(t *testing.T) {
	s := Schedule{ref: objects.Ref{Namespace: "n", Name: "x; id"}}
	if got, want := s.Command("my patches/$x.json"), `kubectl patch scheduledworkflows.kubeflow.org 'x; id' -n n --type json --patch-file 'my patches/$x.json'`; got != want {
		t.Errorf("got %s", got)
	}
}
