// What `mandate/journal` offers: reading, verifying and moving journals.
export {
  GENESIS,
  entriesOfType,
  exportRun,
  headOf,
  headSigner,
  importRun,
  isErased,
  memoryJournal,
  readAll,
  sealEntry,
  tail,
  verifyEntries,
  verifyExport,
  verifyHead,
} from './index.ts'
export type {
  Entry,
  EntryType,
  Head,
  Identity,
  Journal,
  RunFilter,
  RunSummary,
  SignedHead,
  SuspendReason,
  VerifyReport,
} from './index.ts'
