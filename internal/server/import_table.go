package server

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/ingest/table"
	"annotate/internal/sheet"
	"annotate/web/templates"
)

const (
	// tableKept is how long an uploaded table waits for the lead to say what its columns are.
	tableKept = time.Hour
	// tablesKept is how many of them wait at most. If there are more, the oldest is deleted.
	tablesKept = 20
)

// keptTables are uploaded tables whose columns a lead has not yet assigned.
type keptTables struct {
	now func() time.Time

	mu   sync.Mutex
	kept map[string]keptTable
}

type keptTable struct {
	uploadedImport
	at time.Time
}

func newKeptTables(now func() time.Time) *keptTables {
	return &keptTables{now: now, kept: map[string]keptTable{}}
}

// keep keeps an upload, and returns its id.
func (k *keptTables) keep(u uploadedImport) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	oldest := ""
	for id, t := range k.kept {
		if k.now().Sub(t.at) >= tableKept {
			k.remove(id)
		} else if oldest == "" || t.at.Before(k.kept[oldest].at) {
			oldest = id
		}
	}
	if len(k.kept) >= tablesKept {
		k.remove(oldest)
	}
	id := rand.Text()
	k.kept[id] = keptTable{u, k.now()}
	return id
}

// remove deletes an upload. The caller holds the lock.
func (k *keptTables) remove(id string) {
	_ = k.kept[id].upload.RemoveAll()
	delete(k.kept, id)
}

// find returns an upload of a user to a campaign.
func (k *keptTables) find(id, campaignID, userID string) (uploadedImport, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, ok := k.kept[id]
	return t.uploadedImport, ok && t.campaign.ID == campaignID && t.byID == userID && k.now().Sub(t.at) < tableKept
}

// take returns an upload as find does, and forgets it. The caller deletes its files.
func (k *keptTables) take(id, campaignID, userID string) (uploadedImport, bool) {
	u, ok := k.find(id, campaignID, userID)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.kept[id]; !there || !ok {
		return u, false
	}
	delete(k.kept, id)
	return u, true
}

// stop deletes all uploads.
func (k *keptTables) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id := range k.kept {
		k.remove(id)
	}
}

func importTablePath(of campaign.Campaign, upload string) string {
	return "/campaigns/" + of.Slug + "/import/tables/" + upload
}

// lookAtTable finds the columns of the first file of an upload. problems is nil if the table can
// be imported as the options say.
func (s *Server) lookAtTable(c echo.Context, u uploadedImport) (look *table.Look, problems *campaign.Problems, err error) {
	files, done, err := open(u.upload.File["file"])
	if err != nil {
		return nil, nil, err
	}
	defer done()
	header := u.upload.File["file"][0]
	file, ok := files[0].Reader.(interface {
		ReadAt(p []byte, off int64) (int, error)
	})
	if !ok {
		return nil, nil, errors.New("an upload cannot be read from the middle")
	}
	problems = &campaign.Problems{Summary: "say below what the columns are, or correct the file and import it again"}
	look, err = table.LookAt(file, header.Size, header.Filename, u.table)
	if wrong, ok := errors.AsType[*campaign.Problem](err); ok {
		problems.Add(wrong)
		return look, problems, nil
	}
	if err != nil {
		return nil, nil, err
	}
	systems, err := s.store.Systems(c.Request().Context(), u.campaign.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range look.Problems(systems) {
		problems.Add(p)
	}
	if problems.Count() == 0 {
		problems = nil
	}
	return look, problems, nil
}

// showTable asks what the columns of an uploaded table are. ?sheet and ?header choose the sheet
// and the row with the names.
func (s *Server) showTable(c echo.Context) error {
	u, ok := s.tables.find(c.Param("upload"), here(c).campaign.ID, me(c).ID)
	if !ok {
		return s.tableGone(c)
	}
	u.table.Sheet = c.QueryParam("sheet")
	u.table.Header, _ = strconv.Atoi(c.QueryParam("header"))
	look, problems, err := s.lookAtTable(c, u)
	if err != nil {
		return err
	}
	return s.renderTable(c, http.StatusOK, u, look, problems)
}

// tableGone says that an uploaded table is no longer kept.
func (s *Server) tableGone(c echo.Context) error {
	return s.renderImport(c, http.StatusNotFound, templates.ImportView{Errors: map[string]string{"": "This table was imported already, or has waited for too long. Choose the file again."}})
}

func (s *Server) renderTable(c echo.Context, status int, u uploadedImport, look *table.Look, problems *campaign.Problems) error {
	v := templates.ImportTableView{Page: s.pageAt(c, "Columns of a table", "import"), Files: u.names(), Action: importTablePath(u.campaign, c.Param("upload")), Problems: problems, Check: u.form.Check}
	if look != nil {
		v.Header, v.Chosen = look.Header, u.table.Sheet
		for i, sh := range look.Sheets {
			if sh.Name != "" {
				v.Sheets = append(v.Sheets, sh.Name)
			}
			if i == look.Sheet {
				v.Chosen = sh.Name
			}
		}
		for _, col := range look.Columns {
			v.Columns = append(v.Columns, templates.TableColumn{Index: col.Index, Letter: sheet.Letters(col.Index), Name: col.Name, Role: string(col.Role), Samples: col.Samples})
		}
	}
	for _, role := range table.Roles {
		v.Roles = append(v.Roles, string(role))
	}
	return s.render(c, status, templates.ImportTable(v))
}

// importTable imports an uploaded table with the roles that its columns were given.
func (s *Server) importTable(c echo.Context) error {
	u, ok := s.tables.find(c.Param("upload"), here(c).campaign.ID, me(c).ID)
	if !ok {
		return s.tableGone(c)
	}
	u.table = table.Options{Sheet: c.FormValue("sheet"), Columns: map[int]table.Role{}}
	u.table.Header, _ = strconv.Atoi(c.FormValue("header"))
	u.form.Check = c.FormValue("check") != ""
	look, problems, err := s.lookAtTable(c, u)
	if err != nil {
		return err
	}
	if look != nil {
		for _, col := range look.Columns {
			if role := c.FormValue("role." + strconv.Itoa(col.Index)); role != "" {
				u.table.Columns[col.Index] = table.Role(role)
			}
		}
		if look, problems, err = s.lookAtTable(c, u); err != nil {
			return err
		}
	}
	if problems != nil {
		return s.renderTable(c, http.StatusUnprocessableEntity, u, look, problems)
	}
	taken, ok := s.tables.take(c.Param("upload"), here(c).campaign.ID, me(c).ID)
	if !ok { // another request has just imported it
		return s.tableGone(c)
	}
	taken.table, taken.form = u.table, u.form
	return s.startImport(c, taken)
}
