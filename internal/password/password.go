// Package password hashes passwords with argon2id and checks them, a limited number at a time. It stores
// nothing and knows no accounts.
//
// A hash is a string in the PHC format. It contains the parameters it was made with, so that the
// parameters of new hashes can be raised later while stored hashes stay valid:
//
//	$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// The limits on the length of a password.
const (
	MinLength = 10   // characters
	MaxBytes  = 1000 // of UTF-8
)

// The parameters of new hashes are the OWASP minimum, 44 ms on the machines
// this was written on: https://cheatsheetseries.owasp.org, "Password Storage".
const (
	memory  = 19 << 10 // KiB
	passes  = 2
	threads = 1
	saltLen = 16
	keyLen  = 32
)

// The largest parameters of a stored hash that Verify accepts. A manipulated hash could otherwise take
// all memory or processor time.
const (
	maxMemory  = 256 << 10 // KiB
	maxPasses  = 16
	maxThreads = 16
	maxBytes   = 128 // of salt or key
)

// slots limits how many hashes are computed at once. Each takes a processor and 19 MiB.
var slots = make(chan struct{}, runtime.NumCPU())

// ErrMalformed: a stored hash can't be read.
var ErrMalformed = errors.New("malformed password hash")

// Check returns an error if a password may not be chosen, in words for the person who chose it. A
// password must be long enough and hard to guess. It must not contain anything of about, such as the
// login and the name of its owner.
func Check(password string, about ...string) error {
	switch {
	case !utf8.ValidString(password):
		return errors.New("the password is not UTF-8 text")
	case utf8.RuneCountInString(password) < MinLength:
		return fmt.Errorf("use at least %d characters; a few words are easier to remember than a short jumble", MinLength)
	case len(password) > MaxBytes:
		return fmt.Errorf("use at most %d bytes", MaxBytes)
	}
	return checkSimple(password, about)
}

// Hash returns a hash of a password with a new salt. It waits while too many hashes are being computed.
func Hash(password string) (string, error) {
	if len(password) > MaxBytes {
		return "", fmt.Errorf("hash password: longer than %d bytes", MaxBytes)
	}
	h := hash{memory: memory, passes: passes, threads: threads, salt: make([]byte, saltLen)}
	if _, err := rand.Read(h.salt); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	h.key = h.derive(password, keyLen)
	return h.String(), nil
}

// Verify reports whether hash is a hash of password. The time it takes does not depend on how similar the
// passwords are. An empty hash means that the account has no password: the result is false, after the
// usual time. The error is [ErrMalformed] if the hash can't be read.
func Verify(hash, password string) (ok bool, err error) {
	if hash == "" {
		VerifyNothing(password)
		return false, nil
	}
	h, err := parse(hash)
	if err != nil {
		return false, err
	}
	if len(password) > MaxBytes {
		return false, nil
	}
	return subtle.ConstantTimeCompare(h.derive(password, len(h.key)), h.key) == 1, nil
}

// VerifyNothing takes as long as [Verify] with a wrong password. Signing in with an unknown login calls
// it, so that the time of the answer does not tell whether a login exists.
func VerifyNothing(password string) {
	if len(password) > MaxBytes {
		return
	}
	h := hash{memory: memory, passes: passes, threads: threads, salt: make([]byte, saltLen)}
	h.derive(password, keyLen)
}

// A hash holds the parts of a PHC string.
type hash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

func (h hash) derive(password string, n int) []byte {
	slots <- struct{}{}
	defer func() { <-slots }()
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.threads, uint32(n))
}

func (h hash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.threads,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

func parse(s string) (hash, error) {
	part := strings.Split(s, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != "v="+strconv.Itoa(argon2.Version) {
		return hash{}, fmt.Errorf("%w: not argon2id version %d", ErrMalformed, argon2.Version)
	}
	params := strings.Split(part[3], ",")
	if len(params) != 3 {
		return hash{}, fmt.Errorf("%w: parameters", ErrMalformed)
	}
	m, err1 := parameter(params[0], "m=", 8, maxMemory)
	t, err2 := parameter(params[1], "t=", 1, maxPasses)
	p, err3 := parameter(params[2], "p=", 1, maxThreads)
	if err := errors.Join(err1, err2, err3); err != nil {
		return hash{}, err
	}
	h := hash{memory: m, passes: t, threads: uint8(p)}
	var err error
	if h.salt, err = decode(part[4], 8); err != nil {
		return hash{}, fmt.Errorf("%w: salt", ErrMalformed)
	}
	if h.key, err = decode(part[5], 16); err != nil {
		return hash{}, fmt.Errorf("%w: key", ErrMalformed)
	}
	return h, nil
}

func parameter(s, prefix string, lo, hi uint64) (uint32, error) {
	digits, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%w: parameter %s must be from %d to %d", ErrMalformed, prefix[:1], lo, hi)
	}
	return uint32(n), nil
}

func decode(s string, least int) ([]byte, error) {
	if base64.RawStdEncoding.DecodedLen(len(s)) > maxBytes {
		return nil, ErrMalformed
	}
	b, err := base64.RawStdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < least {
		return nil, ErrMalformed
	}
	return b, nil
}
