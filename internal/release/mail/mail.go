// Package mail sends what a release announces: mails through SMTP, messages to Slack.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Message is what is announced.
type Message struct {
	ID      string // Message-ID of a mail, without brackets; the same for the same release
	From    string
	To      string // comma-separated
	Subject string
	Text    string
}

// A Mailer sends mail.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// SMTP sends mail through a server: over TLS from the first byte on port 465 and
// where the server is spelled smtps://HOST:PORT (RFC 8314), else with TLS where the
// server offers it.
type SMTP struct {
	Server         string // host:port
	User, Password string // empty = no authentication
	Queue          *wire.Queue

	roots *x509.CertPool // that a server's certificate is of; nil = the system's
}

// Send implements Mailer.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	err := errors.Join(msg.From(m.From), msg.ToFromString(m.To))
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.ID)
	msg.SetDate()
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("mail server %q: %w", s.Server, err)
	}
	end, err := s.Queue.Turn(ctx, s.Server, m.Effect())
	if err != nil {
		return err
	}
	defer end()
	if err = client.DialAndSendWithContext(ctx, msg); err == nil || msg.IsDelivered() {
		return nil // whatever became of the good-bye
	}
	err = fmt.Errorf("mail to %s through %s: %w", m.To, s.Server, err)
	var sending *gomail.SendError
	switch code := replyOf(err); {
	case code >= 500: // no, for good: RFC 5321, section 4.2.1. 4yz ask to come again
		return err
	case code == 0 && errors.As(err, &sending) && sending.Reason == gomail.ErrSMTPDataClose:
		return unsureError{err.Error()} // the server has all of it, and did not answer
	}
	return &wire.TransitError{Err: err}
}

// address is where the server is, and whether it speaks TLS from the first byte.
func (s *SMTP) address() (host string, port int, implicit bool, err error) {
	at, implicit := strings.CutPrefix(s.Server, "smtps://")
	host, number, err := net.SplitHostPort(at)
	if err == nil {
		port, err = strconv.Atoi(number)
	}
	return host, port, implicit || port == 465, err
}

// client is what speaks to the server.
func (s *SMTP) client() (*gomail.Client, error) {
	host, port, implicit, err := s.address()
	if err != nil {
		return nil, err
	}
	opts := []gomail.Option{gomail.WithPort(port), gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithTimeout(30 * time.Second),
		gomail.WithTLSConfig(&tls.Config{ServerName: host, RootCAs: s.roots, MinVersion: tls.VersionTLS12})}
	if implicit {
		opts = append(opts, gomail.WithSSL())
	} else {
		opts = append(opts, gomail.WithDialContextFunc(dialBounded))
	}
	if s.User != "" {
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(host, opts...)
}

// maxReplies is how many bytes a server may say: a reply may have any number of lines.
const maxReplies = 4 << 20

// A boundedConn ends when the server has said too much.
type boundedConn struct {
	net.Conn
	left int
}

func (c *boundedConn) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the server says more than %d MiB", maxReplies>>20)
	}
	n, err := c.Conn.Read(b)
	c.left -= n
	return n, err
}

func dialBounded(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &boundedConn{c, maxReplies}, nil
}

// replyOf is the code that the server has answered with; 0 = none.
func replyOf(err error) int {
	var reply *textproto.Error
	var sending *gomail.SendError
	switch {
	case errors.As(err, &sending) && sending.ErrorCode() != 0:
		return sending.ErrorCode()
	case errors.As(err, &reply):
		return reply.Code
	}
	return 0
}

// Effect is what a plan says of the mail.
func (m Message) Effect() wire.Effect {
	return wire.Effect{Method: "MAIL", Target: m.To, Text: m.Subject}
}

// A Chat posts messages.
type Chat interface {
	Post(ctx context.Context, text string) error
}

// An unsureError leaves open whether a message was posted.
type unsureError struct{ of string }

func (e unsureError) Error() string {
	return e.of + ": it is not known whether the message was posted"
}
func (e unsureError) Unwrap() error { return train.ErrUnsure }

// Slack posts through an incoming webhook. Its URL is a secret: whoever has it
// can post.
type Slack struct {
	Webhook string
	Queue   *wire.Queue
}

// ChatEffect is what a plan says of a message to a chat.
var ChatEffect = wire.Effect{Method: "CHAT", Target: "slack webhook"}

// plain keeps Slack from reading mentions and links in a text.
var plain = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Post implements Chat. What the server refused was not posted; what broke on the way may
// have been, as what was answered by something else than Slack: a proxy's page has 200, too.
func (s *Slack) Post(ctx context.Context, text string) error {
	body, err := json.Marshal(map[string]string{"text": plain.Replace(text)})
	if err != nil {
		return err
	}
	end, err := s.Queue.Turn(ctx, "slack", ChatEffect)
	if err != nil {
		return err
	}
	defer end()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Webhook, bytes.NewReader(body))
	if err != nil {
		return errors.New("slack: the webhook is no URL")
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.Queue.Obey(req, 0)
	var rate *wire.RateError
	switch {
	case errors.As(err, &rate):
		return rate
	case err != nil:
		return unsureError{"slack"}
	}
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 200))
	_ = res.Body.Close()
	switch {
	case res.StatusCode >= 500:
		return unsureError{fmt.Sprintf("slack: %d", res.StatusCode)}
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("slack: %d %s", res.StatusCode, strings.TrimSpace(string(answer)))
	case strings.TrimSpace(string(answer)) != "ok":
		return unsureError{fmt.Sprintf("slack: answers %.100q", answer)}
	}
	return nil
}
