export { blobsOf, checkedBlob, copyBlobs, namedBlob } from './transfer/blobs.ts'
export { isShown, isSignedAnswer, liftingAnswers, signAnswer } from './signatures/answer-signature.ts'
export { alignEntries, foldSame } from './align-entries.ts'
export type { EntryPair } from './align-entries.ts'
export { planAppend } from './append-plan.ts'
export { checkIdentity, frozenIdentity } from './identity.ts'
export { checkRunFilter } from './lists/run-filter.ts'
export { VERIFY_OPTIONS } from './verify.ts'
export { hashEffect, hashEffectText } from './effect-hash.ts'
export {
  ENTRY_VERSION,
  GENESIS,
  checkEntry,
  dataText,
  entriesOfType,
  headOf,
  isErased,
  restoreEntry,
  sealEntry,
  restoreAdvice,
} from './entry.ts'
export type { Draft, Entry, EntryType, Head, IntactEntry } from './entry.ts'
export { ANSWER_SIGNATURE } from './approvals/approval-data.ts'
export type { AnswerSignature, ApprovalAnswer, RuleBinding, StandingApproval } from './approvals/approval-data.ts'
export type {
  ApprovalRequestData,
  ApprovalResponseData,
  BudgetNote,
  Decision,
  Durability,
  RunPriority,
  EffectDecideData,
  EffectEndData,
  EffectKind,
  EffectRequest,
  EffectRetryData,
  EffectStartData,
  Identity,
  MindKind,
  NoteData,
  PendingItem,
  RunEndData,
  RunEndState,
  RunStartData,
  RunSuspendData,
  Spend,
  SuspendReason,
  VerdictAction,
} from './entry-data.ts'
export type { CellCallRecord, EmittedData, EventDataByType, MandateEvent, RunEventBus } from './event-data.ts'
export { BUDGET_NOTE } from './entry-data.ts'
export { wrongShape } from './entry-shape.ts'
export type {
  AcquireOptions,
  Change,
  Journal,
  Lease,
  ListOrder,
  ListPlace,
  RunFilter,
  Signal,
  StoreTransaction,
} from './journal.ts'
export { leaseLost, memoryJournal, notifyWatcher } from './memory/memory-journal.ts'
export { notEnded } from './memory/memory-rows.ts'
export { matches, page } from './lists/run-page.ts'
export { headBefore, readAll, readStart, readVerified, tail } from './verified-read.ts'
export { RunFold, RunOutline, SIGNAL_REFUSED, addSpend, foldRun } from './run-fold.ts'
export type { ApprovalRecord, Delivery, EffectRecord } from './run-fold.ts'
export { headSigner, isSignedHead, keyFor, verifyHead } from './signatures/head-signature.ts'
export type { HeadSigner, PublicKeys, SignedHead } from './signatures/head-signature.ts'
export { foldSummary, isEnded, listedAt, saysMore } from './summary.ts'
export type { ImportMark, RunSummary } from './summary.ts'
export { exportRun, importRun, readExport, verifyExport } from './transfer/transfer.ts'
export { verifyEntries, withAuthority, withSignature } from './verify.ts'
export type { VerifyOptions, VerifyReport } from './verify.ts'
export { JournalWriter } from './writer.ts'
export type { Prelude } from './writer.ts'
export {
  GRAPH_JOURNAL,
  REVOKED_NOTE,
  STANDING_JOURNAL,
  STANDING_NOTE,
  EVAL_REPORT,
  isServiceJournal,
} from './approvals/standing-journal.ts'
export type { RevokedNote, StandingNote } from './approvals/standing-journal.ts'
