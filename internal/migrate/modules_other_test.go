package migrate

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

const ownsModTime = `-- go.mod --
module example.com/files

go 1.24
-- api/v1/modtime_types.go --
// +groupName=files.example.com
package v1

// ModTime is when a file changed.
type ModTime struct{ Spec ModTimeSpec }

// ModTimeSpec is the specification of a ModTime.
type ModTimeSpec struct{ Seconds int64 }

// DayStamp is another kind.
type DayStamp struct{}
-- info/info.go --
package info

import (
	"io/fs"
	"time"
	_ "unsafe"

	"example.com/files/api/v1"
)

type info struct {
	fs.FileInfo
	at  v1.ModTime
	day v1.DayStamp
}

func (i info) ModTime() time.Time { return time.Unix(i.at.Spec.Seconds, 0) }

func Latest(f fs.FileInfo) bool { return info{FileInfo: f}.ModTime().After(f.ModTime()) }
-- info/c.go --
package info

import "C"

var _ C.int
-- other/go.mod --
module example.com/other

go 1.24
-- other/other.go --
package other

import "os"

var _ = os.Args
`

// A method that a package of another module declares is known only where the go command has
// compiled that package. Modules that the plan does not change are not asked about.
func TestCompiledPackagesAreASecondOpinion(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "go", "build", "io/fs", "time").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := t.TempDir()
	files := memory{}
	for name, f := range goTree(ownsModTime) {
		files[name] = string(f.Data)
	}
	writeTree(t, dir, files)
	for _, x := range []struct {
		kind             string
		asked            bool
		review           string
		checked, imports int
	}{
		{kind: "ModTime", checked: 3},
		{kind: "ModTime", asked: true, review: "go-types"},
		{kind: "DayStamp", checked: 3},
		{kind: "DayStamp", asked: true, checked: 3, imports: 2},
	} {
		tree, err := source.Open([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		rules := fmt.Sprintf("  - id: kind\n    from: {group: files.example.com, kind: %s}\n    to: {group: files.example.com, kind: New%[1]s}\n", x.kind)
		p, err := goMigration(t, rules, Options{BuildCache: x.asked}).Plan(context.Background(), tree, source.WalkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		review := strings.Join(reviewsOf(p), " ")
		if (review == "") != (x.review == "") || !strings.Contains(review, x.review) {
			t.Errorf("%+v: review is %q", x, review)
		}
		if p.TypeChecked != x.checked || p.Imported != x.imports || p.Compiled != x.imports {
			t.Errorf("%+v: %d packages are checked with %d of %d others", x, p.TypeChecked, p.Compiled, p.Imported)
		}
	}
}
