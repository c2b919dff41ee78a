package judge

import (
	"path"
	"strings"
)

// MatchPath says whether a path matches a glob: "*" and "?" stay within a
// name, "**" crosses folders; a glob without a slash matches base names at any
// depth.
func MatchPath(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		ok, _ := path.Match(glob, path.Base(name))
		return ok
	}
	return matchParts(strings.Split(strings.TrimPrefix(glob, "/"), "/"), strings.Split(name, "/"))
}

func matchParts(glob, name []string) bool {
	switch {
	case len(glob) == 0:
		return len(name) == 0
	case glob[0] == "**":
		for i := 0; i <= len(name); i++ {
			if matchParts(glob[1:], name[i:]) {
				return true
			}
		}
		return false
	case len(name) == 0:
		return false
	}
	ok, _ := path.Match(glob[0], name[0])
	return ok && matchParts(glob[1:], name[1:])
}
