// What `mandate/postgres` offers: stores in Postgres.
export {
  keyRing,
  keyRingFromEnvironment,
  keyRingFromFile,
  openPostgres,
  postgresData,
  postgresDatabase,
  postgresJournal,
  postgresMemory,
  postgresPrompts,
  retain,
} from './index.ts'
export type { OpenedPostgres } from './index.ts'
