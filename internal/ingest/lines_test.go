package ingest

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<17) // more than the buffer of the reader
	tests := []struct {
		name  string
		input string
		max   int
		want  []string // "!" for a line that is too long
	}{
		{"empty", "", 0, nil},
		{"one without a line end", "a", 0, []string{"a"}},
		{"LF", "a\nb\n", 0, []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", 0, []string{"a", "b"}},
		{"mixed, the last without", "a\r\nb\nc", 0, []string{"a", "b", "c"}},
		{"a CR elsewhere stays", "a\rb\r\r\n", 0, []string{"a\rb\r"}},
		{"a CR at the very end is a line end cut short", "a\r", 0, []string{"a"}},
		{"blank lines", "\n\r\n\n", 0, []string{"", "", ""}},
		{"byte order mark", "\ufeffa\n\ufeffb\n", 0, []string{"a", "\ufeffb"}},
		{"nothing but a byte order mark", "\ufeff", 0, nil},
		{"longer than the buffer", long + "\na", 0, []string{long, "a"}},
		{"as long as allowed", "12345\r\n12345\n12345", 5, []string{"12345", "12345", "12345"}},
		{"too long", "123456\r\na\n123456\nb\n123456", 5, []string{"!", "a", "!", "b", "!"}},
		{"one too long, a CR within", "12345\r6\na", 5, []string{"!", "a"}},
		{"much too long", long + "\na\n" + long, 5, []string{"!", "a", "!"}},
		{"just over, across buffers", long + "\na", len(long) - 1, []string{"!", "a"}},
		{"just right, across buffers", long + "\r\na", len(long), []string{long, "a"}},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"": func(r io.Reader) io.Reader { return r }, ", byte by byte": iotest.OneByteReader, ", data with EOF": iotest.DataErrReader,
	}
	for _, tt := range tests {
		for how, reader := range readers {
			t.Run(tt.name+how, func(t *testing.T) {
				lines := newLineReader(reader(strings.NewReader(tt.input)), Options{MaxLine: tt.max})
				var got []string
				for {
					text, err := lines.Next()
					if err == io.EOF {
						break
					}
					switch err {
					case nil:
						got = append(got, string(text))
					case errTooLong:
						got = append(got, "!")
					default:
						t.Fatal(err)
					}
					if lines.Line != len(got) {
						t.Errorf("line %d is called %d", len(got), lines.Line)
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %.40q, want %.40q", got, tt.want)
				}
			})
		}
	}
}

// zeros is an endless line.
type zeros struct{ left int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	z.left -= n
	clear(p[:n])
	return n, nil
}

// Of a line that is too long no more than the limit is kept.
func TestLongLineMemory(t *testing.T) {
	lines := newLineReader(&zeros{1 << 26}, Options{MaxLine: 1 << 16})
	if _, err := lines.Next(); err != errTooLong {
		t.Fatal(err)
	}
	if c := cap(lines.buf); c > 1<<18 {
		t.Errorf("%d bytes are kept of a line of at most %d", c, 1<<16)
	}
}
