package wire

import (
	"crypto/sha256"
	"fmt"
)

// What one list may take. A server decides neither how often it is asked nor how
// much of its tokens is kept.
const (
	maxPages = 10_000  // of a hundred or more items each
	maxEmpty = 100     // in a row: filters on the server's side may leave a page empty
	maxToken = 1 << 16 // bytes of a page token
)

// Pages follows the pages of one list to its end. The zero value is ready.
type Pages struct {
	seen  map[[sha256.Size]byte]bool
	empty int
}

// Next takes note of a page with that many items that names a next page by a
// token. It returns an error where the list has no end: the token was there
// before, or there are more pages than any list has.
func (p *Pages) Next(token string, items int) error {
	if p.empty++; items > 0 {
		p.empty = 0
	}
	if p.seen == nil {
		p.seen = map[[sha256.Size]byte]bool{}
	}
	sum := sha256.Sum256([]byte(token))
	switch {
	case p.seen[sum]:
		return fmt.Errorf("the server repeats the page token %.40q: its list has no end", token)
	case len(token) > maxToken:
		return fmt.Errorf("the server names a page by %d bytes, more than %d", len(token), maxToken)
	case p.empty >= maxEmpty:
		return fmt.Errorf("the server sends %d pages without an item, and names a next one: its list has no end", p.empty)
	}
	p.seen[sum] = true
	if len(p.seen) >= maxPages {
		return fmt.Errorf("the list has no end after %d pages", maxPages)
	}
	return nil
}
