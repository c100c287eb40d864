// Package account has the pages of people and their accounts: signing in, one's own account, and for admins the
// users and the log of the site.
package account
