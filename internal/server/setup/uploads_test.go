package setup

import (
	"mime/multipart"
	"testing"
	"time"
)

// TestKeptUploads: uploads that nobody imports are deleted, the oldest first.
func TestKeptUploads(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	k := newKeptUploads(func() time.Time { return now })
	var ids []string
	for range uploadsKept + 1 {
		ids = append(ids, k.keep(uploadedImport{byID: "u", upload: emptyUpload()}))
		now = now.Add(time.Second)
	}
	if _, ok := k.find(ids[0], "", "u"); ok || len(k.kept) != uploadsKept {
		t.Errorf("%d are kept", len(k.kept))
	}
	if _, ok := k.find(ids[1], "", "another"); ok {
		t.Error("another user finds it")
	}
	if _, ok := k.find(ids[1], "", "u"); !ok {
		t.Error("it is not found")
	}
	now = now.Add(uploadKept)
	if _, ok := k.take(ids[1], "", "u"); ok {
		t.Error("it is found after an hour")
	}
	k.keep(uploadedImport{byID: "u", upload: emptyUpload()})
	if len(k.kept) != 1 {
		t.Errorf("%d are kept after an hour", len(k.kept))
	}
}

// TestKeptUploadsOfBytes: uploads of large files make room for each other.
func TestKeptUploadsOfBytes(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	k := newKeptUploads(func() time.Time { return now })
	large := func() string {
		now = now.Add(time.Second)
		return k.keep(uploadedImport{byID: "u", upload: &multipart.Form{File: map[string][]*multipart.FileHeader{"file": {{Size: uploadBytesKept/2 + 1}}}}})
	}
	first, second := large(), large()
	if _, ok := k.find(first, "", "u"); ok {
		t.Error("both large uploads are kept")
	}
	if _, ok := k.find(second, "", "u"); !ok {
		t.Error("the later one is not kept")
	}
}

// emptyUpload is an upload without files.
func emptyUpload() *multipart.Form { return &multipart.Form{} }
