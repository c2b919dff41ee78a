// Package text knows lines, documents of a stream and actions of templates, and compares texts by
// lines. It knows no API group and no rule.
package text
