// What `mandate/journal` offers: reading, verifying and moving journals.
export {
  GENESIS,
  exportRun,
  headOf,
  headSigner,
  importRun,
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
