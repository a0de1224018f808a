import type { Part } from '../migrations.ts'

/**
 * The tables of the journal.
 *
 * - Names, sessions and ids that users choose are kept as JSON text: Postgres cannot store every JavaScript string (NUL, lone surrogates).
 * - `heads` is the only row that changes with every append: the end of the chain, and the current lease. It is small and its pages have free space,
 *   so that its updates touch no index. The row in `runs` is written only when the summary changes.
 * - What can be derived is not stored: `prev` is the hash of the row before.
 * - An entry has either `salt` and `data`, or both in `sealed`, or, once erased, neither.
 * - A consumed signal keeps its id, so that it is not delivered twice, and loses its content, which is in the entries by then.
 * - Every addition to a counter has an id, so that it can be retried after a lost reply.
 */
export const JOURNAL_PART: Part = {
  name: 'journal',
  steps: [
    `
  CREATE TABLE $schema.heads (
    run text COLLATE "C" PRIMARY KEY,
    epoch integer NOT NULL,
    owner text,
    until double precision NOT NULL,
    seq integer NOT NULL,
    hash text NOT NULL,
    at double precision NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE $schema.runs (
    run text COLLATE "C" PRIMARY KEY,
    state text NOT NULL,
    name text NOT NULL,
    session text NOT NULL,
    parent text,
    created_at double precision NOT NULL,
    wake_at double precision,
    summary text NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX runs_by_age ON $schema.runs (created_at, run);
  CREATE INDEX runs_by_state ON $schema.runs (state, created_at);
  CREATE INDEX runs_by_session ON $schema.runs (session, created_at);
  CREATE INDEX runs_by_parent ON $schema.runs (parent, created_at) WHERE parent IS NOT NULL;
  CREATE INDEX runs_by_wake ON $schema.runs (wake_at) WHERE wake_at IS NOT NULL;

  CREATE TABLE $schema.entries (
    run text COLLATE "C" NOT NULL,
    seq integer NOT NULL,
    v integer NOT NULL,
    at double precision NOT NULL,
    type text NOT NULL,
    key text,
    data_hash text NOT NULL,
    hash text NOT NULL,
    salt text,
    data text,
    sealed bytea,
    PRIMARY KEY (run, seq)
  );

  CREATE TABLE $schema.signals (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL,
    id text NOT NULL,
    content text,
    sealed bytea,
    UNIQUE (run, id)
  );

  CREATE TABLE $schema.counts (
    name text NOT NULL,
    at double precision NOT NULL,
    id text NOT NULL,
    amount double precision NOT NULL,
    PRIMARY KEY (name, at, id)
  );
  `,
    `
  ALTER TABLE $schema.runs ADD COLUMN waiting_at double precision;
  CREATE INDEX runs_by_waiting ON $schema.runs (waiting_at, run) WHERE waiting_at IS NOT NULL;
  CREATE INDEX runs_by_timer ON $schema.runs (wake_at, run) WHERE wake_at IS NOT NULL;
  DROP INDEX $schema.runs_by_wake;
  INSERT INTO $schema.store (name, value) VALUES ('waiting', 'unread') ON CONFLICT (name) DO NOTHING;
  `,
    `
  CREATE TABLE $schema.blobs (
    hash text PRIMARY KEY,
    size integer NOT NULL,
    content bytea NOT NULL
  );
  CREATE TABLE $schema.run_blobs (
    run text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (run, hash)
  );
  CREATE INDEX run_blobs_by_hash ON $schema.run_blobs (hash);
  `,
    `
  CREATE INDEX runs_by_name ON $schema.runs (name, created_at);
  `,
  ],
}
