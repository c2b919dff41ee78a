// Package text knows how languages write text: it decodes strings, blocks and
// comments into views, scans YAML and JSON into trees of spans, and cuts source
// into strings and comments. It knows no API group and no rule.
//
// A View is text as its language sees it, with the way back to the bytes of the
// file; views nest. View.Edit is the one place where an edit of a file is made:
// it says what it replaces, and is refused where that does not stand there.
package text
