package train

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// The seal of a record holds for what it says, where it is and which
// version it is about.
func TestSealHolds(t *testing.T) {
	path := journalIn(t)
	env := newShelf().env(t, path)
	env.Key = []byte("rita's")
	d, err := toys(newShelf()).driver(env, Choices{Who: "rita"})
	for _, text := range []string{"one", "tw\xffo", "three"} {
		if err == nil {
			err = d.record(context.Background(), Record{Kind: KindWait, Step: "x", Text: text, Facts: map[string]string{}})
		}
	}
	env.Journal.Close()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("rita's")
	if err := CheckSeals(rs, key, "v1.0.0"); err != nil || len(rs) != 4 {
		t.Fatalf("one's own journal: %v", err)
	}
	for what, change := range map[string]func(Records) Records{
		"a text that was changed": func(rs Records) Records { rs[2].Text = "other"; return rs },
		"a record that was taken out": func(rs Records) Records {
			return slices.Delete(rs, 1, 2)
		},
		"records in another order": func(rs Records) Records { rs[2], rs[3] = rs[3], rs[2]; return rs },
	} {
		if err := CheckSeals(change(slices.Clone(rs)), key, "v1.0.0"); !errors.Is(err, ErrUnsealed) || !strings.Contains(err.Error(), "its record") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if CheckSeals(rs, key, "v2.0.0") == nil || CheckSeals(rs, []byte("otto's"), "v1.0.0") == nil || CheckSeals(rs, []byte{}, "v1.0.0") == nil {
		t.Error("the seal holds for another version or key")
	}
}
