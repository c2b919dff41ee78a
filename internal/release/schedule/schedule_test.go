package schedule

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

func date(text string) time.Time {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return d
}

func TestSprints(t *testing.T) {
	three := matrix.Sprint{Start: "2023-05-01", Weeks: 3}
	for _, tt := range []struct{ day, want string }{
		{"2023-05-01", "1 2023-05-01 2023-05-21 2023-05-18 2023-05-19 2023-05-22 2023-05-29"},
		{"2023-05-21", "1 2023-05-01 2023-05-21 2023-05-18 2023-05-19 2023-05-22 2023-05-29"},
		{"2023-05-22", "2 2023-05-22 2023-06-11 2023-06-08 2023-06-09 2023-06-12 2023-06-19"},
		{"2023-04-30", "0 2023-04-10 2023-04-30 2023-04-27 2023-04-28 2023-05-01 2023-05-08"},
	} {
		list, err := Sprints(three, date(tt.day), 1)
		if err != nil {
			t.Fatal(err)
		}
		s := list[0]
		got := strings.Join([]string{strconv.Itoa(s.Number), s.From.String(), s.Until.String(), s.FreezeFrom.String(), s.FreezeUntil.String(), s.Release.String(), s.Downstream.String()}, " ")
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.day, got, tt.want)
		}
	}
	// Sprints that begin on a Wednesday end on a Tuesday: no weekend to skip but one.
	list, _ := Sprints(matrix.Sprint{Start: "2024-01-03", Weeks: 1}, date("2024-01-03"), 2)
	if list[0].FreezeFrom.String() != "2024-01-08" || list[0].Release.String() != "2024-01-10" || list[1].Number != 2 {
		t.Errorf("%+v", list)
	}
	if _, err := Sprints(matrix.Sprint{}, date("2024-01-03"), 1); err == nil {
		t.Error("no calendar")
	}
}

func TestLagDeadline(t *testing.T) {
	s := matrix.Sprint{Start: "2023-05-01", Weeks: 3}
	rule := matrix.Rule{Kind: "lag", Component: "kuberay", Sprints: 1, Reason: "because"}
	c := &stack.Component{Name: "kuberay", Tag: "v{version}"}
	newest := matrix.Newest(c, map[string]git.Ref{"v1.0.0": {}, "v1.1.0": {}, "v1.2.0-rc.0": {}, "ray-operator/v1.3.0": {}}, "")
	if newest != "v1.1.0" {
		t.Fatalf("newest: %s", newest)
	}
	d, due, err := lagDeadline(s, rule, c, newest, "v1.0.0", date("2023-05-10"))
	if err != nil || !due || d.Due.String() != "2023-06-11" {
		t.Errorf("%+v, %v, %v", d, due, err)
	}
	if _, due, _ = lagDeadline(s, rule, c, newest, "v1.1.0", date("2023-05-10")); due {
		t.Error("the stack has it")
	}
}

func TestICS(t *testing.T) {
	sprints, _ := Sprints(matrix.Sprint{Start: "2023-05-01", Weeks: 3}, date("2023-05-01"), 2)
	var a, b bytes.Buffer
	deadlines := []Deadline{{Component: "kuberay", Version: "v1.1.0", Due: Day{date("2023-06-11")}, Reason: strings.Repeat("grün, ", 30) + "\nend;"}}
	at := func(day string) time.Time { return date(day).Add(18 * time.Hour) }
	freezes := Freezes([]Window{
		{at("2023-05-19"), at("2023-05-22"), "a fair"}, {at("2022-12-20"), at("2022-12-31"), "before"}, {at("2023-07-01"), at("2023-07-02"), "after"},
	}, sprints)
	if len(freezes) != 1 || freezes[0].From.String() != "2023-05-19" || freezes[0].Until.String() != "2023-05-22" || !slices.Equal(freezes[0].Held, []int{1}) {
		t.Errorf("freezes: %+v of %+v", freezes, sprints)
	}
	if err := WriteICS(&a, "Fans", sprints, freezes, deadlines); err != nil {
		t.Fatal(err)
	}
	_ = WriteICS(&b, "Fans", sprints, freezes, deadlines)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("not the same twice")
	}
	for line := range strings.SplitSeq(a.String(), "\r\n") {
		if len(line) > 75 || strings.Contains(line, "\n") {
			t.Errorf("line of %d octets: %q", len(line), line)
		}
	}
	unfolded := strings.ReplaceAll(a.String(), "\r\n ", "")
	for _, want := range []string{"BEGIN:VCALENDAR\r\n", "DTSTART;VALUE=DATE:20230518\r\nDTEND;VALUE=DATE:20230520\r\n", `grün\, ` + "\\nend\\;\r\n", "SUMMARY:Fans: take in kuberay v1.1.0\r\n", "SUMMARY:Fans: no release\r\nDESCRIPTION:a fair\r\n"} {
		if !strings.Contains(unfolded, want) {
			t.Errorf("no %q in\n%s", want, unfolded)
		}
	}
	if strings.Count(unfolded, "BEGIN:VEVENT") != 10 || strings.Count(unfolded, "END:VEVENT") != 10 {
		t.Error("events do not balance")
	}
}
