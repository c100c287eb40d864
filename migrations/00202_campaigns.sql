-- +goose Up

-- Campaigns: what is annotated by which rules, who takes part, and what was changed.

CREATE TABLE campaigns (
    id               TEXT PRIMARY KEY,
    slug             TEXT NOT NULL UNIQUE, -- names the campaign in addresses and commands
    title            TEXT NOT NULL,
    protocol         TEXT NOT NULL, -- id of a protocol
    definition       TEXT NOT NULL DEFAULT '', -- text of a protocol of the campaign's own; empty: it comes with the program
    own_terms        TEXT NOT NULL DEFAULT '{}', -- JSON: severities and categories that came with imported ratings (protocol.Own)
    guide            TEXT NOT NULL DEFAULT '', -- what a lead wrote for annotators, in Markdown; empty: the protocol's guide is shown
    source_lang      TEXT NOT NULL DEFAULT '', -- empty: not known
    target_lang      TEXT NOT NULL DEFAULT '',
    state            TEXT NOT NULL CHECK (state IN ('open', 'paused', 'closed')),
    archived         BOOLEAN NOT NULL DEFAULT FALSE, -- closed and read-only; lists leave it out
    deleted          BOOLEAN NOT NULL DEFAULT FALSE, -- nobody sees it any more, and its rows are deleted in steps
    settings         TEXT NOT NULL, -- JSON object of texts by key (campaign.SettingList); a missing key has its default
    settings_version INTEGER NOT NULL DEFAULT 1, -- rises by 1 with each change of the campaign
    imports          INTEGER NOT NULL DEFAULT 0, -- how many imports it has had; tells that a kept report is out of date
    -- A side campaign holds segments of a campaign that are not work: its training set or its checks. All else
    -- is that of the campaign.
    part_of          TEXT NOT NULL DEFAULT '', -- id of the campaign; empty: this is no side campaign
    side             TEXT NOT NULL DEFAULT '', -- training or checks; empty: this is no side campaign
    created_at       BIGINT NOT NULL
);
CREATE UNIQUE INDEX side_campaigns ON campaigns (part_of, side) WHERE part_of <> '';

-- Who takes part. A person has one role in a campaign, so that nobody both rates and sees the ratings of
-- others. A removed member keeps the row, and with it the ratings their author.
CREATE TABLE memberships (
    campaign_id  TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users (id),
    role         TEXT NOT NULL DEFAULT 'annotator' CHECK (role IN ('lead', 'annotator', 'researcher', 'adjudicator')),
    adjudicates  BOOLEAN NOT NULL DEFAULT FALSE, -- an annotator who is an adjudicator, too
    removed      BOOLEAN NOT NULL DEFAULT FALSE,
    set_aside    BOOLEAN NOT NULL DEFAULT FALSE, -- a lead has set the annotator's work aside
    set_aside_at BIGINT NOT NULL DEFAULT 0, -- 0: it is not set aside
    guide_closed BOOLEAN NOT NULL DEFAULT FALSE, -- the annotator has closed the guide that opens at their first visit
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

-- Invitations of people who had an account, and who have not accepted yet.
CREATE TABLE invitations (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    role        TEXT NOT NULL,
    adjudicates BOOLEAN NOT NULL DEFAULT FALSE, -- an annotator who is to be an adjudicator, too
    by_id       TEXT NOT NULL REFERENCES users (id),
    at          BIGINT NOT NULL,
    token_hash  TEXT NOT NULL DEFAULT '', -- hash of the token of the join link; empty: there is no link
    expires_at  BIGINT NOT NULL DEFAULT 0, -- when the link ends
    PRIMARY KEY (campaign_id, user_id)
);
CREATE INDEX invitations_user ON invitations (user_id);
CREATE INDEX invitations_token ON invitations (token_hash);

-- Who can have the join link of an invitation, besides the invited person.
CREATE TABLE invitation_holders (
    campaign_id TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    holder_id   TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (campaign_id, user_id, holder_id),
    FOREIGN KEY (campaign_id, user_id) REFERENCES invitations (campaign_id, user_id) ON DELETE CASCADE
);

-- What people are called in everything that leaves a campaign under pseudonyms. A pseudonym is given once, in
-- the order in which people joined, and never changes.
CREATE TABLE pseudonyms (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    pseudonym   TEXT NOT NULL, -- such as A01, L01 for a lead, J01 for an adjudicator
    PRIMARY KEY (campaign_id, user_id),
    UNIQUE (campaign_id, pseudonym)
);

-- What each change of a campaign has changed.
CREATE TABLE campaign_changes (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL, -- the settings_version that the change made
    item        TEXT NOT NULL, -- title, source_lang, target_lang, state, or the key of a setting
    was         TEXT NOT NULL,
    became      TEXT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, version, item)
);

-- The changes of settings, for reports and archives. Some are older than campaign_changes.
CREATE TABLE settings_changes (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    setting     TEXT NOT NULL, -- its key
    was         TEXT NOT NULL,
    became      TEXT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    at          BIGINT NOT NULL
);
CREATE INDEX settings_changes_campaign ON settings_changes (campaign_id, at);

-- Work on many segments that is done in steps, from the first step to the last. A program that finds a job goes on
-- with it: settings are followed, and so are people who became active annotators or ceased to be. An act of a lead
-- whose beat stands still is taken back.
CREATE TABLE jobs (
    id          TEXT PRIMARY KEY, -- act: that of the batch; settings: that of the campaign
    kind        TEXT NOT NULL CHECK (kind IN ('act', 'settings', 'member')),
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT REFERENCES users (id) ON DELETE CASCADE, -- settings: who changed them, null: the command line; member: whose segments follow
    position    INTEGER NOT NULL DEFAULT 0, -- that of the last segment that is done
    done        INTEGER NOT NULL DEFAULT 0, -- how many segments are done
    total       INTEGER NOT NULL DEFAULT 0, -- settings: how many there were at the beginning
    beat        BIGINT NOT NULL DEFAULT 0, -- rises with every step
    state       TEXT NOT NULL DEFAULT '{}' -- settings: JSON, what became of the segments so far
);
CREATE INDEX jobs_campaign ON jobs (campaign_id);

-- Who did what in a campaign, and why.
CREATE TABLE audit_log (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT REFERENCES users (id), -- null: the command line
    act         TEXT NOT NULL,
    subject     TEXT NOT NULL DEFAULT '', -- what it was done to, such as the name of a segment
    before      TEXT NOT NULL DEFAULT '', -- the values before, in words
    after       TEXT NOT NULL DEFAULT '', -- the values after, in words
    reason      TEXT NOT NULL DEFAULT '',
    at          BIGINT NOT NULL
);
CREATE INDEX audit_log_campaign ON audit_log (campaign_id, at);
