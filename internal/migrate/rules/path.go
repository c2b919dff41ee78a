package rules

import (
	"errors"
	"fmt"
	"strings"
)

// ParsePath cuts a path into keys; "[*]" is a key of its own.
func ParsePath(text string) ([]string, error) {
	keys := make([]string, 0, 1+strings.Count(text, ".")+strings.Count(text, "["))
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "[*]"):
			keys, rest = append(keys, "[*]"), rest[3:]
		case rest[0] == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("path %q: a quote is not closed", text)
			}
			keys, rest = append(keys, rest[1:end+1]), rest[end+2:]
		case rest[0] == '.':
			rest = rest[1:]
		default:
			end := 0
			for end < len(rest) && rest[end] != '.' && rest[end] != '[' && rest[end] != '"' {
				end++
			}
			if end == 0 {
				return nil, fmt.Errorf("path %q is not a path", text)
			}
			keys, rest = append(keys, rest[:end]), rest[end:]
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("a path is empty")
	}
	return keys, nil
}
