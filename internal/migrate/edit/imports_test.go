package edit

import (
	"strings"
	"testing"
)

// The hint of an import is a command that moves it where its group stays, and
// says how to look where it does not.
func TestImportHints(t *testing.T) {
	b := newBench(t, moves)
	for path, want := range map[string]string{
		"example.net/client/step.example.com/v1alpha1": `sed -i.bak 's|"example.net/client/step.example.com/v1alpha1"|v1alpha1 "example.net/client/step.example.com/v1"|' a.go && rm a.go.bak`,
		"example.net/client/home.example.com/v1alpha1": "go doc example.net/client/home.example.com/v1alpha1 lists its kinds; change the import by kind",
		"example.net/client/tree.example.com":          "go doc example.net/client/tree.example.com lists its kinds; change the import by kind",
	} {
		made := b.plan("a.go", "package a\n\nimport \""+path+"\"\n")
		if len(made) != 1 || made[0].Action() != Person || made[0].Hint != want {
			t.Errorf("%s: %+v", path, made)
		}
	}
}

// A path is one word of the command, whatever is in it.
func TestReplaceImportInAPathWithBlanks(t *testing.T) {
	for name, want := range map[string]string{
		"x y/it's.go": `sed -i.bak 's|"a"|"b"|' 'x y/it'\''s.go' && rm 'x y/it'\''s.go.bak'`,
		"-i.go":       `sed -i.bak 's|"a"|"b"|' ./-i.go && rm ./-i.go.bak`,
	} {
		if got := ReplaceImport("a", "b", name, ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A package that gets another name keeps the one that the file uses, unless the import
// gives it one.
func TestImportKeepsItsName(t *testing.T) {
	b := newBench(t, moves)
	const path = "example.net/client/step.example.com/v1alpha1"
	for decl, named := range map[string]bool{
		"import \"" + path + "\"": true, "import (\n\t\"" + path + "\"\n)": true,
		"import step \"" + path + "\"": false, "import (\n\t_ \"" + path + "\"\n)": false,
	} {
		made := b.plan("a.go", "package a\n\n"+decl+"\n")
		if len(made) != 1 || strings.Contains(made[0].Hint, `|v1alpha1 "`) != named {
			t.Errorf("%s: %+v", decl, made)
		}
	}
}
