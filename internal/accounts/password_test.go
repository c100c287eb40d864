package accounts

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestHashAndVerifyPassword(t *testing.T) {
	for _, password := range []string{"correct horse battery", "пароль из одних только русских букв, длиннее 72 байт", "密码密码密码密码密码", ""} {
		h, err := HashPassword(password)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := VerifyPassword(h, password); err != nil || !ok {
			t.Errorf("VerifyPassword of %q = %v, %v", password, ok, err)
		}
		if ok, err := VerifyPassword(h, password+"x"); err != nil || ok {
			t.Errorf("VerifyPassword of %q with one letter more = %v, %v", password, ok, err)
		}
	}
}

// An account without a password takes the same work, so that nobody learns of it from the time. The work is seen in the
// memory that it takes.
func TestNoHashTakesTheSameWork(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if ok, err := VerifyPassword("", "correct horse battery"); ok || err != nil {
		t.Errorf("VerifyPassword without a hash = %v, %v", ok, err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken < hashMemory<<10 {
		t.Errorf("it takes %d bytes, and a hash takes %d", taken, hashMemory<<10)
	}
}

func TestHashIsPHC(t *testing.T) {
	a, err := HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	// 16 bytes are 22 characters of base64 without padding, 32 are 43.
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(a) {
		t.Errorf("hash %s is not in the PHC format", a)
	}
	if b, _ := HashPassword("correct horse battery"); a == b {
		t.Error("two hashes of one password are the same: no fresh salt")
	}
}

// The two are from the reference implementation's own test, phc-winner-argon2
// src/test.c: password "password", salt "somesalt", t=2, version 0x13, once with
// m=2^16 and p=1, once with m=2^8 and p=2.
func TestVerifyReference(t *testing.T) {
	for _, h := range []string{
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
	} {
		if ok, err := VerifyPassword(h, "password"); err != nil || !ok {
			t.Errorf("VerifyPassword(%s) = %v, %v", h, ok, err)
		}
	}
}

func TestVerifyMalformed(t *testing.T) {
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	tests := []struct{ name, hash string }{
		{"not a hash", "password"},
		{"argon2i", "$argon2i$v=19$m=65536,t=2,p=1$" + salt + "$" + key},
		{"old version", "$argon2id$v=16$m=65536,t=2,p=1$" + salt + "$" + key},
		{"too much memory", "$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key},
		{"too many passes", "$argon2id$v=19$m=65536,t=1000000,p=1$" + salt + "$" + key},
		{"no threads, which would panic", "$argon2id$v=19$m=65536,t=2,p=0$" + salt + "$" + key},
		{"threads beyond a byte", "$argon2id$v=19$m=65536,t=2,p=257$" + salt + "$" + key},
		{"no passes, which would panic", "$argon2id$v=19$m=65536,t=0,p=1$" + salt + "$" + key},
		{"parameter missing", "$argon2id$v=19$m=65536,t=2$" + salt + "$" + key},
		{"parameters in another order", "$argon2id$v=19$t=2,m=65536,p=1$" + salt + "$" + key},
		{"empty key, which anything would match", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$"},
		{"no salt", "$argon2id$v=19$m=65536,t=2,p=1$$" + key},
		{"not base64", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + key[:40] + "!!!"},
		{"key too long", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + strings.Repeat("A", 4000)},
		{"something after", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + key + "$x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if ok, err := VerifyPassword(tt.hash, "password"); ok || !errors.Is(err, errMalformed) {
				t.Errorf("got %v, %v; want errMalformed", ok, err)
			}
		})
	}
}

func TestCheckPassword(t *testing.T) {
	tests := []struct {
		name, password string
		ok             bool
	}{
		{"9 characters", "vkzrtbdnw", false},
		{"10 characters", "vkzrtbdnwc", true},
		{"9 characters of 27 bytes", "山川草木雨雪風花月", false},
		{"10 characters of 30 bytes", "山川草木雨雪風花月星", true},
		{"1000 bytes", strings.Repeat("vkzrtbdn w", 99) + "0123456789", true},
		{"1001 bytes", strings.Repeat("vkzrtbdn w", 99) + "01234567890", false},
		{"not UTF-8", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6\xf5", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := CheckPassword(tt.password); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCheckSimple(t *testing.T) {
	for _, bad := range []string{
		"1234567890", "0987654321", "2026-11-21 ", "password123", "Password123!", "P@ssw0rd2026", "passwordpassword", "letmeinplease",
		"qwertyuiop", "poiuytrewq", "1qaz2wsx3edc", "aaaaaaaaaa", "abababababab", "abcabcabcabc", "xyzxyzxyzxyz", "welcome2026", "summer2024!!",
		"iloveyou12345", "annotate2026!", "4711 4711 47", "          ", "mara.weiss1", "MaraWeiss-2026", "mara.weissmara.weiss", "xx weiss kettle",
	} {
		if err := CheckPassword(bad, "mara.weiss", "Mara Weiss"); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{
		"correct horse battery", "gravel lantern oboe", "vkzrtbdnwc", "Tr4mp-Gelee-Umweg", "密码是山川草木雨雪風花", "8301 4471 9520 6673", "o2wN!dP7xq",
		"password of the gravel lantern", "le chat dort sous la pluie",
	} {
		if err := CheckPassword(good, "mara.weiss", "Mara Weiss"); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	if err := CheckPassword("kim likes oboes", "kim", "Kim"); err != nil {
		t.Errorf("a short name in a long password: %v", err)
	}
}

func BenchmarkVerifyPassword(b *testing.B) {
	h, err := HashPassword("correct horse battery")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := VerifyPassword(h, "wrong horse battery"); err != nil {
			b.Fatal(err)
		}
	}
}
