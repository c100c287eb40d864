package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/readmodel"
)

func (a *app) tokenCommand() *cobra.Command {
	return a.Group(&cobra.Command{
		Use:   "token",
		Short: "Manage the access tokens of programs",
		Long: `Manage the personal access tokens with which programs use the interface /api/v1 of a
server in the name of a person. People also make them on their account page. A token
never allows more than its owner may do at that moment.`,
	}, a.tokenAddCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
}

func (a *app) tokenAddCommand() *cobra.Command {
	var n accounts.NewToken
	var access string
	cmd := &cobra.Command{
		Use:   "add LOGIN --name NAME",
		Short: "Make a token for an account",
		Long: `Make a personal access token for an account and print it. Only its hash is stored, so
this is the only time that it can be read.`,
		Example: `  annotate token add mara --name "nightly export" --campaign gold-zh-en
  annotate token add root --name deploy --access write --days 30`,
		Args: command.Takes("LOGIN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch access {
			case "read":
			case "write":
				n.Writes = true
			default:
				return command.Usage("--access takes read or write, not %q", access)
			}
			n.Everywhere = len(n.Campaigns) == 0
			return a.onUser(func(r command.Run, u accounts.User) error {
				token, err := r.Accounts.AddToken(r.Ctx, u.ID, n)
				if err != nil {
					return err
				}
				return a.Println(token)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&n.Name, "name", "", "`NAME` of the token, such as the program that uses it")
	cmd.Flags().StringVar(&access, "access", "read", "`ACCESS`: read, or write to change things too")
	cmd.Flags().
		StringArrayVar(&n.Campaigns, "campaign", nil, "`SLUG` of a campaign that the token is good for; may be repeated (default all campaigns of the person)")
	cmd.Flags().IntVar(&n.Days, "days", 90, fmt.Sprintf("`DAYS` until the token expires, at most %d", accounts.MaxTokenDays))
	return cmd
}

func (a *app) tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list [LOGIN]",
		Short:   "List tokens",
		Long:    "List the tokens of an account, or of all accounts, the latest first.",
		Example: "  annotate token list mara",
		Args:    command.Takes("[LOGIN]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.InStore(func(r command.Run) error { return a.listTokens(r, "") })(cmd, args)
			}
			return a.onUser(func(r command.Run, u accounts.User) error { return a.listTokens(r, u.ID) })(cmd, args)
		},
	}
}

func (a *app) listTokens(r command.Run, userID string) error {
	tokens, err := r.Accounts.Tokens(r.Ctx, userID)
	if err != nil {
		return err
	}
	return a.Table(func(row func(...any)) {
		row("ID", "OWNER", "NAME", "ACCESS", "CAMPAIGNS", "MADE", "EXPIRES", "LAST USED")
		for _, t := range tokens {
			access, where := "read", strings.Join(t.Campaigns, ", ")
			if t.Writes {
				access = "write"
			}
			if t.Everywhere {
				where = "all"
			}
			row(t.ID, t.Login, t.Name, access, command.Dash(where), command.Day(t.CreatedAt), command.Day(t.ExpiresAt), command.Minute(t.LastUsedAt))
		}
	})
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke LOGIN TOKEN",
		Short:   "Revoke a token",
		Long:    "Revoke a token of an account by the id or the name that annotate token list shows. From then on the server refuses programs that use it.",
		Example: `  annotate token revoke mara "nightly export"`,
		Args:    command.Takes("LOGIN", "TOKEN"),
		RunE: a.onUser(func(r command.Run, u accounts.User) error {
			tokens, err := r.Accounts.Tokens(r.Ctx, u.ID)
			if err != nil {
				return err
			}
			tokens = slices.DeleteFunc(tokens, func(t readmodel.Token) bool { return t.ID != r.Args[1] && t.Name != r.Args[1] })
			switch {
			case len(tokens) == 0:
				return command.Usage("%s has no token %q; annotate token list %s lists them", u.Login, r.Args[1], u.Login)
			case len(tokens) > 1:
				return command.Usage("%s has %d tokens %q; name one by its id, which annotate token list %s shows", u.Login, len(tokens),
					r.Args[1], u.Login)
			}
			err = r.Accounts.RevokeToken(r.Ctx, u.ID, tokens[0].ID)
			if errors.Is(err, campaign.ErrNotFound) {
				return command.Usage("the token %q was revoked meanwhile", tokens[0].Name)
			}
			if err != nil {
				return err
			}
			return a.Println("revoked the token", tokens[0].Name, "of", u.Login)
		}),
	}
}
