package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// scripted answers requests one by one: with a status, or an error for 0.
type scripted struct {
	answers []int
	err     error
	bodies  []string
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		text, _ := io.ReadAll(req.Body)
		body = string(text)
	}
	status := s.answers[min(len(s.bodies), len(s.answers)-1)]
	s.bodies = append(s.bodies, body)
	if status == 0 {
		return nil, s.err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"7"}}, Body: io.NopCloser(strings.NewReader("x"))}, nil
}

// TestPatience: what had no effect is sent again, whole, and a bounded number
// of times; a write whose fate is not known is not.
func TestPatience(t *testing.T) {
	reset := errors.New("connection reset")
	dial := &net.OpError{Op: "dial", Err: reset}
	for name, tt := range map[string]struct {
		method  string
		answers []int
		err     error
		tries   int
		status  int // of the end; 0 = an error
	}{
		"a read":                      {"GET", []int{200}, nil, 1, 200},
		"a read in trouble":           {"GET", []int{503, 0, 502, 504, 200}, reset, 5, 200},
		"a read without end":          {"GET", []int{0}, &AnswerError{Endless: true}, 1, 0},
		"trouble that stays":          {"GET", []int{503}, nil, 5, 503},
		"a read of what is not there": {"GET", []int{404}, nil, 1, 404},
		"a read of what is broken":    {"GET", []int{501}, nil, 1, 501},
		"a write put off":             {"POST", []int{429, 429, 201}, nil, 3, 201},
		"a write never sent":          {"POST", []int{0, 0, 201}, dial, 3, 201},
		"a write cut off":             {"POST", []int{0, 201}, reset, 1, 0},
		"a write, perhaps done":       {"POST", []int{503, 201}, nil, 1, 503},
	} {
		next := &scripted{answers: tt.answers, err: tt.err}
		var slept []time.Duration
		p := Patience{Tries: 5, First: time.Second}
		p.Sleep = func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return nil
		}
		var body io.Reader
		if tt.method == "POST" {
			body = bytes.NewReader([]byte("whole"))
		}
		req, _ := http.NewRequest(tt.method, "http://server.example/x", body)
		res, err := Patient(next, p).RoundTrip(req)
		status := 0
		if err == nil {
			status = res.StatusCode
			res.Body.Close()
			if res.Header.Get("Retry-After") != "" {
				t.Errorf("%s: the client may wait as long as the server likes", name)
			}
		}
		if len(next.bodies) != tt.tries || status != tt.status {
			t.Errorf("%s: %d tries, status %d, %v", name, len(next.bodies), status, err)
		}
		for _, b := range next.bodies {
			if tt.method == "POST" && b != "whole" {
				t.Errorf("%s: sent %q", name, b)
			}
		}
		for i, d := range slept {
			if tt.answers[min(i, len(tt.answers)-1)] != 0 && d < 7*time.Second {
				t.Errorf("%s: slept %v although the server asked for 7s", name, d)
			}
		}
	}
}

// TestPatienceEnds: an interrupt ends a pause.
func TestPatienceEnds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://server.example/x", http.NoBody)
	next := &scripted{answers: []int{503}}
	res, err := Patient(next, Patience{Tries: 5, First: time.Second}).RoundTrip(req)
	if err == nil {
		res.Body.Close()
	}
	if len(next.bodies) != 1 {
		t.Errorf("%d tries", len(next.bodies))
	}
	if err := Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// An answer of few bytes on the wire may be millions of values.
func TestValuesOfAnAnswerAreBounded(t *testing.T) {
	for n, want := range map[int]bool{1000: true, maxValues: false} {
		u, _ := url.Parse("https://api.example.com/x")
		req := &http.Request{Method: http.MethodGet, URL: u}
		text := "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]"
		err := wantJSON(req, &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text))})
		var refused *AnswerError
		if errors.As(err, &refused) == want || want && err != nil || !want && !refused.Endless {
			t.Errorf("%d items: %v", n, err)
		}
	}
}
