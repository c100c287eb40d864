package accounts

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
	minPasswordLength = 10   // characters
	MaxPasswordBytes  = 1000 // of UTF-8
)

// The parameters of new hashes are the OWASP minimum, 44 ms on the machines
// this was written on: https://cheatsheetseries.owasp.org, "Password Storage".
const (
	hashMemory  = 19 << 10 // KiB
	hashPasses  = 2
	hashThreads = 1
	saltLen     = 16
	keyLen      = 32
)

// The largest parameters of a stored hash that VerifyPassword accepts. A manipulated hash could otherwise take
// all memory or processor time.
const (
	maxHashMemory  = 256 << 10 // KiB
	maxHashPasses  = 16
	maxHashThreads = 16
	maxHashBytes   = 128 // of salt or key
)

// hashSlots limits how many hashes are computed at once. Each takes a processor and 19 MiB.
var hashSlots = make(chan struct{}, runtime.NumCPU())

// errMalformed: a stored hash can't be read.
var errMalformed = errors.New("malformed password hash")

// CheckPassword returns an error if a password may not be chosen, in words for the person who chose it. A
// password must be long enough and hard to guess. It must not contain anything of about, such as the
// login and the name of its owner.
func CheckPassword(password string, about ...string) error {
	switch {
	case !utf8.ValidString(password):
		return errors.New("the password is not UTF-8 text")
	case utf8.RuneCountInString(password) < minPasswordLength:
		return fmt.Errorf("use at least %d characters; a few words are easier to remember than a short jumble", minPasswordLength)
	case len(password) > MaxPasswordBytes:
		return fmt.Errorf("use at most %d bytes", MaxPasswordBytes)
	}
	return checkSimple(password, about)
}

// HashPassword returns a hash of a password with a new salt, made with argon2id. A hash is a string in the PHC format.
// It has the parameters that it was made with, so that those of new hashes can be raised while stored hashes stay valid:
//
//	$argon2id$v=19$m=19456,t=2,p=1$SALT$KEY
//
// It waits while too many hashes are being computed.
func HashPassword(password string) (string, error) {
	if len(password) > MaxPasswordBytes {
		return "", fmt.Errorf("hash password: longer than %d bytes", MaxPasswordBytes)
	}
	h := passwordHash{memory: hashMemory, passes: hashPasses, threads: hashThreads, salt: make([]byte, saltLen)}
	if _, err := rand.Read(h.salt); err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	h.key = h.derive(password, keyLen)
	return h.String(), nil
}

// VerifyPassword reports whether hash is a hash of password. The time it takes does not depend on how similar the
// passwords are. An empty hash means that the account has no password: the result is false, after the
// usual time. The error is [errMalformed] if the hash can't be read.
func VerifyPassword(hash, password string) (ok bool, err error) {
	if hash == "" {
		VerifyNoPassword(password)
		return false, nil
	}
	h, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	if len(password) > MaxPasswordBytes {
		return false, nil
	}
	return subtle.ConstantTimeCompare(h.derive(password, len(h.key)), h.key) == 1, nil
}

// VerifyNoPassword takes as long as [VerifyPassword] with a wrong password. Signing in with an unknown login calls
// it, so that the time of the answer does not tell whether a login exists.
func VerifyNoPassword(password string) {
	if len(password) > MaxPasswordBytes {
		return
	}
	h := passwordHash{memory: hashMemory, passes: hashPasses, threads: hashThreads, salt: make([]byte, saltLen)}
	h.derive(password, keyLen)
}

// A passwordHash holds the parts of a PHC string.
type passwordHash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

func (h passwordHash) derive(password string, n int) []byte {
	hashSlots <- struct{}{}
	defer func() { <-hashSlots }()
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.threads, uint32(n))
}

func (h passwordHash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.threads,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.key))
}

func parseHash(s string) (passwordHash, error) {
	part := strings.Split(s, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != "v="+strconv.Itoa(argon2.Version) {
		return passwordHash{}, fmt.Errorf("%w: not argon2id version %d", errMalformed, argon2.Version)
	}
	params := strings.Split(part[3], ",")
	if len(params) != 3 {
		return passwordHash{}, fmt.Errorf("%w: parameters", errMalformed)
	}
	m, err1 := hashParameter(params[0], "m=", 8, maxHashMemory)
	t, err2 := hashParameter(params[1], "t=", 1, maxHashPasses)
	p, err3 := hashParameter(params[2], "p=", 1, maxHashThreads)
	if err := errors.Join(err1, err2, err3); err != nil {
		return passwordHash{}, err
	}
	h := passwordHash{memory: m, passes: t, threads: uint8(p)}
	var err error
	if h.salt, err = decodeHash(part[4], 8); err != nil {
		return passwordHash{}, fmt.Errorf("%w: salt", errMalformed)
	}
	if h.key, err = decodeHash(part[5], 16); err != nil {
		return passwordHash{}, fmt.Errorf("%w: key", errMalformed)
	}
	return h, nil
}

func hashParameter(s, prefix string, lo, hi uint64) (uint32, error) {
	digits, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%w: parameter %s must be from %d to %d", errMalformed, prefix[:1], lo, hi)
	}
	return uint32(n), nil
}

func decodeHash(s string, least int) ([]byte, error) {
	if base64.RawStdEncoding.DecodedLen(len(s)) > maxHashBytes {
		return nil, errMalformed
	}
	b, err := base64.RawStdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < least {
		return nil, errMalformed
	}
	return b, nil
}
