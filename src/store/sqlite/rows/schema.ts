/** The application id of a SQLite file with a journal ("MNDT"); any other id means that the file belongs to another program. */
export const APPLICATION_ID = 0x4d4e4454

/**
 * Each step migrates the tables from its index to the next version; the file's `user_version` is the number of applied steps. Released steps are
 * never edited, because existing files have applied them.
 *
 * - Keys, ids and summaries are kept as JSON text, because SQLite's text cannot hold every JavaScript string (lone surrogates).
 * - `runs.changed` numbers the changes of the whole file that are not just entries, so that a watcher can query changes since its last poll.
 * - Entries are stored in the order of arrival, so that those of many runs share the pages that a commit writes; `entries.id` numbers them.
 * - `heads` is the only row that changes with every entry: small, and of constant size. The row in `runs` is written only when the summary changes.
 * - In an encrypted file, `sealed` holds salt and data of an entry and the content of a signal, and those columns are empty; the encrypted data keys
 *   are beside them. The triggers stop a process that opened the file before it had keys.
 * - `runs.waiting_at` is the time of the oldest unanswered question of a run, by which inboxes are read page by page. Older files have `waiting` in
 *   `store` until their open runs were refolded once.
 * - A consumed signal keeps its id, so that it is not delivered twice, and loses its content, which is in the entries by then.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    name TEXT NOT NULL,
    session TEXT NOT NULL,
    parent TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    wake_at REAL,
    changed INTEGER NOT NULL,
    appended INTEGER NOT NULL,
    signalled INTEGER NOT NULL,
    summary TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_by_change ON runs (changed);
  CREATE INDEX runs_by_age ON runs (created_at);
  CREATE INDEX runs_by_state ON runs (state, created_at);
  CREATE INDEX runs_by_session ON runs (session, created_at);
  CREATE INDEX runs_by_parent ON runs (parent, created_at) WHERE parent IS NOT NULL;
  CREATE INDEX runs_by_wake ON runs (wake_at) WHERE wake_at IS NOT NULL;

  CREATE TABLE entries (
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    v INTEGER NOT NULL,
    at REAL NOT NULL,
    type TEXT NOT NULL,
    key TEXT,
    data_hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    salt TEXT,
    data TEXT,
    PRIMARY KEY (run, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    run TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    owner TEXT,
    until REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE signals (
    number INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT,
    UNIQUE (run, id)
  ) STRICT;

  CREATE TABLE counts (
    name TEXT NOT NULL,
    at REAL NOT NULL,
    amount REAL NOT NULL,
    PRIMARY KEY (name, at)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE entries RENAME TO entries_by_run;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    v INTEGER NOT NULL,
    at REAL NOT NULL,
    type TEXT NOT NULL,
    key TEXT,
    data_hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    salt TEXT,
    data TEXT,
    UNIQUE (run, seq)
  ) STRICT;
  INSERT INTO entries (run, seq, v, at, type, key, data_hash, prev, hash, salt, data)
    SELECT run, seq, v, at, type, key, data_hash, prev, hash, salt, data FROM entries_by_run ORDER BY run, seq;
  DROP TABLE entries_by_run;

  CREATE TABLE heads (
    number INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at REAL NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE entries ADD COLUMN sealed BLOB;
  ALTER TABLE signals ADD COLUMN sealed BLOB;

  CREATE TABLE data_keys (
    id TEXT PRIMARY KEY,
    host_key TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    created_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TRIGGER entries_stay_sealed BEFORE INSERT ON entries WHEN NEW.data IS NOT NULL AND EXISTS (SELECT 1 FROM data_keys)
  BEGIN SELECT RAISE(ABORT, 'the store is encrypted, and this was not'); END;
  CREATE TRIGGER signals_stay_sealed BEFORE INSERT ON signals WHEN NEW.content IS NOT NULL AND EXISTS (SELECT 1 FROM data_keys)
  BEGIN SELECT RAISE(ABORT, 'the store is encrypted, and this was not'); END;
  `,
  `
  ALTER TABLE runs ADD COLUMN waiting_at REAL;
  CREATE INDEX runs_by_waiting ON runs (waiting_at, run) WHERE waiting_at IS NOT NULL;
  CREATE INDEX runs_by_timer ON runs (wake_at, run) WHERE wake_at IS NOT NULL;
  DROP INDEX runs_by_wake;
  INSERT OR REPLACE INTO store (name, value) VALUES ('waiting', 'unread');
  `,
  `
  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    content BLOB,
    sealed BLOB
  ) STRICT;
  CREATE TABLE run_blobs (
    run TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_blobs_by_hash ON run_blobs (hash);

  CREATE TRIGGER blobs_stay_sealed BEFORE INSERT ON blobs WHEN NEW.content IS NOT NULL AND EXISTS (SELECT 1 FROM data_keys)
  BEGIN SELECT RAISE(ABORT, 'the store is encrypted, and this was not'); END;
  `,
  `
  CREATE INDEX runs_by_name ON runs (name, created_at);
  `,
]
