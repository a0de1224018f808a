// Public API of `mandate/postgres`: stores in Postgres.
export {
  keyRing,
  keyRingFromEnvironment,
  keyRingFromFile,
  openPostgres,
  postgresData,
  postgresJournal,
  retain,
} from './index.ts'
export type { OpenedPostgres } from './index.ts'
