package judge

import "github.com/project-codeflare/cfctl/internal/source"

// MatchPath says whether a path, or a folder above it, matches a pattern in the
// language of --exclude and .gitignore (source.Globs).
func MatchPath(glob, name string) bool { return source.NewGlobs([]string{glob}).Match(name) }
