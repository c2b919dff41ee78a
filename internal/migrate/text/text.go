// Package text knows how formats write text: it scans YAML and JSON into trees of
// spans, says what their scalars mean, and compares texts by lines. It knows no API
// group and no rule.
package text
