package report

import (
	"fmt"
	"html"
	"net/url"
	"reflect"
	"strings"
)

// Page fills a template of HTML with data, a struct or a map. What is between {{ and }} in the template:
//
//	{{NAME}}               a value as text, in the text of an element or between the double quotes of an attribute
//	{{%NAME}}              a number, which may be in a style too; what is no int is 0
//	{{#NAME}} ... {{/NAME}}  once for each element of a list, or once where the value is not empty
//	{{^NAME}} ... {{/NAME}}  where it is empty
//	{{@NAME}} ... {{/NAME}}  as a link, where the value is an address of the web, else as it is
//
// A name is one of the element that the section is about, else of what is around it; "." is the element itself. A
// section has no other one of its name.
//
// It is where html/template could be: a program that can execute a template keeps every exported method of every type
// that it has, because a template may call any by its name. That is a fifth of the binary, and of the memory that each
// command begins with. TestMarkup checks where values stand, which html/template would find out for itself.
func Page(template string, data any) string {
	var b strings.Builder
	fill(&b, template, []reflect.Value{reflect.ValueOf(data)})
	return b.String()
}

// fill writes a part of a template; scope are the values around it, the innermost last.
func fill(b *strings.Builder, template string, scope []reflect.Value) {
	for {
		before, rest, found := strings.Cut(template, "{{")
		b.WriteString(before)
		if !found {
			return
		}
		tag, rest, _ := strings.Cut(rest, "}}")
		name := strings.TrimLeft(tag, "%#^@")
		value, section := lookup(scope, name), ""
		if strings.ContainsAny(tag, "#^@") {
			section, rest, _ = strings.Cut(rest, "{{/"+name+"}}")
		}
		template = rest
		switch tag[0] {
		case '%':
			n := int64(0)
			if value.CanInt() {
				n = value.Int()
			}
			fmt.Fprint(b, n)
		case '#':
			switch {
			case value.Kind() == reflect.Slice:
				for i := range value.Len() {
					fill(b, section, append(scope[:len(scope):len(scope)], held(value.Index(i))))
				}
			case !empty(value):
				fill(b, section, append(scope[:len(scope):len(scope)], value))
			}
		case '^':
			if empty(value) {
				fill(b, section, scope)
			}
		case '@':
			address := Web(textOf(value))
			if address != "" {
				b.WriteString(`<a href="` + html.EscapeString(Visible(address)) + `">`)
			}
			fill(b, section, scope)
			if address != "" {
				b.WriteString("</a>")
			}
		default:
			b.WriteString(html.EscapeString(string(Lines("", textOf(value)))))
		}
	}
}

// lookup is the value of a name; one that there is not is the zero Value.
func lookup(scope []reflect.Value, name string) (value reflect.Value) {
	for i := len(scope) - 1; i >= 0 && !value.IsValid(); i-- {
		switch at := scope[i]; {
		case name == ".":
			value = at
		case at.Kind() == reflect.Struct:
			value = at.FieldByName(name)
		case at.Kind() == reflect.Map:
			value = at.MapIndex(reflect.ValueOf(name))
		}
	}
	return held(value)
}

// held is what an interface or a pointer holds.
func held(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

func empty(v reflect.Value) bool {
	return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func textOf(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// Web is an address that a browser may be sent to; any other is empty.
func Web(address string) string {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return address
	}
	return ""
}
