package stack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The rows of a version are those that a look at each row finds.
func TestRowsWith(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := &ReleaseTable{}
		for range 1 + random.IntN(12) {
			low := random.IntN(20)
			text := []string{"1.%d.x", ">=1.%d", "<1.%d.3", "1.%d.2", "1.%d - 1.29", "1.%d.0-rc.1"}[random.IntN(6)]
			of, err := ParseRange(fmt.Sprintf(text, low))
			if err != nil {
				t.Fatal(err)
			}
			r.Rows = append(r.Rows, &ReleaseRow{Label: fmt.Sprint(len(r.Rows)), Release: &Reading{Range: of}})
		}
		r.index()
		for minor := range 22 {
			for _, version := range []string{fmt.Sprintf("v1.%d.2", minor), fmt.Sprintf("v1.%d.0-rc.1", minor), "v0.1.0", "main"} {
				var want []*ReleaseRow
				for _, row := range r.Rows {
					if row.Release.Range.Has(version) {
						want = append(want, row)
					}
				}
				if got := r.rowsWith(version); !slices.Equal(got, want) {
					t.Fatalf("%s: %d rows, want %d", version, len(got), len(want))
				}
			}
		}
	}
}
