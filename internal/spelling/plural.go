package spelling

import "strings"

// Plurals are the names that a kind may have as a resource, in lower case, the usual one first.
// Sources: k8s.io/gengo namer, NewAllLowercasePluralNamer; github.com/gobuffalo/flect, as kubebuilder has it: indices.
func Plurals(kind string) []string {
	low := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return []string{low[:len(low)-1] + "ies", low + "s"}
	case strings.HasSuffix(low, "ex"), strings.HasSuffix(low, "ix"):
		return []string{low + "es", low, low + "s", low[:len(low)-2] + "ices"}
	case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "x"), strings.HasSuffix(low, "z"), strings.HasSuffix(low, "ch"), strings.HasSuffix(low, "sh"):
		return []string{low + "es", low, low + "s"}
	}
	return []string{low + "s", low}
}
