import {
  MandateError,
  checkFields,
  fromBase64,
  jsonLine,
  oneLine,
  parseJson,
  repeatedName,
  sha256,
  toBase64,
} from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Entry, Head } from '../entry.ts'
import { GENESIS, headOf } from '../entry.ts'
import { blobsOf, keepsNoBlobs, namedBlob } from './blobs.ts'
import type { Journal } from '../journal.ts'
import { readVerified } from '../verified-read.ts'
import { isSignedHead, verifyHead } from '../signatures/head-signature.ts'
import type { HeadSigner, PublicKeys, SignedHead } from '../signatures/head-signature.ts'
import { VERIFY_OPTIONS, verifyEntries, withAuthority, withSignature } from '../verify.ts'
import type { VerifyOptions, VerifyReport } from '../verify.ts'
import type { ImportMark } from '../summary.ts'
import { wrongShape } from '../entry-shape.ts'

/** Exports a run as lines of JSON, one entry each, with the members of its data in their own order; the bytes are the same for every store. With a signer, the last line is the signed head. */
export async function* exportRun(journal: Journal, run: string, signer?: HeadSigner): AsyncGenerator<string> {
  let head: Head | undefined
  const told = new Set<string>()
  for await (const entry of journal.read(run)) {
    head = headOf(entry)
    yield entryLine(entry)
    // Content follows the first entry that refers to it.
    for (const hash of blobsOf(entry)) {
      if (told.has(hash)) continue
      told.add(hash)
      yield jsonLine({ blob: hash, data: toBase64(await namedBlob(journal, run, hash)) })
    }
  }
  if (signer !== undefined && head !== undefined) yield jsonLine(await signer.sign(run, head))
}

/** An entry as a line: its members in canonical order, so that every store gives the same bytes; its data as it was written. */
function entryLine({ at, data, dataHash, hash, key, prev, run, salt, seq, type, v }: Entry): string {
  return oneLine(JSON.stringify({ at, data, dataHash, hash, key, prev, run, salt, seq, type, v }))
}

/** The unverified contents of an export. */
interface ExportedRun {
  readonly run: string
  readonly entries: readonly Entry[]
  /** The files beside the entries, by the hashes under which they were exported. */
  readonly blobs?: ReadonlyMap<string, Uint8Array> | undefined
  /** The signed head at the end of the export, if there is one. */
  readonly signed?: SignedHead | undefined
}

type Lines = Iterable<string> | AsyncIterable<string>

/** Parses exported lines, and throws if they are no export. The contents are not verified: `verifyEntries` and `importRun` do that. */
export async function readExport(lines: Lines): Promise<ExportedRun> {
  const entries: Entry[] = []
  const blobs = new Map<string, Uint8Array>()
  let signed: SignedHead | undefined
  let number = 0
  let isOver = false
  for await (const line of lines) {
    number += 1
    // Splitting a text at its newlines gives an empty last line.
    if (isOver || (line !== '' && line.trim() === ''))
      throw new MandateError('INPUT_INVALID', `Line ${isOver ? number - 1 : number} is blank; an export has none.`)
    isOver = line === ''
    if (isOver) continue
    const value = parseJson(line, `Line ${number}`)
    const twice = repeatedName(line)
    if (twice !== undefined)
      throw new MandateError(
        'JOURNAL_DAMAGED',
        `Line ${number} has ${JSON.stringify(twice)} twice in one object, so it is ambiguous. Create the export again.`,
      )
    if (signed !== undefined)
      throw new MandateError('INPUT_INVALID', `Line ${number} comes after the signature, which must be the last line.`)
    if (isSignedHead(value)) signed = value
    else if (isBlob(value)) blobs.set(value.blob, bytesOf(value.data, number))
    else entries.push(entryOf(value, number))
  }
  const run = entries[0]?.run
  if (run === undefined)
    throw new MandateError('INPUT_INVALID', 'There is nothing to import: the input has no entries.')
  return { run, entries, ...(blobs.size === 0 ? {} : { blobs }), ...(signed === undefined ? {} : { signed }) }
}

function isBlob(value: Json): value is { readonly blob: string; readonly data: string } {
  const { blob, data } = (value ?? {}) as Partial<Record<'blob' | 'data', unknown>>
  return typeof blob === 'string' && typeof data === 'string'
}

function bytesOf(data: string, line: number): Uint8Array {
  try {
    return fromBase64(data)
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `Line ${line} has content that is not base64.`, { cause })
  }
}

/** The problems of the files of an export, one sentence each. */
function blobProblems({ run, entries, blobs }: ExportedRun): readonly string[] {
  const named = new Map(entries.flatMap((entry) => blobsOf(entry).map((hash) => [hash, entry.seq] as const)))
  return [...named].flatMap(([hash, seq]) => {
    const bytes = blobs?.get(hash)
    if (bytes === undefined)
      return [`The content with the hash ${hash}, which entry ${seq} of run "${run}" names, is missing.`]
    return sha256(bytes) === hash
      ? []
      : [`The content that entry ${seq} of run "${run}" names does not match its hash ${hash}.`]
  })
}

/** Verifies an export without a store: its chain, the gate audit, and that its last entry is the signed one. */
export async function verifyExport(exported: ExportedRun, options: VerifyOptions = {}): Promise<VerifyReport> {
  checkFields(options, 'an option of `verifyExport`', VERIFY_OPTIONS)
  const { run, entries, signed } = exported
  const head = options.head ?? signed
  const wrong = blobProblems(exported)
  const chain = verifyEntries(run, entries, head)
  const checked = wrong.length === 0 ? chain : { ...chain, ok: false, problems: [...chain.problems, ...wrong] }
  const found = await withSignature(checked, { ...options, head })
  const report = await withAuthority(found, entries, { head, publicKeys: options.publicKeys })
  if (signed === undefined || signed.seq >= entries.length) return report
  const problem = `Entry ${signed.seq} was signed as the last one; ${entries.length - signed.seq} came after it.`
  return { ...report, ok: false, problems: [...report.problems, problem] }
}

/**
 * Imports exported lines into a journal, entry for entry, with unchanged hashes. Importing the same run twice has no effect; a damaged run, and one
 * that differs from the stored one, are refused before anything is written. A signed head must match the entries; if public keys are given, it must
 * be present and signed by one of them.
 *
 * The entries are marked as imported in the run's summary: they are evidence of what was done elsewhere. Answers among them that permit something
 * count only with a trusted signature; a host that resumes the run asks again for all others.
 */
export async function importRun(
  journal: Journal,
  lines: Lines,
  now: number,
  publicKeys?: PublicKeys,
): Promise<{ run: string; entries: number }> {
  const exported = await readExport(lines)
  const { run, entries: raw, signed } = exported
  // Verified, but stored as they were written: an upcast entry would no longer match its own hashes.
  for await (const entry of readVerified(run, GENESIS, raw)) checkShape(entry)
  await checkSigned(run, raw.at(-1)!, signed, publicKeys)
  const [wrong] = blobProblems(exported)
  if (wrong !== undefined) throw new MandateError('JOURNAL_DAMAGED', `${wrong} Nothing was changed.`)
  const named = new Set(raw.flatMap(blobsOf))
  if (named.size > 0 && journal.writeBlob === undefined) throw keepsNoBlobs(run)
  const stored = await journal.summary(run)
  if (stored !== undefined && stored.head.seq >= raw.length) {
    for await (const there of journal.read(run, raw.length)) {
      if (there.hash !== raw.at(-1)!.hash) throw differs(run)
      break
    }
    if (stored.head.seq > raw.length) throw isOlder(run, raw.length, stored.head.seq)
    return { run, entries: 0 }
  }
  const lease = await journal.acquire({ run, owner: 'import', ttlMs: 60_000, now })
  try {
    // Written before the entries that refer to it.
    for (const hash of named) await journal.writeBlob!(run, exported.blobs!.get(hash)!)
    const from = (stored?.head.seq ?? 0) + 1
    const imports: ImportMark = { from, to: raw.length, ...(signed === undefined ? {} : { signed }) }
    await journal.append({ ...lease, imports }, 0, raw)
  } finally {
    await journal.release(lease)
  }
  return { run, entries: raw.length - (stored?.head.seq ?? 0) }
}

async function checkSigned(
  run: string,
  last: Entry,
  signed: SignedHead | undefined,
  publicKeys: PublicKeys | undefined,
): Promise<void> {
  const problem = (what: string): MandateError => new MandateError('JOURNAL_DAMAGED', `Run "${run}" ${what}`)
  if (signed === undefined) {
    if (publicKeys === undefined) return
    throw problem('is not signed, though there is a key to check it with. Ask for an export with a signature.')
  }
  if (signed.run !== run || signed.seq !== last.seq || signed.hash !== last.hash)
    throw problem(`is not what was signed: entry ${signed.seq} was its last one. Get the whole export again.`)
  const check = publicKeys === undefined ? undefined : await verifyHead(signed, publicKeys)
  if (check?.valid === false) throw problem(`cannot be trusted. ${check.problem}`)
}

function checkShape(entry: Entry): void {
  const wrong = wrongShape(entry)
  if (wrong === undefined) return
  throw new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${entry.run}" cannot be imported: entry ${entry.seq} is not one that this runtime writes: ${wrong}. Nothing was changed.`,
    { info: { run: entry.run, seq: entry.seq, wrong } },
  )
}

function isOlder(run: string, given: number, stored: number): MandateError {
  return new MandateError(
    'JOURNAL_CONFLICT',
    `Run "${run}" is already there with all ${given} entries of this copy and ${stored - given} more: the stored one is longer, and nothing was changed.`,
  )
}

function differs(run: string): MandateError {
  return new MandateError(
    'JOURNAL_CONFLICT',
    `Run "${run}" is already there and goes another way. Import it into an empty store.`,
  )
}

const FIELDS: readonly [keyof Entry, string][] = [
  ['v', 'number'],
  ['run', 'string'],
  ['seq', 'number'],
  ['at', 'number'],
  ['type', 'string'],
  ['dataHash', 'string'],
  ['prev', 'string'],
  ['hash', 'string'],
]

function entryOf(value: Json, line: number): Entry {
  const record = value as Partial<Record<keyof Entry, unknown>> | null
  for (const [field, type] of FIELDS) {
    if (typeof record?.[field] !== type)
      throw new MandateError('INPUT_INVALID', `Line ${line} is not a journal entry: \`${field}\` must be a ${type}.`)
  }
  return { salt: null, data: null, ...(record as object) } as Entry
}
