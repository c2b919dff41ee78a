package edit

import "testing"

// The hint of an import is a command that moves it where its group stays, and
// says how to look where it does not.
func TestImportHints(t *testing.T) {
	b := newBench(t, moves)
	for path, want := range map[string]string{
		"example.net/client/step.example.com/v1alpha1": `sed -i.bak 's|"example.net/client/step.example.com/v1alpha1"|"example.net/client/step.example.com/v1"|' a.go && rm a.go.bak && go build ./...`,
		"example.net/client/home.example.com/v1alpha1": "go doc example.net/client/home.example.com/v1alpha1 lists its kinds; change the import by kind, then go build ./...",
		"example.net/client/tree.example.com":          "go doc example.net/client/tree.example.com lists its kinds; change the import by kind, then go build ./...",
	} {
		made := b.plan("a.go", "package a\n\nimport \""+path+"\"\n")
		if len(made) != 1 || made[0].Action() != Person || made[0].Hint != want {
			t.Errorf("%s: %+v", path, made)
		}
	}
}

// A path is one word of the command, whatever is in it.
func TestReplaceImportInAPathWithBlanks(t *testing.T) {
	want := `sed -i.bak 's|"a"|"b"|' 'x y/it'\''s.go' && rm 'x y/it'\''s.go.bak' && go build ./...`
	if got := ReplaceImport("a", "b", "x y/it's.go"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
