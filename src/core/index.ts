export { canonical, writeAhead } from './hash/canonical.ts'
export { HmacKey } from './hash/hmac.ts'
export {
  afterMicrotasks,
  afterTurn,
  nextTurn,
  delay,
  manualClock,
  monotonicNow,
  stopwatch,
  systemClock,
  within,
} from './time/clock.ts'
export type { Clock, ManualClock } from './time/clock.ts'
export { isSignedBy, signText } from './hash/ed25519.ts'
export type { Ed25519Key } from './hash/ed25519.ts'
export { isList, isSame } from './hash/equality.ts'
export { ERROR_CODES, MandateError, errorInfo, messageOf } from './errors.ts'
export type { ErrorCode, ErrorInfo } from './errors.ts'
export { EventBus } from './events.ts'
export type { BusEvent, EventSink, TypedEvent } from './events.ts'
export { freezeDeep, frozenCopy, frozenList, setMember } from './deep-freeze.ts'
export { tellOfHost } from './host-event.ts'
export { checkId, checkName, idFrom, nameProblem, newId } from './ids.ts'
export { cron } from './time/cron.ts'
export { isAsyncIterable, isRecord, parseJson, toPlain } from './json.ts'
export type { Json, JsonObject } from './json.ts'
export { memberPointer, pointerName } from './json-pointer.ts'
export { controlLabels, coversAbsent, labelsAt } from './label-places.ts'
export { allLabels, joinLabels, matchesLabel } from './labels.ts'
export type { EffectLabels, Label, LabelMap } from './labels.ts'
export { BUDGET_UNITS, DEFAULT_RUN_LIMITS, budgetLimits, runLimits } from './limits.ts'
export type { BudgetLimits, BudgetUnit, RunLimits } from './limits.ts'
export { loadPackage, providePackages } from './installed/optional-package.ts'
export { nearest } from './nearest.ts'
export { onAbort } from './on-abort.ts'
export { notes } from './private-slots.ts'
export { checkCount, checkFields, checkKind, checkNeeded, checkNumbers, unknownField } from './options.ts'
export type { FieldNames } from './options.ts'
export { codeOf, describeOutcome, failed, ok } from './outcome.ts'
export type { Failed, Ok, Outcome } from './outcome.ts'
export { systemRandom } from './random/random.ts'
export type { Random } from './random/random.ts'
export { repeatedName } from './hash/repeated-names.ts'
export { seededRandom } from './random/seeded-random.ts'
export { utf8Bytes } from './text/utf8.ts'
export { installedPackages } from './installed/packages.ts'
export { fromBase64, MEDIA_BYTES_MAX, base64Bytes, isBase64, replaceMedia, toBase64 } from './media.ts'
export type { BlobRef, Media } from './media.ts'
export { sha256 } from './hash/sha256.ts'
export { systemNumber } from './random/system-number.ts'
export { DIRECTION, jsonLine, oneLine, visible } from './text/visible-text.ts'
export { startedFile } from './installed/started-file.ts'
export { VERSION } from './version.ts'
