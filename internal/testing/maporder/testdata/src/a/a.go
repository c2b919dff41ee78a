package a

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

type item struct {
	name string
	n    int
}

func (i item) check() error { return errors.New(i.name) }

func returned(m map[string]item) (string, error) {
	for k, v := range m {
		if err := v.check(); err != nil {
			return k, err // want `the first of a map` `the first of a map`
		}
	}
	return "", nil
}

func one(m map[string]item) *string {
	for k := range maps.Keys(m) {
		k := k + "s"
		return &k // want `the first of a map`
	}
	return nil
}

func firstError(m map[string]item) (err error) {
	for _, v := range m {
		if err = v.check(); err != nil { // want `err is of the last`
			return err // want `the first of a map`
		}
	}
	return nil
}

func has(m map[string]item, name string) bool {
	for _, v := range m {
		if v.name == name {
			return true
		}
	}
	return false
}

func differs(m map[string]item) bool {
	for _, v := range m {
		switch {
		case v.n > 1:
			return true
		case v.n < 0:
			return false // want `the first of a map`
		}
	}
	return false
}

func last(m map[string]item) (name, same string, found bool, other string) {
	for k, v := range m {
		if v.n > 1 {
			name, same, found = k, "some", true // want `name is of the last`
		}
		if other == "" {
			other = v.name // want `other is of the last`
			break
		}
	}
	return name, same, found, other
}

func numbers(m map[string]item) (sum, most, n int, all bool) {
	all = true
	for _, v := range m {
		sum += v.n
		n++
		most = max(most, v.n)
		all = all && v.n > 0
	}
	return sum, most, n, all
}

func lists(m map[string]item) (a, b, c, d, e []string) {
	for k := range m {
		a = append(a, k) // want `a is put together`
		b = append(b, k)
		c = append(c, k)
		d = append(d, k)
		func() { e = append(e, k) }() // want `e is put together`
	}
	slices.Sort(b)
	sort.Strings(c)
	sortAll(d)
	return a, b, c, d, e
}

func sortAll(list []string) { slices.Sort(list) }

func text(m map[string]item) string {
	var b strings.Builder
	s := ""
	for k := range m {
		s += k                  // want `s is put together`
		b.WriteString(k)        // want `written`
		fmt.Fprintln(&b, k)     // want `written`
		fmt.Println(k)          // want `written`
		var own strings.Builder // of the round
		own.WriteString(k)
	}
	return s + b.String()
}

func maps2(m map[string]item) (map[string]item, map[string]string, map[string][]string) {
	same, turned, grouped := map[string]item{}, map[string]string{}, map[string][]string{}
	for k, v := range m {
		v.n++
		same[k] = v
		turned[v.name] = k // want `turned\[v.name\] is of the last`
		grouped[k] = append(grouped[k], v.name)
		grouped[v.name] = append(grouped[v.name], k) // want `grouped\[v.name\] is put together`
	}
	return same, turned, grouped
}

func inOrder(m map[string]item) (list []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k)
	}
	return list
}
