/**
 * Tables of memory, database and prompts. They are created on first use, in the file of a journal or in one of their own, and have their own version,
 * so that a file with only runs does not have them.
 *
 * - Names are kept as JSON text, because SQLite's text cannot hold every JavaScript string (lone surrogates, NUL).
 * - `records.id` is never reused, so it is the order of writing, and what was read up to one id need not be read again.
 * - An encrypted row has `sealed` in place of `text`, and its `vector` is encrypted too.
 * - `words` has no content, only the index; a record's words are found by its id. There is no trigger on `records`: with one, every row would start a
 *   savepoint, and at every savepoint the index flushes its pending terms.
 */
export const DATA_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE places (
    id INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    collection TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    UNIQUE (space, collection)
  ) STRICT;

  CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    place INTEGER NOT NULL,
    key TEXT NOT NULL,
    text TEXT,
    sealed BLOB,
    vector BLOB,
    bytes INTEGER NOT NULL,
    at REAL NOT NULL,
    expires_at REAL,
    UNIQUE (place, key)
  ) STRICT;
  CREATE INDEX records_by_space ON records (space);
  CREATE INDEX records_by_place ON records (place);
  CREATE INDEX records_by_end ON records (space, expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX records_by_vector ON records (space) WHERE vector IS NOT NULL;

  CREATE VIRTUAL TABLE words USING fts5(list, content='', contentless_delete=1, tokenize='ascii');

  CREATE TABLE prompts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT,
    sealed BLOB,
    UNIQUE (id, version)
  ) STRICT;
  CREATE TABLE prompt_labels (
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (id, label)
  ) STRICT, WITHOUT ROWID;
  `,
]
