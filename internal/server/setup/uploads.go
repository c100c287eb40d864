package setup

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// keeping says how uploads wait for the lead to go on with them.
var keeping = site.Keeping{Kind: "upload", Lasts: time.Hour, Most: 20, Bytes: 2 << 30}

// keptUploads are uploads that were not imported: tables whose columns a lead has not yet assigned,
// files that were only checked, and files that were refused. A lead can import them with other
// choices without sending the files again, at any server that shares the folder.
type keptUploads struct{ folder *site.Folder }

// uploadFiles are the files of an upload.
type uploadFiles struct {
	id     string // under which they are or were kept; empty if they never were
	files  []site.Upload
	forget func()          // deletes the files
	kept   []site.KeptFile // the files, if they are in the work folder
}

// An uploadedImport is what a visitor sent.
type uploadedImport struct {
	uploadFiles
	campaign campaign.Campaign
	form     setup.ImportForm
	byID     string
	table    ingest.TableOptions // of the format table

	recognised bool // the files showed the format
	program    bool // a program sent it, which sends it again if it was only checked, or refused
}

// An uploadSays is what is kept of an upload beside its files.
type uploadSays struct {
	Form       setup.ImportForm
	Table      ingest.TableOptions
	Recognised bool
}

// sentFiles are the files of a form, which the caller takes from its request.
func sentFiles(form *multipart.Form) uploadFiles {
	return uploadFiles{files: site.Uploads(form), forget: func() { _ = form.RemoveAll() }}
}

func (u uploadFiles) names() string {
	names := make([]string, len(u.files))
	for i, file := range u.files {
		names[i] = file.Name
	}
	return strings.Join(names, ", ")
}

func (u uploadFiles) bytes() (n int64) {
	for _, file := range u.files {
		n += file.Size
	}
	return n
}

func uploadKey(id string, of campaign.Campaign, userID string) string {
	return of.ID + "/" + userID + "/" + id
}

// keep keeps an upload, and returns its id. An upload that was kept before keeps its id, so that the
// addresses of its pages stay good. After an error the files are deleted.
func (k keptUploads) keep(u uploadedImport) (id string, err error) {
	if u.kept == nil {
		defer u.forget()
		u.id = rand.Text()
		for _, file := range u.files {
			copied, err := k.copied(file)
			if err != nil {
				k.folder.Delete(u.kept...)
				return "", err
			}
			u.kept = append(u.kept, copied)
		}
	}
	if err := k.folder.Keep(keeping, uploadKey(u.id, u.campaign, u.byID), uploadSays{u.form, u.table, u.recognised}, u.kept); err != nil {
		k.folder.Delete(u.kept...)
		return "", err
	}
	return u.id, nil
}

// copied copies a file into the folder.
func (k keptUploads) copied(file site.Upload) (site.KeptFile, error) {
	from, err := file.Open()
	if err != nil {
		return site.KeptFile{}, err
	}
	made, err := k.folder.Write(file.Name, func(to io.Writer) error { _, err := io.Copy(to, from); return err })
	return made, errors.Join(err, from.Close())
}

// find returns an upload of a user to a campaign.
func (k keptUploads) find(id string, of campaign.Campaign, userID string) (uploadedImport, bool) {
	kept, ok := k.folder.Find(keeping, uploadKey(id, of, userID))
	return k.upload(id, of, userID, kept, ok)
}

// take returns an upload as find does, to one caller only, who deletes its files.
func (k keptUploads) take(id string, of campaign.Campaign, userID string) (uploadedImport, bool) {
	kept, ok := k.folder.Take(keeping, uploadKey(id, of, userID))
	return k.upload(id, of, userID, kept, ok)
}

func (k keptUploads) upload(id string, of campaign.Campaign, userID string, kept site.Kept, ok bool) (uploadedImport, bool) {
	var say uploadSays
	if !ok || json.Unmarshal(kept.About, &say) != nil {
		return uploadedImport{}, false
	}
	u := uploadedImport{campaign: of, form: say.Form, byID: userID, table: say.Table, recognised: say.Recognised}
	u.id, u.kept, u.forget = id, kept.Files, func() { k.folder.Delete(kept.Files...) }
	for _, file := range kept.Files {
		u.files = append(u.files, site.Upload{Name: file.Name, Size: file.Size, Open: func() (multipart.File, error) { return k.folder.Open(file) }})
	}
	return u, true
}

// drop deletes an upload of a user to a campaign, if it is kept.
func (k keptUploads) drop(id string, of campaign.Campaign, userID string) {
	if u, ok := k.take(id, of, userID); ok {
		u.forget()
	}
}
