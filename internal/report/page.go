package report

import (
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// A Page is HTML, written from its beginning to its end. What the program says is markup, by type, and everything else is
// a value: whatever a value holds, it is read as text.
//
// It is where html/template could: a program that can execute a template keeps every exported method of every type
// that it has, because a template may call any by its name. That is a fifth of the binary, and of the memory that each
// command begins with. TestMarkup holds where values stand, which html/template would find out for itself.
type Page struct{ b strings.Builder }

// markup is what only the program says: other packages cannot name the type, and have nothing but constants for it.
// "{}" is where a value is, in the text of an element or between the double quotes of an attribute, and "{n}" where a
// number does, which may be in a style too.
type markup string

// Add writes markup with its values: as fmt.Sprint shows them and Lines makes them fit to be read. What is no int
// is 0 where a number is, and a value that is not there is nothing.
func (p *Page) Add(m markup, values ...any) {
	rest := string(m)
	for _, v := range values {
		text, number := strings.Index(rest, "{}"), strings.Index(rest, "{n}")
		switch {
		case number >= 0 && (text < 0 || number < text):
			n, _ := v.(int)
			p.b.WriteString(rest[:number] + strconv.Itoa(n))
			rest = rest[number+len("{n}"):]
		case text >= 0:
			p.b.WriteString(rest[:text] + html.EscapeString(string(Lines("", fmt.Sprint(v)))))
			rest = rest[text+len("{}"):]
		}
	}
	p.b.WriteString(rest)
}

// Head begins the page: its title, what else belongs into the head, and how it looks.
func (p *Page) Head(title, style string, more ...markup) {
	p.Add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
`, title)
	for _, m := range more {
		p.Add(m)
	}
	p.Style(style)
	p.Add("</head>\n<body>\n")
}

// Style writes how the page looks. Nothing in a style ends it.
func (p *Page) Style(style string) {
	p.b.WriteString("<style>\n" + strings.ReplaceAll(style, "<", "") + "</style>\n")
}

// Link writes markup with its values as Add does, and makes it lead to an address of the web. Any other address is as none.
func (p *Page) Link(address string, m markup, values ...any) {
	if address = Web(address); address == "" {
		p.Add(m, values...)
		return
	}
	p.b.WriteString(`<a href="` + html.EscapeString(Visible(address)) + `">`)
	p.Add(m, values...)
	p.b.WriteString("</a>")
}

// String is the page as far as it is written.
func (p *Page) String() string { return p.b.String() }

// Web is an address that a browser may be sent to; any other is empty.
func Web(address string) string {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return address
	}
	return ""
}
