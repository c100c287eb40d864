package setup

import (
	"crypto/rand"
	"sync"
	"time"
)

const (
	// uploadKept is how long an upload waits for the lead to go on with it.
	uploadKept = time.Hour
	// uploadsKept is how many of them wait at most, and uploadBytesKept how many bytes their
	// files have at most. If there are more, the oldest is deleted.
	uploadsKept     = 20
	uploadBytesKept = 2 << 30
)

// keptUploads are uploads that were not imported: tables whose columns a lead has not yet assigned,
// files that were only checked, and files that were refused. A lead can import them with other
// choices without sending the files again.
type keptUploads struct {
	now func() time.Time

	mu   sync.Mutex
	kept map[string]keptUpload
}

type keptUpload struct {
	uploadedImport
	at time.Time
}

func newKeptUploads(now func() time.Time) *keptUploads {
	return &keptUploads{now: now, kept: map[string]keptUpload{}}
}

// keep keeps an upload, and returns its id. An upload that was kept before keeps its id, so that the
// addresses of its pages stay good.
func (k *keptUploads) keep(u uploadedImport) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, t := range k.kept {
		if k.now().Sub(t.at) >= uploadKept {
			k.remove(id)
		}
	}
	for len(k.kept) >= uploadsKept || len(k.kept) > 0 && k.bytes()+u.bytes() > uploadBytesKept {
		k.remove(k.oldest())
	}
	if u.id == "" {
		u.id = rand.Text()
	}
	k.kept[u.id] = keptUpload{u, k.now()}
	return u.id
}

// bytes returns the size of all files. The caller holds the lock.
func (k *keptUploads) bytes() (n int64) {
	for _, t := range k.kept {
		n += t.bytes()
	}
	return n
}

// oldest returns the id of the upload that was kept first. The caller holds the lock.
func (k *keptUploads) oldest() string {
	oldest := ""
	for id, t := range k.kept {
		if oldest == "" || t.at.Before(k.kept[oldest].at) {
			oldest = id
		}
	}
	return oldest
}

// remove deletes an upload. The caller holds the lock.
func (k *keptUploads) remove(id string) {
	_ = k.kept[id].upload.RemoveAll()
	delete(k.kept, id)
}

// find returns an upload of a user to a campaign.
func (k *keptUploads) find(id, campaignID, userID string) (uploadedImport, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, ok := k.kept[id]
	return t.uploadedImport, ok && t.campaign.ID == campaignID && t.byID == userID && k.now().Sub(t.at) < uploadKept
}

// take returns an upload as find does, and forgets it. The caller deletes its files.
func (k *keptUploads) take(id, campaignID, userID string) (uploadedImport, bool) {
	u, ok := k.find(id, campaignID, userID)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.kept[id]; !there || !ok {
		return u, false
	}
	delete(k.kept, id)
	return u, true
}

// drop deletes an upload of a user to a campaign, if it is kept.
func (k *keptUploads) drop(id, campaignID, userID string) {
	if u, ok := k.take(id, campaignID, userID); ok {
		_ = u.upload.RemoveAll()
	}
}

// stop deletes all uploads.
func (k *keptUploads) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id := range k.kept {
		k.remove(id)
	}
}
