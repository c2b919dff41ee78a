package train

import (
	_ "embed"
	"fmt"
	"io"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// style is how the page looks, in both colour schemes.
//
//go:embed status.css
var style string

// scheme says that the page has a dark form.
const scheme = `<meta name="color-scheme" content="light dark">
`

// html is one page that needs nothing else: no script, font, image or network.
// Until the release is complete, a browser reads it again every minute.
func (s *Status) html(w io.Writer, now time.Time) error {
	p := page{s: s, now: now}
	title := s.Title + ": " + s.State
	if s.Complete() {
		p.Head(title, style, scheme)
	} else {
		p.Head(title, style, `<meta http-equiv="refresh" content="60">`, scheme)
	}
	p.head()
	p.open()
	if s.Next != "" {
		p.Add("<section class=\"next\">\n<h2>Next</h2>\n<code tabindex=\"0\">{}</code>\n</section>\n", s.Next)
	}
	p.versions()
	p.graph()
	p.steps()
	p.timeline()
	p.Add("</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// A page is what is written of a status.
type page struct {
	report.Page
	s   *Status
	now time.Time
}

// time writes a time as its words.
func (p *page) time(t time.Time, words string) {
	p.Add(`<time datetime="{}">{}</time>`, t.UTC().Format(time.RFC3339), words)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// ago is how long something was ago when the page was made.
func (p *page) ago(t time.Time) string { return report.Span(p.now.Sub(t)) + " ago" }

// took is from the first record to the last one, or to now.
func (p *page) took() string {
	if p.s.Complete() {
		return "took " + report.Span(p.s.Updated.Sub(p.s.Began))
	}
	return "for " + report.Span(p.now.Sub(p.s.Began))
}

// badge writes a state in its colours.
func (p *page) badge(state string) { p.Add(`<span class="badge {}">{}</span>`, state, state) }

// head is the title, since when the train runs, and how far it is.
func (p *page) head() {
	p.Add("<header>\n<h1>{} ", p.s.Title)
	p.badge(p.s.State)
	p.Add("</h1>\n<p class=\"dim\">")
	if p.s.Began.IsZero() {
		p.Add("not begun here")
	} else {
		p.Add("{}, begun ", p.took())
		p.time(p.s.Began, stamp(p.s.Began))
		p.Add(`, last change <time datetime="{}" title="{}">{}</time>,`, p.s.Updated.UTC().Format(time.RFC3339), stamp(p.s.Updated), p.ago(p.s.Updated))
	}
	p.Add(" page made ")
	p.time(p.now, stamp(p.now))
	done, all := p.s.count()
	p.Add("</p>\n")
	p.Add(`<div class="bar" role="progressbar" aria-valuemin="0" aria-valuemax="{}" aria-valuenow="{}" aria-label="steps done">`, all, done)
	p.Add("<div style=\"width:{n}%\"></div></div>\n<p>{} of {} steps done</p>\n</header>\n", 100*done/max(1, all), done, all)
}

// open are the steps that a maintainer has to act on.
func (p *page) open() {
	begun := false
	for _, st := range p.s.Steps {
		if !st.open() {
			continue
		}
		if !begun {
			begun = true
			title := "Waiting for others"
			if p.s.State == "stopped" {
				title = "To be put right"
			}
			p.Add("<section>\n<h2>{}</h2>\n", title)
		}
		p.card(st)
	}
	if begun {
		p.Add("</section>\n")
	}
}

// card is one of them.
func (p *page) card(st StepStatus) {
	class := "card"
	if st.State != Waiting {
		class = "card bad"
	}
	p.Add(`<div class="{}"><p><strong>{}</strong> `, class, st.Title)
	p.badge(string(st.State))
	if !st.Since.IsZero() {
		p.Add(` <span class="dim">since `)
		p.time(st.Since, stamp(st.Since))
		p.Add(", {}</span>", p.ago(st.Since))
	}
	p.Add("</p>\n<p>")
	p.Link(st.URL, "{}", st.Text)
	p.Add("</p>\n")
	if st.Who != "" {
		p.Add(`<p class="dim">can unblock it: {}</p>`, st.Who)
	}
	p.Add("</div>\n")
}

// versions are those of the components, and what else there is to look at.
func (p *page) versions() {
	p.Add("<section>\n<h2>Versions</h2>\n<ul class=\"pins\">\n")
	for _, v := range p.s.versions() {
		p.Add("<li>{} ", v.Name)
		p.Link(v.URL, "<code>{}</code>", v.Version)
		p.Add("</li>\n")
	}
	p.Add("</ul>\n")
	if links := p.s.links(); len(links) > 0 {
		p.Add("<ul class=\"links\">\n")
		for _, st := range links {
			p.Add("<li>")
			p.Link(st.URL, "{}", st.Title)
			p.Add(" <span class=\"dim\">{}</span></li>\n", st.Text)
		}
		p.Add("</ul>\n")
	}
	p.Add("</section>\n")
}

// graph is the steps as SVG.
func (p *page) graph() {
	g := p.s.graph()
	p.Add(`<section> <h2>The train</h2> <p class="dim wide">Scroll right with the arrow
keys or a swipe.</p> <div class="graph" role="img" tabindex="0"
aria-label="graph of the steps; the tables below say the same">`)
	p.Add("<svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\">\n", g.Width, g.Height, g.Width, g.Height)
	for _, h := range g.Heads {
		p.Add("<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>\n", h.X, h.Anchor, h.Label)
	}
	for _, l := range g.Lines {
		p.Add("<path d=\"{}\"/>\n", l)
	}
	for _, b := range g.Boxes {
		title := fmt.Sprintf("%s: %s: %s", b.Name, b.Title, b.State)
		if b.Text != "" {
			title += ", " + b.Text
		}
		p.Add(`<g class="{}"><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" rx="6"/>`, b.State, title, b.X, b.Y, b.W, b.H)
		p.Add("<text x=\"{}\" dx=\"7\" y=\"{}\">{} {}</text></g>\n", b.X, b.Anchor, Marks[b.State], b.Label)
	}
	p.Add("</svg>\n</div>\n</section>\n")
}

// steps are two tables, both folded: the steps to go, and the finished ones.
func (p *page) steps() {
	var ahead, finished []StepStatus
	for _, st := range p.s.Steps {
		if st.State == Done {
			finished = append(finished, st)
		} else {
			ahead = append(ahead, st)
		}
	}
	p.table("Steps to go", ahead, nil)
	p.table("Finished steps", finished, p.s.durations())
}

// table is a list of steps, with what each took; none = no table.
func (p *page) table(title string, steps []StepStatus, took map[string]string) {
	if len(steps) == 0 {
		return
	}
	p.Add("<details>\n<summary>{}: {}</summary>\n", title, len(steps))
	p.Add(`<table class="stack">
<thead><tr><th></th><th>Step</th><th>State</th><th>What is known</th><th>Took</th></tr></thead>
<tbody>
`)
	for _, st := range steps {
		p.Add(`<tr><td class="mark t {}">{}</td><td>{} <code class="dim">{}</code></td><td>`, st.State, Marks[st.State], st.Title, st.Name)
		p.badge(string(st.State))
		p.Add("</td><td>")
		p.Link(st.URL, "{}", st.Text)
		p.Add("</td><td class=\"dim took\">{}</td></tr>\n", took[st.Name])
	}
	p.Add("</tbody>\n</table>\n</details>\n")
}

// timeline is the journal.
func (p *page) timeline() {
	entries := "entries"
	if len(p.s.Log) == 1 {
		entries = "entry"
	}
	p.Add("<details>\n<summary>Timeline: {} {}</summary>\n", len(p.s.Log), entries)
	p.Add(`<table class="stack">
<thead><tr><th></th><th>When</th><th>Step</th><th>What</th></tr></thead>
<tbody>
`)
	for _, l := range p.s.Log {
		p.Add(`<tr><td class="mark"></td><td class="dim">`)
		p.time(l.Time, stamp(l.Time))
		p.Add("</td><td>")
		if l.Step != "" {
			p.Add("<code>{}</code>", l.Step)
		}
		p.Add("</td><td>{}", l.What)
		if l.Text != "" {
			p.Add(": ")
			p.Link(l.URL, "{}", l.Text)
		}
		p.Add("</td></tr>\n")
	}
	p.Add("</tbody>\n</table>\n</details>\n")
}
