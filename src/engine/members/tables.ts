import type { Part } from '../../store/postgres/index.ts'

/**
 * The tables of workers, beside those of the journal.
 *
 * - `workers`: one row per worker that is alive, or is dead and being recovered. `owner` holds its leases; `minds` has a hash of the pins of each mind;
 *   `queues` are the queues it dequeues from, `configured` those that its configuration defines;
 *   `address` is where segments are delivered to it, if its engine delivers them.
 * - `held_runs`: runs that wait for a worker that can drive them, and why the workers that tried could not.
 * - `queues`: the queues that workers published, with the agents of each. A queue that no worker configures any more is deleted.
 */
export const ENGINE_PART: Part = {
  name: 'engine',
  steps: [
    `
  CREATE TABLE $schema.workers (
    id text PRIMARY KEY,
    owner text NOT NULL,
    place text NOT NULL,
    version text NOT NULL,
    protocol integer NOT NULL,
    minds jsonb NOT NULL,
    queues jsonb NOT NULL,
    concurrency integer NOT NULL,
    running integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'up',
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  CREATE TABLE $schema.held_runs (
    run text COLLATE "C" PRIMARY KEY,
    reason text NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE $schema.queues (
    name text PRIMARY KEY,
    options jsonb NOT NULL
  );
  `,
    `
  ALTER TABLE $schema.workers
    ADD COLUMN engine text NOT NULL DEFAULT 'dbos',
    ADD COLUMN configured jsonb NOT NULL DEFAULT '[]';
  UPDATE $schema.workers SET minds = '{}' WHERE jsonb_typeof(minds) = 'array';
  `,
    `ALTER TABLE $schema.workers ADD COLUMN address text`,
  ],
}

/** SQL for milliseconds since 1970 by the clock of the database. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
