package pipelines

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"
)

// TestDatabaseThatStarts: a database that does not listen yet, or has no
// connection free, is given time; one that refuses the password is not.
func TestDatabaseThatStarts(t *testing.T) {
	for name, tt := range map[string]struct {
		greeting string // empty = nothing listens
		pauses   int
	}{
		"nothing listens":      {"", 3},
		"too many connections": {"\xff\x10\x04#08004Too many connections", 3},
		"not allowed":          {"\xff\x6a\x04Host is not allowed to connect", 0},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if tt.greeting == "" {
			listener.Close()
		} else {
			defer listener.Close()
			go greet(listener, tt.greeting)
		}
		db, err := Open("mysql://user@"+listener.Addr().String()+"/mlpipeline", "")
		if err != nil {
			t.Fatal(err)
		}
		var slept []time.Duration
		db.sleep = func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return nil
		}
		err = db.Pipelines(context.Background(), func(*Pipeline) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "/mlpipeline") || len(slept) != tt.pauses {
			t.Errorf("%s: slept %v, %v", name, slept, err)
		}
		db.Close()
	}
}

// greet answers each connection with one packet of the MySQL protocol.
func greet(listener net.Listener, text string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		conn.Write(append([]byte{byte(len(text)), 0, 0, 0}, text...))
		conn.Close()
	}
}
