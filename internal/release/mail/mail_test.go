package mail

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A postOffice answers each command with a reply that is set for it, else with
// what an office says that takes every mail.
func postOffice(t *testing.T, replies map[string]string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveMail(c, replies)
		}
	}()
	return l.Addr().String()
}

func serveMail(c net.Conn, replies map[string]string) {
	defer c.Close()
	say := func(command, usual string) bool {
		if r, ok := replies[command]; ok {
			usual = r
		}
		fmt.Fprintf(c, "%s\r\n", usual)
		return usual != "" && usual[0] < '4'
	}
	if !say("", "220 post.example.com") {
		return
	}
	in := bufio.NewScanner(c)
	for in.Scan() {
		word, _, _ := strings.Cut(strings.ToUpper(in.Text()), " ")
		usual := map[string]string{"DATA": "354 go on", "QUIT": "221 bye"}[word]
		if usual == "" {
			usual = "250 ok"
		}
		if !say(word, usual) || word == "QUIT" {
			return
		}
		if word != "DATA" {
			continue
		}
		for in.Scan() && in.Text() != "." {
		}
		if !say(".", "250 taken") {
			return
		}
	}
}

// TestMailThatIsRefused tells what a server refuses for good, which is not sent
// again, from what it asks to be sent later.
func TestMailThatIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		replies map[string]string
		sent    bool
		transit bool
	}{
		"taken":                   {nil, true, false},
		"at the door":             {map[string]string{"": "554 5.7.1 not welcome"}, false, false},
		"at the door, for a time": {map[string]string{"": "421 come again"}, false, true},
		"sender":                  {map[string]string{"MAIL": "550 5.7.1 not yours"}, false, false},
		"recipient":               {map[string]string{"RCPT": "550 5.1.1 nobody"}, false, false},
		"recipient, for a time":   {map[string]string{"RCPT": "450 greylisted"}, false, true},
		"text":                    {map[string]string{".": "554 5.6.0 spam"}, false, false},
		"text, for a time":        {map[string]string{".": "451 disk full"}, false, true},
		"a greeting of 5 MB":      {map[string]string{"": strings.Repeat("220-"+strings.Repeat("x", 1000)+"\r\n", 5000) + "220 hi"}, false, true},
		"text, without a word":    {map[string]string{".": ""}, false, false},
		"taken without good-bye":  {map[string]string{"QUIT": "421 gone"}, true, false},
	} {
		q := oneTry()
		m := &SMTP{Server: postOffice(t, test.replies), Queue: q}
		err := m.Send(context.Background(), Message{ID: "a@b", From: "a@example.com", To: "b@example.com", Subject: "s", Text: "t"})
		var transit *wire.TransitError
		if (err == nil) != test.sent || errors.As(err, &transit) != test.transit {
			t.Errorf("%s: %v (transit %v)", name, err, transit != nil)
		}
		if errors.Is(err, train.ErrUnsure) != strings.HasSuffix(name, "without a word") {
			t.Errorf("%s: %v: is it known whether it was sent?", name, err)
		}
	}
}

// A server that speaks TLS from the first byte gets mail over it, and nothing in
// clear; one with another's certificate gets none.
func TestMailOverTLS(t *testing.T) {
	office := httptest.NewUnstartedServer(nil) // for its certificate
	office.StartTLS()
	defer office.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", office.TLS)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveMail(c, map[string]string{"EHLO": "250-post.example.com\r\n250 AUTH PLAIN", "AUTH": "235 come in"})
		}
	}()
	known := x509.NewCertPool()
	known.AddCert(office.Certificate())
	for _, test := range []struct {
		server string
		roots  *x509.CertPool
		sent   bool
	}{
		{"smtps://" + l.Addr().String(), known, true},
		{"smtps://" + l.Addr().String(), x509.NewCertPool(), false},
	} {
		q := oneTry()
		m := &SMTP{Server: test.server, User: "rita", Password: "secret", Queue: q, roots: test.roots}
		err := m.Send(context.Background(), Message{ID: "a@b", From: "a@example.com", To: "b@example.com", Subject: "s", Text: "t"})
		if (err == nil) != test.sent {
			t.Errorf("%s: %v", test.server, err)
		}
	}
	for server, want := range map[string]bool{"mail.example.com:465": true, "mail.example.com:587": false, "smtps://mail.example.com:2465": true, "[::1]:465": true} {
		if _, _, implicit, err := (&SMTP{Server: server}).address(); implicit != want || err != nil {
			t.Errorf("%s: TLS from the first byte: %v, %v", server, implicit, err)
		}
	}
}

// oneTry is a queue whose clock does not wait.
func oneTry() *wire.Queue {
	c := wiretest.NewClock()
	return &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2}
}
