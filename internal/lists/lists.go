// Package lists makes lists and maps of lists, where the standard library does not.
package lists

// Of are the values of a function for the items of a list; nil for those of none.
func Of[T, V any](list []T, f func(T) V) (values []V) {
	for _, item := range list {
		values = append(values, f(item))
	}
	return values
}

// Where are the items of a list that are so; nil = none is.
func Where[T any](list []T, is func(T) bool) (items []T) {
	for _, item := range list {
		if is(item) {
			items = append(items, item)
		}
	}
	return items
}

// Set has the keys of the items of a list.
func Set[T any, K comparable](list []T, key func(T) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, item := range list {
		set[key(item)] = true
	}
	return set
}

// By has the items of a list by their keys; of those with the same one the last.
func By[T any, K comparable](list []T, key func(T) K) map[K]T {
	items := make(map[K]T, len(list))
	for _, item := range list {
		items[key(item)] = item
	}
	return items
}
