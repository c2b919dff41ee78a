package release

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteICS writes the sprints, freezes and deadlines as an iCalendar file (RFC 5545) of
// whole-day events. It is the same for the same dates: nothing of it depends
// on when it is written.
func WriteICS(w io.Writer, name string, sprints []SprintPlan, freezes []Freeze, deadlines []Deadline) error {
	var c calendar
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//project-codeflare//cfctl//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.line("X-WR-CALNAME", text(name+" releases"))
	for _, s := range sprints {
		title := fmt.Sprintf("%s: sprint %d", name, s.Number)
		c.event(fmt.Sprintf("sprint-%s", s.From), s.From, s.Until, title, "")
		c.event(fmt.Sprintf("freeze-%s", s.FreezeFrom), s.FreezeFrom, s.FreezeUntil, title+": code freeze", "only what the release needs is merged")
		c.event(fmt.Sprintf("release-%s", s.Release), s.Release, s.Release, title+": release", "")
		c.event(fmt.Sprintf("downstream-%s", s.Downstream), s.Downstream, s.Downstream, title+": downstream documents due", "a week after the release")
	}
	for _, f := range freezes {
		c.event(fmt.Sprintf("no-release-%s", f.From), f.From, f.Until, name+": no release", f.Reason)
	}
	for _, d := range deadlines {
		c.event(fmt.Sprintf("due-%s-%s", d.Component, d.Version), d.Due, d.Due, fmt.Sprintf("%s: take in %s %s", name, d.Component, d.Version), d.Reason)
	}
	c.line("END", "VCALENDAR")
	_, err := io.WriteString(w, c.String())
	return err
}

type calendar struct{ strings.Builder }

// event is one all-day event; until is its last day.
func (c *calendar) event(uid string, from, until Day, title, description string) {
	c.line("BEGIN", "VEVENT")
	c.line("UID", uid+"@cfctl.project-codeflare")
	c.line("DTSTAMP", from.UTC().Format("20060102")+"T000000Z")
	c.line("DTSTART;VALUE=DATE", from.Format("20060102"))
	c.line("DTEND;VALUE=DATE", until.AddDate(0, 0, 1).Format("20060102"))
	c.line("SUMMARY", text(title))
	if description != "" {
		c.line("DESCRIPTION", text(description))
	}
	c.line("TRANSP", "TRANSPARENT")
	c.line("END", "VEVENT")
}

// text escapes a value (RFC 5545, 3.3.11).
func text(s string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`).Replace(s)
}

// maxOctets is the length of a line without its end (RFC 5545, 3.1).
const maxOctets = 75

// line writes a property, folded between characters.
func (c *calendar) line(name, value string) {
	length := 0
	for _, r := range name + ":" + value {
		n := len(string(r))
		if length+n > maxOctets {
			c.WriteString("\r\n ")
			length = 1
		}
		c.WriteRune(r)
		length += n
	}
	c.WriteString("\r\n")
}

// daysUntil is how many days a day is away, for people; negative = past.
func daysUntil(now time.Time, d Day) int {
	return int(d.Sub(now.UTC().Truncate(24*time.Hour)).Hours() / 24)
}

// Away says how far a day is: "today", "in 3 days", "2 days ago".
func Away(now time.Time, d Day) string {
	switch n := daysUntil(now, d); {
	case n == 0:
		return "today"
	case n == 1:
		return "tomorrow"
	case n > 1:
		return fmt.Sprintf("in %d days", n)
	case n == -1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", -n)
	}
}
