package site

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
)

// CSVType is the content type of CSV files.
const CSVType = "text/csv; charset=utf-8"

// Attach sets the headers of a download: its content type and the name of the file.
func Attach(c *echo.Context, contentType, name string) {
	c.Response().Header().Set(echo.HeaderContentType, contentType)
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
}

// Leaving is the campaign of the address as it leaves: under pseudonyms or not, as the
// query "pseudonyms" says, else as the settings do. Only a lead may ask for logins
// where the settings say that people leave under pseudonyms.
func Leaving(c *echo.Context) (Membership, error) {
	m := Here(c)
	switch chosen := c.QueryParam("pseudonyms"); chosen {
	case "":
	case "yes":
		m.Campaign.Settings.Pseudonyms = true
	case "no":
		if m.Campaign.Settings.Pseudonyms && m.Role != campaign.Lead {
			return m, campaign.ErrForbidden
		}
		m.Campaign.Settings.Pseudonyms = false
	default:
		return m, campaign.Invalid("pseudonyms", "use yes or no")
	}
	return m, nil
}

// SendFile sends a file of the disk as a download, with its length, by which a
// browser notices one that is incomplete.
func (s *Site) SendFile(c *echo.Context, f *os.File, contentType, name string) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	Attach(c, contentType, name)
	c.Response().Header().Set(echo.HeaderContentLength, fmt.Sprint(size))
	c.Response().WriteHeader(http.StatusOK)
	if _, err := io.Copy(c.Response(), f); err != nil {
		s.Config.Logger.Debug("download broken off", "name", name, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
