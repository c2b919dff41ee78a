package objects

import (
	"errors"
	"fmt"
	"strings"
)

// A listing hands out the items of one list while the list is still being
// read.
type listing struct {
	path  string
	each  func(Record) error
	head  Object // what is known of the list so far
	given int    // items that were handed out
}

// isList says whether an object's kind is that of a list.
func isList(o Object) bool { return strings.HasSuffix(Text(o, "kind"), "List") }

// item takes an item. One without a kind of its own has that of its list, which
// must be known by then.
func (l *listing) item(line int, v any) error {
	o, _ := v.(map[string]any)
	if Text(o, "kind") == "" && !isList(l.head) {
		return &broken{l.path, line, errors.New("an item without a kind is before the kind of its list: write the kind of the list first")}
	}
	l.given++
	return give(l.path, line, inherit(l.head, v), l.each)
}

// unreadable tells of an item that cannot be read.
func (l *listing) unreadable(line int, why error) error {
	l.given++
	return l.each(Record{Path: l.path, Line: line, Err: why})
}

// end checks the whole list but its items, once it is known. Line is where it
// ends.
func (l *listing) end(line int, whole Object) error {
	switch {
	case Text(whole, "kind") == "":
		return &broken{l.path, line, errors.New("items without the kind of their list: the text is cut off, or it is no dump")}
	case !isList(whole):
		return &broken{l.path, line, fmt.Errorf("%s is no kind of a list, and it has items", Text(whole, "kind"))}
	}
	return complete(l.path, line, whole)
}

// complete refuses one page of a list: it announces more than it holds.
func complete(path string, line int, list Object) error {
	left, _ := Int(list, "metadata", "remainingItemCount")
	if Text(list, "metadata", "continue") == "" && left <= 0 {
		return nil
	}
	more := "more"
	if left > 0 {
		more = fmt.Sprintf("%d more", left)
	}
	return &broken{path, line, fmt.Errorf("this is one page of a list: %s items are not in it (metadata.continue); dump the whole list", more)}
}

// give hands out an object, or the items of a List that was read as a whole.
func give(path string, line int, v any, each func(Record) error) error {
	o, ok := v.(map[string]any)
	if !ok {
		return each(Record{Path: path, Line: line, Err: errors.New("not a mapping")})
	}
	items, ok := o["items"].([]any)
	switch {
	case ok && Text(o, "kind") == "":
		return each(Record{Path: path, Line: line, Err: errors.New("items without the kind of their list")})
	case !isList(o):
		return each(Record{Path: path, Line: line, Object: o})
	case !ok && o["items"] != nil:
		return each(Record{Path: path, Line: line, Err: fmt.Errorf("the items of this %s are no list", Text(o, "kind"))})
	}
	for _, item := range items {
		if err := give(path, line, inherit(o, item), each); err != nil {
			return err
		}
	}
	return complete(path, line, o)
}

// inherit gives an item of a typed list (DeploymentList) the list's type.
func inherit(list Object, item any) any {
	o, ok := item.(map[string]any)
	kind := strings.TrimSuffix(Text(list, "kind"), "List")
	if ok && kind != "" && o["kind"] == nil && isList(list) {
		o["kind"] = kind
		if o["apiVersion"] == nil {
			o["apiVersion"] = list["apiVersion"]
		}
	}
	return item
}
