package report

import "testing"

func TestShell(t *testing.T) {
	for want, words := range map[string][]string{
		`kubectl patch x -n a/b.json`: {"kubectl", "patch", "x", "-n", "a/b.json"},
		`echo '' ' ' '$(id)' ';' '~'`: {"echo", "", " ", "$(id)", ";", "~"},
		`echo 'it'"'"'s' 'a
b' 'é'`: {"echo", "it's", "a\nb", "é"},
	} {
		if got := Shell(words...); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
