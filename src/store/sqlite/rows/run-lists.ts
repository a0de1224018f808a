import type { SQLInputValue } from 'node:sqlite'
import { matches } from '../../../journal/index.ts'
import type { ListOrder, RunFilter, RunSummary } from '../../../journal/index.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { SUMMARIES, summaryOf } from './run-rows.ts'

const LIST_MAX = 1000

/** The runs of a filter in its order. Read one by one, so that a page costs what it has, not what the store has. */
export function listSummaries(file: SqliteFile, filter: RunFilter): RunSummary[] {
  const limit = filter.limit ?? LIST_MAX
  const found: RunSummary[] = []
  if (limit <= 0 || isNone(filter)) return found
  const { sql, params } = listQuery(filter)
  for (const row of file.iterate(sql, ...params)) {
    const summary = summaryOf(file, row)
    // The columns narrow the search; `matches` decides for all stores.
    if (matches(summary, filter)) found.push(summary)
    if (found.length >= limit) break
  }
  return found
}

function isNone({ state }: RunFilter): boolean {
  return Array.isArray(state) && state.length === 0
}

/** The condition whose index finds the runs of a list. */
type Lead = 'session' | 'parent' | 'id' | 'time' | 'state' | 'name' | 'age'

interface Query {
  readonly sql: string
  readonly params: SQLInputValue[]
}

/**
 * The query of a list. SQLite keeps no statistics of the rows, so the index is decided here: every other condition gets a plus, which no index can
 * serve. Several states are one query for each, which SQLite merges in order; as one condition it would read and sort all runs in these states.
 */
export function listQuery(filter: RunFilter): Query {
  const lead = leadOf(filter)
  const order = orderOf(filter, lead)
  const states = [...new Set([filter.state ?? []].flat())]
  if (lead !== 'state') {
    const { sql, params } = conditions(filter, lead)
    return { sql: `${SUMMARIES} ${sql} ORDER BY ${order}`, params }
  }
  const each = states.map((state) => conditions({ ...filter, state }, lead))
  return {
    sql: `${each.map(({ sql }) => `${SUMMARIES} ${sql}`).join(' UNION ALL ')} ORDER BY ${order}`,
    params: each.flatMap(({ params }) => params),
  }
}

/** The narrowest condition. Open runs are few among all runs of a name, and ended ones many. */
function leadOf({ sessionId, parent, runPrefix, state, name, waiting, wakeBefore, order }: RunFilter): Lead {
  if (order === 'waiting' || order === 'wake') return 'time'
  if (sessionId !== undefined) return 'session'
  if (typeof parent === 'string') return 'parent'
  if (runPrefix !== undefined && runPrefix !== '') return 'id'
  if (waiting === true || wakeBefore !== undefined) return 'time'
  const states = [state ?? []].flat()
  const isOpen = states.every((one) => one === 'running' || one === 'suspended')
  if (states.length > 0 && (name === undefined || isOpen)) return 'state'
  return name === undefined ? 'age' : 'name'
}

const ORDERS: { readonly [O in ListOrder]: string } = {
  newest: 'created_at DESC, run DESC',
  waiting: 'waiting_at, run',
  wake: 'wake_at, run',
}

function orderOf({ order = 'newest' }: RunFilter, lead: Lead): string {
  // Runs that are found by the time they wait for or by their ids are sorted by age, instead of being looked for among all runs in that order.
  return isApart(lead, order) ? '+created_at DESC, +runs.run DESC' : ORDERS[order]
}

function isApart(lead: Lead, order: ListOrder): boolean {
  return order === 'newest' && (lead === 'time' || lead === 'id')
}

/** Where a list continues. */
function behind(lead: Lead, order: ListOrder): string {
  if (isApart(lead, order)) return '(+created_at, +runs.run) < (?, ?)'
  const columns = { newest: 'created_at', waiting: 'waiting_at', wake: 'wake_at' }
  return `(${columns[order]}, runs.run) ${order === 'newest' ? '<' : '>'} (?, ?)`
}

function conditions(filter: RunFilter, lead: Lead): Query {
  const parts: string[] = []
  const params: SQLInputValue[] = []
  const add = (part: string, ...values: SQLInputValue[]): void => {
    parts.push(part)
    params.push(...values)
  }
  const column = (name: string, leads: Lead): string => (lead === leads ? name : `+${name}`)
  const { state, sessionId, name, parent, runPrefix, updatedBefore, wakeBefore, after, order = 'newest' } = filter
  if (lead === 'state') add('state = ?', String(state))
  else if (state !== undefined) add('+state IN (SELECT value FROM json_each(?))', JSON.stringify([state].flat()))
  if (sessionId !== undefined) add(`${column('session', 'session')} = ?`, sessionId)
  if (name !== undefined) add(`${column('name', 'name')} = ?`, name)
  if (parent === null) add('+parent IS NULL')
  else if (parent !== undefined) add(`${column('parent', 'parent')} = ?`, parent)
  if (runPrefix !== undefined && runPrefix !== '') {
    const run = column('runs.run', 'id')
    // A range scan by prefix: ids are ASCII, so all that begin with it sort before the prefix followed by U+10FFFF.
    add(`${run} >= ? AND ${run} < ?`, runPrefix, `${runPrefix}\u{10FFFF}`)
  }
  if (filter.waiting === true || order === 'waiting') add(`${column('waiting_at', 'time')} IS NOT NULL`)
  if (order === 'wake') add(`${column('wake_at', 'time')} IS NOT NULL`)
  if (after !== undefined) add(behind(lead, order), after.at, after.run)
  if (updatedBefore !== undefined) add('updated_at < ?', updatedBefore)
  if (wakeBefore !== undefined) add(`${column('wake_at', 'time')} <= ?`, wakeBefore)
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, params }
}
