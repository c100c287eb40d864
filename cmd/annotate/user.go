package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/command"
)

func (a *app) userCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "user",
		Short: "Manage accounts",
		Long: `Manage accounts. A person signs in with a one-time link, or with a password if they
have one. annotate member sets the role of an account in a campaign.`,
	}, a.userAddCommand(), a.userListCommand(), a.userSetCommand(), a.userSignOutCommand(), a.userDisableCommand(),
		a.userEnableCommand(), a.userPasswordCommand(), a.userLinkCommand(), a.userFactorCommand(), a.userSubjectCommand())
}

func (a *app) userAddCommand() *cobra.Command {
	var name, role, mail string
	cmd := &cobra.Command{
		Use:   "add LOGIN",
		Short: "Create an account and a sign-in link for it",
		Long: `Create an account, and print a link that signs the person in once, within two
weeks. An admin may do everything in every campaign. A member may do what their role in
a campaign allows.`,
		Example: `  annotate user add mara --name "Mara Weiss"
  annotate user add root --role admin`,
		Args: command.Takes("LOGIN"),
		RunE: a.InStore(func(r command.Run) error {
			if err := checkSiteRole(role, "annotate user add "+r.Args[0]+", and then ", r.Args[0]); err != nil {
				return err
			}
			if mail != "" {
				if err := accounts.CheckMail("mail", mail); err != nil {
					return err
				}
			}
			u, err := r.Accounts.AddUser(r.Ctx, r.Args[0], name, role)
			if errors.Is(err, campaign.ErrConflict) {
				return fmt.Errorf(
					"the login %q is taken; to change that account, use annotate user set %s with --role or --name: %w", r.Args[0], r.Args[0],
					campaign.ErrConflict,
				)
			}
			if err != nil {
				return err
			}
			if mail != "" {
				if err := r.Accounts.SetMail(r.Ctx, u.ID, mail); err != nil {
					return err
				}
			}
			token, err := r.Accounts.NewLink(r.Ctx, u.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "created account %s (%s), %s\n", u.Login, u.Name, u.Role)
			fmt.Fprintf(a.Stdout, "sign-in link, works once until %s:\n", command.Minute(time.Now().Add(accounts.LinkLifetime)))
			return a.printLink(r.Config, token)
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that people read (default the login)")
	cmd.Flags().StringVar(&role, "role", accounts.Member, "`ROLE`: admin or member")
	cmd.Flags().StringVar(&mail, "mail", "", "e-mail `ADDRESS`, to which a mail server of the configuration sends (default the login, if it is one)")
	return cmd
}

// checkSiteRole refuses a role in a campaign, and says how to give it. first is the command to run
// before that.
func checkSiteRole(role, first, login string) error {
	if !slices.Contains([]campaign.Role{campaign.Lead, campaign.Annotator, campaign.Researcher, campaign.Adjudicator}, campaign.Role(role)) {
		return nil
	}
	return command.Usage(
		"%s is a role in a campaign, and on the site an account is an admin or a member; run %sannotate member add CAMPAIGN %s --role %s (an admin creates the first campaign with annotate campaign create)",
		role, first, login, role,
	)
}

// linkPath is the path of a sign-in link, before the token.
const linkPath = "/sign-in/link/"

// printLink prints a sign-in link alone on its line.
func (a *app) printLink(c command.Config, token string) error {
	host, _, _ := net.SplitHostPort(c.Server.Addr)
	if ip, err := netip.ParseAddr(host); c.Server.BaseURL == "" && (host == "" || err == nil && ip.IsUnspecified()) {
		fmt.Fprintln(a.Stderr, "annotate: the link works only on this machine; set base_url in [server] to the address that people use")
	} else if c.Server.BaseURL == "" {
		// This command does not know the --addr of a running server.
		fmt.Fprintf(a.Stderr, "annotate: the link assumes that the server listens on %s; if it does not, set base_url in [server] or ANNOTATE_SERVER_BASE_URL\n", c.Server.Addr)
	}
	return a.Println(cmp.Or(c.Server.BaseURL, origin(c.Server.Addr)) + linkPath + token)
}

// origin returns the URL of a server that listens on addr.
func origin(addr string) string {
	if strings.HasPrefix(addr, ":") {
		addr = "localhost" + addr
	}
	return "http://" + addr
}

func (a *app) userListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List all accounts",
		Long:    "List all accounts by login, with the role on the site and how they sign in.",
		Example: "  annotate user list",
		Args:    command.Takes(),
		RunE: a.InStore(func(r command.Run) error {
			users, err := r.Accounts.Users(r.Ctx)
			if err != nil {
				return err
			}
			return a.Table(func(row func(...any)) {
				row("LOGIN", "NAME", "ROLE", "SIGN-IN", "CREATED", "MAIL")
				for _, u := range users {
					how := "link"
					if u.PasswordHash != "" {
						how = "password"
					}
					if u.Disabled {
						how = "disabled"
					}
					row(u.Login, u.Name, u.Role, how, command.Day(u.CreatedAt), command.Dash(u.Mail))
				}
			})
		}),
	}
}

// onUser runs fn for a command whose argument is the login of an account.
func (a *app) onUser(fn func(r command.Run, u accounts.User) error) func(*cobra.Command, []string) error {
	return a.InStore(func(r command.Run) error {
		u, err := r.Accounts.UserByLogin(r.Ctx, r.Args[0])
		if errors.Is(err, campaign.ErrNotFound) {
			return fmt.Errorf("%w; annotate user list shows all accounts", err)
		}
		if err != nil {
			return err
		}
		return fn(r, u)
	})
}

func (a *app) userSetCommand() *cobra.Command {
	var name, role, mail string
	cmd := &cobra.Command{
		Use:   "set LOGIN",
		Short: "Change the role, name or e-mail address of an account",
		Long: `Change the role of an account on the site, its name, or its e-mail address. A person who becomes an admin
is signed out everywhere and loses their password if a lead may know it; make them a
new sign-in link. To change a role in a campaign, use annotate member add.`,
		Example: `  annotate user set mara --role admin
  annotate user set mara --name "Mara Weiss" --mail mara@example.org`,
		Args: command.Takes("LOGIN"),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("role") && !cmd.Flags().Changed("name") && !cmd.Flags().Changed("mail") {
				return command.Usage("give --role, --name or --mail")
			}
			return nil
		},
		RunE: a.onUser(func(r command.Run, u accounts.User) error {
			if err := checkSiteRole(role, "", u.Login); err != nil {
				return err
			}
			if r.Cmd.Flags().Changed("name") {
				if err := r.Accounts.SetName(r.Ctx, u.ID, name); err != nil {
					return err
				}
			}
			if r.Cmd.Flags().Changed("mail") {
				if err := r.Accounts.SetMail(r.Ctx, u.ID, mail); err != nil {
					return err
				}
			}
			if r.Cmd.Flags().Changed("role") {
				if err := r.Accounts.SetRole(r.Ctx, u.ID, role); err != nil {
					return err
				}
			}
			after, err := r.Accounts.UserByLogin(r.Ctx, u.Login)
			if err != nil {
				return err
			}
			if after.Role == accounts.Admin && u.Role != accounts.Admin {
				fmt.Fprintf(a.Stderr, "annotate: %s was signed out everywhere; make a new sign-in link with: annotate user link %s\n", u.Login, u.Login)
			}
			return a.Printf("%s (%s) is now %s\n", after.Login, after.Name, after.Role)
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that people read")
	cmd.Flags().StringVar(&role, "role", "", "`ROLE`: admin or member")
	cmd.Flags().StringVar(&mail, "mail", "", "e-mail `ADDRESS`; empty: none")
	return cmd
}

// actOnUser makes a command that does something with an account, and prints what it did.
func (a *app) actOnUser(cmd *cobra.Command, done string, act func(r command.Run, id string) error) *cobra.Command {
	cmd.Args = command.Takes("LOGIN")
	cmd.RunE = a.onUser(func(r command.Run, u accounts.User) error {
		if err := act(r, u.ID); err != nil {
			return err
		}
		return a.Println(done, u.Login)
	})
	return cmd
}

func (a *app) userSignOutCommand() *cobra.Command {
	return a.actOnUser(&cobra.Command{
		Use:     "sign-out LOGIN",
		Short:   "End all sessions of an account",
		Long:    "Sign a person out everywhere and invalidate their unused sign-in links. The account stays open and keeps its password.",
		Example: "  annotate user sign-out mara",
	}, "signed out", func(r command.Run, id string) error { return r.Accounts.EndSessions(r.Ctx, id, "") })
}

func (a *app) userDisableCommand() *cobra.Command {
	return a.actOnUser(&cobra.Command{
		Use:     "disable LOGIN",
		Short:   "Close an account",
		Long:    "Close an account and end its sessions and links at once. The person's work stays.",
		Example: "  annotate user disable mara",
	}, "disabled", func(r command.Run, id string) error { return r.Accounts.SetDisabled(r.Ctx, id, true) })
}

func (a *app) userEnableCommand() *cobra.Command {
	return a.actOnUser(&cobra.Command{
		Use:     "enable LOGIN",
		Short:   "Open a closed account again",
		Long:    "Open a closed account again. Old sign-in links stay invalid; annotate user link makes a new one.",
		Example: "  annotate user enable mara",
	}, "enabled", func(r command.Run, id string) error { return r.Accounts.SetDisabled(r.Ctx, id, false) })
}

func (a *app) userPasswordCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "password LOGIN",
		Short: "Set the password of an account",
		Long: `Set the password of an account and end its sessions. On a terminal the command asks
for the password twice. Otherwise it reads the first line of standard input.`,
		Example: `  annotate user password mara
  pass show annotate/mara | annotate user password mara`,
		Args: command.Takes("LOGIN"),
		RunE: a.onUser(func(r command.Run, u accounts.User) error {
			secret, err := a.readPassword()
			if err != nil {
				return err
			}
			if err := accounts.CheckPassword(secret, u.Login, u.Name); err != nil {
				return campaign.Invalid("password", err.Error())
			}
			hash, err := accounts.HashPassword(secret)
			if err != nil {
				return err
			}
			if err := r.Accounts.SetPassword(r.Ctx, u.ID, hash); err != nil {
				return err
			}
			return a.Println("set the password of", u.Login)
		}),
	}
}

// readPassword asks for a password twice on a terminal, without showing it. Otherwise it
// reads the first line of standard input.
func (a *app) readPassword() (string, error) {
	f, ok := a.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(a.Stdin, 2*accounts.MaxPasswordBytes)).ReadString('\n')
		if err != nil && err != io.EOF {
			return "", fmt.Errorf("read password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var answers [2]string
	for i, prompt := range []string{"New password: ", "Once more: "} {
		fmt.Fprint(a.Stderr, prompt)
		line, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.Stderr)
		if err != nil {
			return "", fmt.Errorf("read password: %w", err)
		}
		answers[i] = string(line)
	}
	if answers[0] != answers[1] {
		return "", campaign.Invalid("password", "the two passwords differ; nothing was changed")
	}
	return answers[0], nil
}

func (a *app) userSubjectCommand() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "subject LOGIN [SUBJECT]",
		Short: "Say who a person is at the provider of OpenID Connect",
		Long: `Bind a subject of the provider of OpenID Connect to an account, so that its person signs
in by the provider whatever their e-mail address is. Without a subject, list those of
the account. With --remove take back the subject, or all of the account. Sessions that
are open go on; annotate user sign-out ends them.`,
		Example: `  annotate user subject mara
  annotate user subject mara 8f14e45f-ceea-467a
  annotate user subject mara 8f14e45f-ceea-467a --remove`,
		Args: command.Takes("LOGIN", "[SUBJECT]"),
		RunE: a.onUser(func(r command.Run, u accounts.User) error {
			bound, err := r.Accounts.Subjects(r.Ctx, u.ID)
			if err != nil {
				return err
			}
			switch {
			case remove:
				if len(r.Args) > 1 {
					bound = slices.DeleteFunc(bound, func(x accounts.Subject) bool { return x.Subject != r.Args[1] })
				}
				if len(bound) == 0 {
					return fmt.Errorf(
						"no such subject is bound to %s; annotate user subject %s lists those that are: %w", u.Login, u.Login, campaign.ErrNotFound,
					)
				}
				for _, x := range bound {
					if err := r.Accounts.UnbindSubject(r.Ctx, u.ID, x.Issuer, x.Subject); err != nil {
						return err
					}
					if err := a.Println("took back", x.Subject, "of", u.Login); err != nil {
						return err
					}
				}
				return nil
			case len(r.Args) < 2:
				return a.Table(func(row func(...any)) {
					row("SUBJECT", "PROVIDER", "BOUND")
					for _, x := range bound {
						row(x.Subject, x.Issuer, command.Day(x.BoundAt))
					}
				})
			case r.Config.OIDC.Issuer == "":
				return command.Usage("the configuration names no provider; set issuer and client_id of [oidc]")
			}
			if err := r.Accounts.BindSubject(r.Ctx, u.ID, r.Config.OIDC.Issuer, r.Args[1]); err != nil {
				return err
			}
			return a.Println("bound", r.Args[1], "to", u.Login)
		}),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the subject, or all subjects of the account")
	return cmd
}

func (a *app) userFactorCommand() *cobra.Command {
	return a.actOnUser(&cobra.Command{
		Use:   "reset-second-factor LOGIN",
		Short: "Delete the second factor of somebody who has lost it",
		Long: `Delete the second factor of an account with its recovery codes. Whoever holds the
password or a sign-in link gets in with that alone, until another one is set up.`,
		Example: "  annotate user reset-second-factor mara",
	}, "reset the second factor of", func(r command.Run, id string) error { return r.Accounts.ResetSecondFactor(r.Ctx, id) })
}

func (a *app) userLinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "link LOGIN",
		Short: "Make a new sign-in link for an account",
		Long: `Print a link that signs the person in once, within two weeks. The link begins with
base_url or, if that is not set, with the address in the configuration. The command
does not know the --addr of a running server or demo. The link works only with the
configured database.`,
		Example: `  annotate user link mara
  ANNOTATE_DATABASE_DSN=demo/demo.db ANNOTATE_SERVER_BASE_URL=http://127.0.0.1:9000 annotate user link ada`,
		Args: command.Takes("LOGIN"),
		RunE: a.onUser(func(r command.Run, u accounts.User) error {
			if u.Disabled {
				return fmt.Errorf("the account %q is disabled; open it first with: annotate user enable %s: %w", u.Login, u.Login, campaign.ErrConflict)
			}
			token, err := r.Accounts.NewLink(r.Ctx, u.ID)
			if err != nil {
				return err
			}
			return a.printLink(r.Config, token)
		}),
	}
}
