package migrate

import (
	"path"
	"testing"
)

// A constant of a package is known by the name of the package: where several of
// that name say different groups, none is, whichever is looked at first.
func TestGroupOfConstant(t *testing.T) {
	pkg := func(group string) *goPackage { return &goPackage{groups: map[string]string{"Group": group}} }
	for range 20 {
		r := &goReader{place: path.Clean, packages: map[string]*goPackage{
			"api/a/v1": pkg("a.example.com"), "api/b/v1": pkg("b.example.com"), "api/c/v2": pkg("c.example.com"), "x/c/v2": pkg("c.example.com"), "cmd": {},
		}}
		for spelled, want := range map[string]string{"v1.Group": "", "v2.Group": "c.example.com", `"d.example.com"`: "d.example.com", "Group": "", "v3.Group": "", "v2.Other": ""} {
			if got := r.group("cmd", spelled); got != want {
				t.Fatalf("%s: %q, want %q", spelled, got, want)
			}
		}
		if got := r.group("api/a/v1", "Group"); got != "a.example.com" {
			t.Fatalf("the constant of the package itself: %q", got)
		}
	}
}
