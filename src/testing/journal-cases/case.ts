import { MandateError, delay, systemClock } from '../../core/index.ts'
import type { Entry, Identity, Journal, Lease, Signal } from '../../journal/index.ts'
import type { TestApi } from '../test-api.ts'

/** A journal under test. */
interface OpenedJournal {
  readonly journal: Journal
  /** Closes the journal and reopens it; absent when it is not persistent. */
  reopen?(): Promise<Journal>
  close(): Promise<void>
}

export interface JournalSubject {
  readonly name: string
  /** Opens a new, empty journal. */
  open(): Promise<OpenedJournal>
}

/** A guarantee of every journal, with its check; `check` gets a journal of its own. */
export interface JournalCase {
  readonly name: string
  readonly check: (opened: OpenedJournal, expect: TestApi['expect']) => Promise<void>
}

export function guarantee(name: string, check: JournalCase['check']): JournalCase {
  return { name, check }
}

/** Returns the error code of a rejected attempt, or `accepted`. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'accepted'
  } catch (error) {
    return MandateError.isInstance(error) ? error.code : `not one of ours: ${String(error)}`
  }
}

export function take(journal: Journal, run: string, owner = 'tester', now = 0): Promise<Lease> {
  return journal.acquire({ run, owner, ttlMs: 60_000, now })
}

/** Lets a lease expire, for journals that use the caller's clock and for those that use their own: it can be taken from time 1 on. */
export async function expire(journal: Journal, lease: Lease): Promise<void> {
  await journal.renew(lease, 1, 0)
  await delay(systemClock, 10)
}

/** Stores a run as its only writer. */
export async function store(journal: Journal, entries: readonly Entry[]): Promise<void> {
  const lease = await take(journal, entries[0]!.run)
  await journal.append(lease, 0, entries)
  await journal.release(lease)
}

export function signalOf(id: string, data: Signal['data'] = null): Signal {
  const by: Identity = { id: 'someone', roles: ['approver'] }
  return { id, type: 'respond', at: 5, by, data }
}

/** Waits until a condition holds. The time limit of the test framework ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(systemClock, 5)
}
