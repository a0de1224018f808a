import type { Part, PostgresLink } from '../../store/postgres/index.ts'

/**
 * The tables of the engine, beside those of the journal.
 *
 * - `workers`: one row per worker that lives, or died and is being taken over. `owner` holds its leases.
 * - `held_runs`: runs that wait for a worker that can drive them, and why none of those that tried could.
 * - `queues`: where the runs of which agents belong, as the workers say.
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
  ],
}

/** Where DBOS keeps its tables for a schema of ours. Two stores in one database do not meet there. */
export function systemSchema({ options }: PostgresLink): string {
  return `${options.schema}_dbos`
}

/** The table of segments that are queued, under way or over. */
export function segmentTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_status`
}

/** Milliseconds since 1970 by the clock of the database. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
