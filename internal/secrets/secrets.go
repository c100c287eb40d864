// Package secrets seals secrets that the program must read again, such as the keys that sign webhooks. It encrypts them
// with AES-256-GCM. The key is in the configuration (option secrets_key) or in the database. With a key in the
// database, anyone who has the whole database can read the secrets.
package secrets

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"

	"annotate/internal/database"
)

// A Box seals and opens secrets.
type Box struct {
	db *database.DB

	mu   sync.Mutex
	kept []byte // the key of the database, once it is read
}

// New returns a box with the key of the configuration or, if the configuration has none, of the
// database.
func New(db *database.DB) *Box { return &Box{db: db} }

// The marks that begin a sealed secret say which key it needs.
const (
	byConfiguration = "c1:"
	byDatabase      = "d1:"
)

// ErrOtherKey: a secret was sealed with a key that the configuration does not have any more.
var ErrOtherKey = errors.New("the secret can't be read: it was sealed with a key other than secrets_key in the configuration")

// Prepare makes the key of the database if neither the configuration nor the database has one. Call it before the first
// [Box.Seal], and outside of transactions.
func (b *Box) Prepare(ctx context.Context) error {
	if len(b.db.SecretsKey) > 0 {
		return nil
	}
	return b.db.Write(ctx, func(tx *database.Tx) error {
		fresh := make([]byte, 32)
		if _, err := rand.Read(fresh); err != nil {
			return err
		}
		return tx.Exec(
			"INSERT INTO application_values (name, value) VALUES ('secrets_key', ?) ON CONFLICT (name) DO NOTHING",
			base64.StdEncoding.EncodeToString(fresh),
		).Error
	})
}

// Seal encrypts a text. [Box.Open] needs the same purpose, such as "webhook" with its id, so that a sealed text is of no use
// in another place.
func (b *Box) Seal(ctx context.Context, purpose, text string) (string, error) {
	mark := byDatabase
	if len(b.db.SecretsKey) > 0 {
		mark = byConfiguration
	}
	gcm, err := b.cipher(ctx, mark)
	if err != nil {
		return "", err
	}
	return mark + base64.StdEncoding.EncodeToString(gcm.Seal(nil, nil, []byte(text), []byte(purpose))), nil
}

// Open returns the text of a sealed secret. The error is [ErrOtherKey] if the secret was sealed with another key or for
// another purpose.
func (b *Box) Open(ctx context.Context, purpose, sealed string) (string, error) {
	if len(sealed) < len(byDatabase) {
		return "", errors.New("the secret is damaged")
	}
	mark, rest := sealed[:len(byDatabase)], sealed[len(byDatabase):]
	if mark == byConfiguration && len(b.db.SecretsKey) == 0 {
		return "", ErrOtherKey
	}
	gcm, err := b.cipher(ctx, mark)
	if err != nil {
		return "", err
	}
	text, err := base64.StdEncoding.DecodeString(rest)
	if err != nil {
		return "", fmt.Errorf("the secret is damaged: %w", err)
	}
	if text, err = gcm.Open(nil, nil, text, []byte(purpose)); err != nil {
		return "", ErrOtherKey
	}
	return string(text), nil
}

// cipher returns the cipher of the key that a mark names.
func (b *Box) cipher(ctx context.Context, mark string) (cipher.AEAD, error) {
	from := b.db.SecretsKey
	switch mark {
	case byConfiguration:
	case byDatabase:
		var err error
		if from, err = b.ofDatabase(ctx); err != nil {
			return nil, fmt.Errorf("read the key of secrets: %w", err)
		}
	default:
		return nil, errors.New("the secret is damaged")
	}
	key, err := hkdf.Key(sha256.New, from, nil, "annotate secrets", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (b *Box) ofDatabase(ctx context.Context) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept != nil {
		return b.kept, nil
	}
	var value string
	err := database.Scan(b.db.Read(ctx).Raw("SELECT value FROM application_values WHERE name = 'secrets_key'"), &value)
	if err != nil {
		return nil, err
	}
	b.kept, err = base64.StdEncoding.DecodeString(value)
	return b.kept, err
}
