package train

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// TestHistory: who approved what, with the digest of the plan, and each effect, as
// text and as a table that no spreadsheet takes for formulas.
func TestHistory(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.run(t, path, Choices{Who: "ben"})
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "=rita"})
	rs, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	approval := rs.Last("approve:four", KindApprove)
	if approval == nil || len(approval.Facts[planFact]) != 64 {
		t.Fatalf("%+v", approval)
	}
	list := rs.History()
	var got []string
	for _, a := range list {
		if a.Record == "" || a.Time.IsZero() || (a.Plan != "") != (a.What == KindApprove) {
			t.Errorf("%+v", a)
		}
		got = append(got, strings.TrimSpace(a.What+" "+a.Step+" "+a.Who))
	}
	want := "begin  ben, effect one ben, effect two ben, begin  =rita, approve approve:four =rita, effect four =rita, end  =rita"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
	var b bytes.Buffer
	if err := WriteHistory(&b, "csv", "v1.0.0", list); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != len(list)+1 || rows[5][3] != "'=rita" || rows[5][7] != approval.Facts[planFact] || rows[2][8] != "by=a hand commit=1" {
		t.Errorf("%q, %v", rows, err)
	}
	b.Reset()
	if err := WriteHistory(&b, "text", "v1.0.0", list); err != nil || !strings.Contains(b.String(), "  approve  =rita  approve:four  plan "+approval.Facts[planFact]) {
		t.Errorf("%s, %v", b.String(), err)
	}
}
