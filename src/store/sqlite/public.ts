// Public API of `mandate/sqlite`: stores in SQLite files.
export {
  keyRing,
  keyRingFromEnvironment,
  keyRingFromFile,
  newKey,
  openStore,
  rebuildSessionFiles,
  retain,
  sessionFiles,
  sqliteData,
  sqliteDatabase,
  sqliteJournal,
  sqliteMemory,
  sqlitePrompts,
} from './index.ts'
export type { KeyRing, OpenedStore } from './index.ts'
