// The schema of the library, one step a version: `user_version` tells how many of them a file has seen. A step that
// was shipped is never changed.

export const migrations: readonly string[] = [
  `
  -- Keys that were revoked stay, so that their usage keeps its name.
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE,
    digest BLOB NOT NULL,
    hint TEXT NOT NULL,
    scopes TEXT NOT NULL,
    monthly_budget_usd REAL,
    budget_counts_local INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX live_api_key_names ON api_keys (name) WHERE revoked_at_ms IS NULL;

  CREATE TABLE channels (id TEXT PRIMARY KEY, config TEXT NOT NULL, place INTEGER NOT NULL) STRICT;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  -- No constraints: a record that is odd in some way must not hold up those after it.
  CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER,
    key TEXT,
    endpoint TEXT,
    model TEXT,
    channel TEXT,
    audio_sec REAL,
    characters INTEGER,
    status INTEGER,
    duration_ms REAL,
    received_bytes INTEGER,
    sent_bytes INTEGER,
    spent_usd REAL,
    saved_usd REAL
  );
  CREATE INDEX usage_by_time ON usage (at_ms);
  CREATE INDEX usage_by_key ON usage (key, at_ms, spent_usd, saved_usd);
  `,
];
