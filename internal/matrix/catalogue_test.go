package matrix

import (
	"os"
	"testing"
)

func TestCatalogue(t *testing.T) {
	const path = "../../docs/checks.md"
	want := Catalogue()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the checks say of themselves (UPDATE=1 writes it): %v", path, err)
	}
}
