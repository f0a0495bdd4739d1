// Schema of the library, one migration per version; `user_version` is the number of migrations a file has. Never change
// a released migration.

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
  `
  CREATE TABLE items (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    duration_sec REAL NOT NULL,
    size_bytes INTEGER NOT NULL,
    state TEXT NOT NULL,
    progress REAL NOT NULL,
    left_sec REAL,
    error TEXT,
    is_partial INTEGER NOT NULL,
    language TEXT NOT NULL,
    channels TEXT NOT NULL,
    tags TEXT NOT NULL,
    has_media INTEGER NOT NULL,
    deleted_at_ms INTEGER
  ) STRICT;
  CREATE INDEX items_by_time ON items (created_at_ms);

  CREATE TABLE documents (
    item_id TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    duration_sec REAL NOT NULL,
    language TEXT NOT NULL,
    options TEXT NOT NULL,
    failed TEXT NOT NULL
  ) STRICT;

  -- A row each, so that an edit writes what it changes. "more" is the rest of the segment as JSON.
  CREATE TABLE segments (
    place INTEGER PRIMARY KEY,
    item_id TEXT NOT NULL REFERENCES documents (item_id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    start_sec REAL NOT NULL,
    end_sec REAL NOT NULL,
    text TEXT NOT NULL,
    more TEXT NOT NULL,
    UNIQUE (item_id, id)
  ) STRICT;

  CREATE TABLE narrations (
    item_id TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    -- The revision whose words are in item_words.
    indexed INTEGER,
    options TEXT NOT NULL,
    script TEXT NOT NULL
  ) STRICT;

  CREATE TABLE takes (
    id TEXT PRIMARY KEY,
    item_id TEXT NOT NULL REFERENCES narrations (item_id) ON DELETE CASCADE,
    -- What it says and how: the same for the same sentence of any narration.
    content TEXT NOT NULL,
    sentence_id TEXT NOT NULL,
    duration_sec REAL NOT NULL,
    made_at_ms INTEGER NOT NULL,
    model TEXT NOT NULL,
    channel TEXT NOT NULL
  ) STRICT;
  CREATE INDEX takes_by_item ON takes (item_id, made_at_ms);
  CREATE INDEX takes_by_content ON takes (content, made_at_ms);

  CREATE TABLE sentences (
    item_id TEXT NOT NULL REFERENCES narrations (item_id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    chosen_take TEXT,
    missed TEXT,
    PRIMARY KEY (item_id, id)
  ) STRICT, WITHOUT ROWID;

  -- Row ids are the places in segments and in items. library/search/indexed-text.ts says what the texts hold.
  CREATE VIRTUAL TABLE segment_words USING fts5 (text, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE item_words USING fts5 (
    title, script, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TRIGGER segment_words_gone AFTER DELETE ON segments BEGIN
    DELETE FROM segment_words WHERE rowid = old.place;
  END;
  CREATE TRIGGER item_words_gone AFTER DELETE ON items BEGIN DELETE FROM item_words WHERE rowid = old.place; END;
  `,
  `
  CREATE TABLE pronunciations (place INTEGER PRIMARY KEY, word TEXT NOT NULL, says TEXT NOT NULL) STRICT;

  -- Sentences still to be generated, regenerated or checked: resumed after a restart.
  CREATE TABLE narration_work (
    item_id TEXT NOT NULL REFERENCES narrations (item_id) ON DELETE CASCADE,
    sentence_id TEXT NOT NULL,
    task TEXT NOT NULL,
    PRIMARY KEY (item_id, sentence_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What is said before and after a segment.
  CREATE INDEX segments_by_time ON segments (item_id, start_sec, id);
  `,
  `
  -- Sums of usage records that were removed for their age. "at_ms" is noon of the local day, so that a change of the
  -- time zone leaves the day as it was.
  CREATE TABLE usage_days (
    at_ms INTEGER NOT NULL,
    key TEXT NOT NULL,
    channel TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    audio_sec REAL NOT NULL,
    characters INTEGER NOT NULL,
    received_bytes INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL,
    spent_usd REAL NOT NULL,
    saved_usd REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (at_ms, key, channel, model)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- A script's words in parts: to index a book in one row would hold up everything else for seconds.
  CREATE TABLE script_parts (
    place INTEGER PRIMARY KEY,
    item_id TEXT NOT NULL REFERENCES narrations (item_id) ON DELETE CASCADE,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE INDEX script_parts_by_item ON script_parts (item_id, digest);
  CREATE VIRTUAL TABLE script_words USING fts5 (text, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2');
  CREATE TRIGGER script_words_gone AFTER DELETE ON script_parts BEGIN
    DELETE FROM script_words WHERE rowid = old.place;
  END;
  UPDATE item_words SET script = '' WHERE rowid IN (
    SELECT items.place FROM narrations JOIN items ON items.id = item_id WHERE indexed IS NOT NULL
  );
  UPDATE narrations SET indexed = NULL;
  `,
  `
  -- Id and parameters of the message in "error", as JSON, by which a window translates it.
  ALTER TABLE items ADD COLUMN error_reference TEXT;
  `,
  `
  -- What left the machine: sums by local day. "name" is the channel's, empty for other purposes.
  CREATE TABLE departures (
    day TEXT NOT NULL,
    host TEXT NOT NULL,
    purpose TEXT NOT NULL,
    name TEXT NOT NULL,
    requests INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL,
    received_bytes INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL,
    PRIMARY KEY (day, host, purpose, name)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Voices that a person asked to remember. A print fits into a page, next to its row: see library/people.ts.
  CREATE TABLE people (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE voice_prints (
    place INTEGER PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    -- No reference: the print outlives the recording.
    item_id TEXT NOT NULL,
    title TEXT NOT NULL,
    learnt_at_ms INTEGER NOT NULL,
    speech_sec REAL NOT NULL,
    print BLOB NOT NULL,
    UNIQUE (person_id, item_id)
  ) STRICT;

  -- Speakers named by their voice: name and how sure that is, as JSON.
  ALTER TABLE documents ADD COLUMN recognized TEXT NOT NULL DEFAULT '{}';
  `,
  `
  -- Ids of people whose deletion has begun: it ends once no copy of the library has them any more.
  CREATE TABLE forgotten_people (
    person_id TEXT PRIMARY KEY
  ) STRICT;
  `,
  `
  -- The list is the vocabulary of recognition, too: "says" is empty for entries without a pronunciation, "heard" is what
  -- is always replaced by the word.
  ALTER TABLE pronunciations ADD COLUMN heard TEXT NOT NULL DEFAULT '';
  `,
  `
  -- What somebody marked at times of the recording, as JSON.
  ALTER TABLE documents ADD COLUMN notes TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- The voice that took over for the chosen one, if any did.
  ALTER TABLE takes ADD COLUMN spoken_by TEXT;
  `,
];
