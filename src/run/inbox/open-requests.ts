import { MandateError, messageOf } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { approvalId, may, parseApprovalId } from '../../gate/index.ts'
import { isEnded, isErased, listedAt, wrongShape } from '../../journal/index.ts'
import type { Entry, Identity, Journal, ListPlace, RunSummary } from '../../journal/index.ts'
import { mandatesOver } from '../approvals/authority.ts'
import type { ApprovalRequest, KernelHost } from '../kernel/host.ts'
import { mayRead } from '../approvals/read-rights.ts'

/** Which open requests to list. */
export interface InboxOptions {
  /** Only those of this run and of the runs below it. */
  readonly run?: string | undefined
  /** About how many: a page ends with the last request of a run. All of them when absent. */
  readonly limit?: number | undefined
  /** Where the page before ended: its `next`. */
  readonly after?: string | undefined
}

export const INBOX_OPTIONS: FieldNames<InboxOptions> = { run: true, limit: true, after: true }

/** A run whose open requests cannot be shown, and why. */
interface UnreadableRun {
  readonly run: string
  readonly problem: string
}

/** A page of what waits for people, those that wait longest first. */
export interface InboxPage {
  readonly requests: readonly ApprovalRequest[]
  /** What waits too, and cannot be read. It harms nothing but itself. */
  readonly unreadable: readonly UnreadableRun[]
  /** Where the next page begins; absent when this was the last one. */
  readonly next?: string | undefined
}

/** Runs that are looked at together. */
const BATCH = 64

/** A page of the inbox, as far as an identity may see it. What it costs depends on the page, not on how many others wait. */
export async function readInbox(host: KernelHost, options: InboxOptions = {}, by?: Identity): Promise<InboxPage> {
  const { run, limit = Number.MAX_SAFE_INTEGER, after } = options
  if (!(Number.isSafeInteger(limit) && limit >= 1))
    throw new MandateError('INPUT_INVALID', `\`limit\` is ${String(limit)}. Give a whole number from 1 up.`)
  if (run !== undefined) return readTree(host, run, by)
  const requests: ApprovalRequest[] = []
  const unreadable: UnreadableRun[] = []
  for (let place = after === undefined ? undefined : placeIn(after); ;) {
    const ask = Math.min(BATCH, limit - requests.length)
    const found = await host.journal.list({ waiting: true, order: 'waiting', after: place, limit: ask })
    for (const each of await Promise.all(found.map((summary) => readOne(host, summary, by)))) {
      requests.push(...each.requests)
      unreadable.push(...each.unreadable)
    }
    const last = found.at(-1)
    if (last === undefined || found.length < ask) return { requests, unreadable }
    place = { at: listedAt(last, 'waiting'), run: last.run }
    if (requests.length >= limit) return { requests, unreadable, next: `${place.at} ${place.run}` }
  }
}

/** The requests of a run and of the open ones below it. */
async function readTree(host: KernelHost, run: string, by: Identity | undefined): Promise<InboxPage> {
  const root = await host.journal.summary(run)
  if (root === undefined || isEnded(root.state)) return { requests: [], unreadable: [] }
  const pages = [await readOne(host, root, by)]
  for (const child of await openChildren(host.journal, run)) pages.push(await readTree(host, child.run, by))
  return {
    requests: pages.flatMap(({ requests }) => requests),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
  }
}

function openChildren(journal: Journal, parent: string): Promise<readonly RunSummary[]> {
  return journal.list({ parent, state: ['running', 'suspended'], limit: Number.MAX_SAFE_INTEGER })
}

async function readOne(host: KernelHost, summary: RunSummary, by: Identity | undefined): Promise<InboxPage> {
  const { run, waiting = [] } = summary
  if (waiting.length === 0) return { requests: [], unreadable: [] }
  try {
    if (by !== undefined && !(await mayAnswer(host, by, summary))) return { requests: [], unreadable: [] }
    const requests: ApprovalRequest[] = []
    for (const { seq } of waiting) requests.push(requestOf(await entryAt(host.journal, run, seq)))
    return { requests, unreadable: [] }
  } catch (error) {
    return { requests: [], unreadable: [{ run, problem: messageOf(error) }] }
  }
}

/** A request by its id, answered or not; nothing when the identity may neither answer nor read it. */
export async function readRequest(host: KernelHost, id: string, by: Identity): Promise<ApprovalRequest | undefined> {
  const { run, seq } = parseApprovalId(id) ?? {}
  const summary = run === undefined ? undefined : await host.journal.summary(run)
  if (summary === undefined || seq === undefined || !(await mayAnswer(host, by, summary))) return undefined
  return requestOf(await entryAt(host.journal, summary.run, seq))
}

async function mayAnswer(host: KernelHost, by: Identity, summary: RunSummary): Promise<boolean> {
  return may(by, 'approve', mandatesOver(host, summary)) || mayRead(host, by, summary)
}

/** One entry, checked against the one before it. */
async function entryAt(journal: Journal, run: string, seq: number): Promise<Entry> {
  for await (const entry of journal.read(run, seq)) return entry
  throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" is damaged: entry ${seq}, which asked something, is gone.`)
}

function requestOf(entry: Entry): ApprovalRequest {
  const { run, seq, key } = entry
  const wrong = entry.type === 'approval-request' ? wrongShape(entry) : 'it asks nothing'
  if (wrong !== undefined || entry.type !== 'approval-request' || isErased(entry))
    throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" is damaged at entry ${seq}: ${wrong ?? 'it was erased'}.`)
  return { ...entry.data, id: approvalId(run, seq), run, key: key! }
}

function placeIn(text: string): ListPlace {
  const [, at, run] = /^(\d+(?:\.\d+)?) (.+)$/su.exec(text) ?? []
  if (at !== undefined && run !== undefined) return { at: Number(at), run }
  throw new MandateError('INPUT_INVALID', '`after` is not where a page ended. Give the `next` of the page before.')
}
