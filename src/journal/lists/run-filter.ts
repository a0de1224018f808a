import { MandateError, checkFields, nearest } from '../../core/index.ts'
import { LIST_PLACE, RUN_FILTER } from '../journal.ts'
import type { ListOrder, RunFilter } from '../journal.ts'
import type { RunState } from '../entry-data.ts'

const STATES: Readonly<Record<RunState, true>> = {
  running: true,
  suspended: true,
  completed: true,
  failed: true,
  cancelled: true,
}

const ORDERS: Readonly<Record<ListOrder, true>> = { newest: true, waiting: true, wake: true }

/** Throws if a filter would find something else than it says: stores pass its values on to their databases. */
export function checkRunFilter(filter: RunFilter | undefined): void {
  checkFields(filter, 'a filter of runs', RUN_FILTER, 'INPUT_INVALID')
  const given = (filter ?? {}) as { readonly [name in keyof RunFilter]: unknown }
  for (const state of given.state === undefined ? [] : [given.state].flat()) checkWord(state, 'state', STATES)
  for (const name of ['sessionId', 'name', 'runPrefix'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'string') throw wrong(name, 'a text')
  if (given.parent !== undefined && given.parent !== null && typeof given.parent !== 'string')
    throw wrong('parent', 'the id of a run, or null for runs without a parent')
  for (const name of ['updatedBefore', 'wakeBefore'] as const)
    if (given[name] !== undefined && !isTime(given[name])) throw wrong(name, 'a time in milliseconds since 1970')
  if (given.waiting !== undefined && given.waiting !== true) throw wrong('waiting', 'true, or leave it out')
  if (given.order !== undefined) checkWord(given.order, 'order', ORDERS)
  if (given.after !== undefined) checkPlace(given.after)
  const { limit } = given
  if (limit !== undefined && !(typeof limit === 'number' && limit >= 0)) throw wrong('limit', 'a number from 0 up')
}

function isTime(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0
}

function checkPlace(after: unknown): void {
  checkFields(after, 'a field of `after`, a filter of runs,', LIST_PLACE, 'INPUT_INVALID')
  const { at, run } = (after ?? {}) as { readonly at?: unknown; readonly run?: unknown }
  if (Number.isFinite(at) && typeof run === 'string') return
  throw wrong('after', 'the place of the last run of the page before, such as { at: last.createdAt, run: last.run }')
}

function checkWord(word: unknown, field: string, words: Readonly<Record<string, true>>): void {
  if (typeof word === 'string' && Object.hasOwn(words, word)) return
  const known = Object.keys(words)
  const meant = typeof word === 'string' ? nearest(word, known) : undefined
  throw wrong(field, meant === undefined ? `one of ${known.join(', ')}` : `"${meant}"`)
}

function wrong(field: string, needed: string): MandateError {
  return new MandateError('INPUT_INVALID', `\`${field}\` of a filter of runs is not valid. Give ${needed}.`)
}
