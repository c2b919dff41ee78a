package text

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The documents of a stream tile it, each begins with its mark, and an offset
// lies in the one that holds it.
func TestDocuments(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a: b\n": 1, "a\n---\nb\n": 2, "---\na\n--- # x\nb\n---": 3, "--- a\n----\n---b\n": 1, "a\r\n---\r\nb\r\n": 2, "|\n ---\n": 1} {
		data, at := []byte(in), 0
		list := Documents(data)
		if len(list) != want {
			t.Errorf("%q: %d documents, want %d", in, len(list), want)
		}
		for i, s := range list {
			if s.Start != at || i > 0 && !IsMarker(data[s.Start:]) {
				t.Errorf("%q: document %d is %v", in, i, s)
			}
			for o := s.Start; o < s.End; o++ {
				if from, to := document(data, o); from != s.Start || to != s.End {
					t.Errorf("%q: offset %d is in %d to %d", in, o, from, to)
				}
			}
			at = s.End
		}
		if at != len(in) {
			t.Errorf("%q: they end at %d", in, at)
		}
	}
}

// A place is counted in lines and characters, from the place before it.
func TestPositions(t *testing.T) {
	data := []byte("aé\n\n😀b\r\nc")
	p := Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	line, column := 1, 1
	for i, c := range string(data) {
		if i%2 == 0 { // not each of them
			if got := p.To(i); got.Line != line || got.Column != column {
				t.Errorf("%d is %+v, want %d:%d", i, got, line, column)
			}
		}
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
}

// What ends of lines are.
func TestLines(t *testing.T) {
	for in, want := range map[string]bool{"": false, "a": false, "a\n": false, "a\r\nb\r\n": true, "a\r\nb\n": false, "a\r\nb": true} {
		if OnlyCRLF([]byte(in)) != want {
			t.Errorf("%q has carriage returns only: %v", in, !want)
		}
	}
	if got := string(ToCRLF([]byte("a\nb\r\n\nc"))); got != "a\r\nb\r\n\r\nc" {
		t.Errorf("%q", got)
	}
}

// Text in UTF-16 is read in both orders, with a mark or without.
func TestFromUTF16(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, x := range []string{"\ufeffab", "aé😀", "\ufeff"} {
			var data []byte
			for _, u := range utf16.Encode([]rune(x)) {
				data = order.AppendUint16(data, u)
			}
			if got, ok := FromUTF16(data); !ok || string(got) != x {
				t.Errorf("%v %q is %q, %v", order, x, got, ok)
			}
		}
	}
	for _, x := range []string{"", "a", "ab", "\xef\xbb\xbfa", "\x00\x00"} {
		if got, ok := FromUTF16([]byte(x)); ok {
			t.Errorf("%q is %q", x, got)
		}
	}
}

// Identifiers are made of ASCII.
func TestIsIdent(t *testing.T) {
	for c := range 128 {
		if word := utf8.ValidString(string(rune(c))) && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", rune(c)); IsIdent(byte(c)) != word {
			t.Errorf("%q in an identifier: %v", rune(c), !word)
		}
	}
}
