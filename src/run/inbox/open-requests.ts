import { MandateError, messageOf } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { approvalId, may, parseApprovalId } from '../../gate/index.ts'
import { isEnded, isErased, listedAt, wrongShape } from '../../journal/index.ts'
import type { Entry, Identity, Journal, ListPlace, RunSummary } from '../../journal/index.ts'
import { answeredIn } from '../approvals/approval-requests.ts'
import { mandatesOver } from '../approvals/authority.ts'
import type { ApprovalRequest, KernelHost } from '../kernel/host.ts'
import { mayRead } from '../approvals/read-rights.ts'

/** Which open requests to list. */
export interface InboxOptions {
  /** Only the requests of this run and of the runs below it. */
  readonly run?: string | undefined
  /** The approximate page size: a page ends with the last request of a run. All requests when absent. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
}

export const INBOX_OPTIONS: FieldNames<InboxOptions> = { run: 'text', limit: 'number', after: 'text' }

/** A run whose open requests cannot be read, and why. */
interface UnreadableRun {
  readonly run: string
  readonly problem: string
}

/** A page of open requests, the longest waiting first. */
export interface InboxPage {
  readonly requests: readonly ApprovalRequest[]
  /** Waiting runs that cannot be read. They do not affect the others. */
  readonly unreadable: readonly UnreadableRun[]
  /** The start of the next page; absent on the last one. */
  readonly next?: string | undefined
}

/** The number of runs read at once. */
const BATCH = 64

/** A page of the inbox, limited to what an identity may see. The cost depends on the page, not on the number of waiting runs. */
export async function readInbox(host: KernelHost, options: InboxOptions = {}, by?: Identity): Promise<InboxPage> {
  const { run, limit = Number.MAX_SAFE_INTEGER, after } = options
  if (!(Number.isSafeInteger(limit) && limit >= 1))
    throw new MandateError('INPUT_INVALID', `\`limit\` is ${String(limit)}. Give a whole number from 1 up.`)
  if (run !== undefined && typeof run !== 'string')
    throw new MandateError('INPUT_INVALID', '`run` is not the id of a run. Give its id, or leave it out for all runs.')
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

/** The open requests of a run and of the open runs below it. */
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
    const answered = await answeredIn(host, summary)
    for (const { seq } of waiting)
      if (!answered.has(seq)) requests.push(requestOf(await entryAt(host.journal, run, seq)))
    return { requests, unreadable: [] }
  } catch (error) {
    return { requests: [], unreadable: [{ run, problem: messageOf(error) }] }
  }
}

/** A request by its id, answered or not; `undefined` if the identity may neither answer nor read it. */
export async function readRequest(host: KernelHost, id: string, by: Identity): Promise<ApprovalRequest | undefined> {
  const { run, seq } = parseApprovalId(id) ?? {}
  const summary = run === undefined ? undefined : await host.journal.summary(run)
  if (summary === undefined || seq === undefined || !(await mayAnswer(host, by, summary))) return undefined
  return requestOf(await entryAt(host.journal, summary.run, seq))
}

async function mayAnswer(host: KernelHost, by: Identity, summary: RunSummary): Promise<boolean> {
  return may(by, 'approve', mandatesOver(host, summary)) || mayRead(host, by, summary)
}

/** One entry, verified against the entry before it. */
async function entryAt(journal: Journal, run: string, seq: number): Promise<Entry> {
  for await (const entry of journal.read(run, seq)) return entry
  throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" is damaged: entry ${seq}, which asked something, is gone.`)
}

function requestOf(entry: Entry): ApprovalRequest {
  const { run, seq, key, at } = entry
  const wrong = entry.type === 'approval-request' ? wrongShape(entry) : 'it asks nothing'
  if (wrong !== undefined || entry.type !== 'approval-request' || isErased(entry))
    throw new MandateError('JOURNAL_DAMAGED', `Run "${run}" is damaged at entry ${seq}: ${wrong ?? 'it was erased'}.`)
  return { ...entry.data, id: approvalId(run, seq), run, key: key!, at }
}

function placeIn(text: string): ListPlace {
  const [, at, run] = /^(\d+(?:\.\d+)?) (.+)$/su.exec(text) ?? []
  if (at !== undefined && run !== undefined) return { at: Number(at), run }
  throw new MandateError('INPUT_INVALID', '`after` is not where a page ended. Give the `next` of the page before.')
}
