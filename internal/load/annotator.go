package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// An annotator is signed in and has a connection of their own.
//
// The connection is written to and read from directly: the client of package net/http would take as much
// processor time as the server, of the same cores.
type annotator struct {
	site   *site
	cookie string // name=value
	conn   net.Conn
	answer *bufio.Reader

	at    *work            // the page that is open
	given map[string]*work // what the server acknowledged, by the path of the page
	saves int
}

// A work is the page of an assignment, as the server sends it or as it should be after what was acknowledged.
type work struct {
	path      string
	Submitted bool `json:"submitted"`
	URLs      struct {
		Cards  string `json:"cards"`
		Submit string `json:"submit"`
	} `json:"urls"`
	Cards []card `json:"cards"`
}

// A card is a translation with its score.
type card struct {
	ID       string             `json:"id"`
	Revision int                `json:"revision"`
	Scores   map[string]float64 `json:"scores"`
}

const (
	jsonBody = "application/json"
	formBody = "application/x-www-form-urlencoded"
)

// send sends a request and returns the body of the answer. An answer that is neither a page nor leads to one is
// an error. After a redirection it returns the path that the answer leads to.
func (a *annotator) send(method, path, contentType string, body []byte) ([]byte, error) {
	if a.conn == nil {
		var err error
		if a.conn, err = net.Dial("tcp", a.site.addr); err != nil {
			return nil, err
		}
		a.answer = bufio.NewReader(a.conn)
	}
	var request bytes.Buffer
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, a.site.addr)
	if a.cookie != "" {
		fmt.Fprintf(&request, "Cookie: %s\r\n", a.cookie)
	}
	if method != http.MethodGet {
		fmt.Fprintf(&request, "Content-Type: %s\r\nContent-Length: %d\r\n", contentType, len(body))
	}
	request.WriteString("\r\n")
	request.Write(body)
	if _, err := a.conn.Write(request.Bytes()); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(a.answer, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	for _, c := range res.Cookies() {
		a.cookie = c.Name + "=" + c.Value
	}
	switch res.StatusCode {
	case http.StatusOK:
		return got, nil
	case http.StatusSeeOther:
		return []byte(res.Header.Get("Location")), nil
	}
	return nil, &statusError{res.StatusCode, fmt.Sprintf("%s %s is answered with %s: %.300s", method, path, res.Status, got)}
}

// A statusError is an answer that is neither a page nor leads to one.
type statusError struct {
	code int
	said string
}

func (e *statusError) Error() string { return e.said }

// signIn uses a sign-in link.
func (a *annotator) signIn(link string) error {
	_, err := a.send(http.MethodPost, link, formBody, nil)
	return err
}

// form encodes pairs of a field and its value.
func form(pairs ...string) []byte {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return []byte(values.Encode())
}

// begin asks for a segment and opens its page.
func (a *annotator) begin() error {
	path, err := a.send(http.MethodPost, "/campaigns/"+slug+"/next", formBody, nil)
	if err != nil {
		return err
	}
	a.at, err = a.open(string(path))
	return err
}

// errNoWork says that the campaign is used up.
var errNoWork = errors.New("no segment is left for an annotator; more -segments last longer")

// open reads the page of an assignment.
func (a *annotator) open(path string) (*work, error) {
	if !strings.Contains(path, "/assignments/") {
		return nil, errNoWork
	}
	page, err := a.send(http.MethodGet, path, "", nil)
	if err != nil {
		return nil, err
	}
	_, state, ok := bytes.Cut(page, []byte(`id="assignment-state"`))
	if ok {
		_, state, ok = bytes.Cut(state, []byte(">"))
	}
	if !ok {
		return nil, fmt.Errorf("%s is not the page of an assignment", path)
	}
	w := &work{path: path}
	if err := json.NewDecoder(bytes.NewReader(state)).Decode(w); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// save gives a card of the open page another score. After an error, the next call repeats the same save.
func (a *annotator) save(index int) error {
	c := &a.at.Cards[index]
	score := float64(a.saves % 5)
	body := fmt.Appendf(nil, `{"revision":%d,"save_id":"%s-%d","scores":{"sqm":%g},"comment":"","seconds":1}`, c.Revision, c.ID, c.Revision, score)
	got, err := a.send(http.MethodPut, a.at.URLs.Cards+c.ID, jsonBody, body)
	if err != nil {
		return err
	}
	var saved struct {
		Revision int `json:"revision"`
	}
	if err := json.Unmarshal(got, &saved); err != nil {
		return err
	}
	a.saves++
	c.Revision, c.Scores = saved.Revision, map[string]float64{"sqm": score}
	a.given[a.at.path] = a.at
	return nil
}

// fill saves every card of the open page.
func (a *annotator) fill() error {
	for i := range a.at.Cards {
		if err := a.save(i); err != nil {
			return err
		}
	}
	return nil
}

// submit submits the open page, and opens the one that follows.
func (a *annotator) submit() error {
	revisions := map[string]int{}
	for _, c := range a.at.Cards {
		revisions[c.ID] = c.Revision
	}
	body, err := json.Marshal(map[string]any{"cards": revisions})
	if err != nil {
		return err
	}
	got, err := a.send(http.MethodPost, a.at.URLs.Submit, jsonBody, body)
	if err != nil {
		return err
	}
	var answer struct {
		Next string `json:"next"`
	}
	if err := json.Unmarshal(got, &answer); err != nil {
		return err
	}
	a.at.Submitted = true
	next, err := a.open(answer.Next)
	if err == nil {
		a.at = next
	}
	return err
}

// forget closes the connection.
func (a *annotator) forget() {
	if a.conn != nil {
		_ = a.conn.Close()
		a.conn = nil
	}
}
