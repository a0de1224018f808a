import type { Json } from '../../core/index.ts'
import { isRecord, isSame, jsonLine } from '../../core/index.ts'
import type { Blueprint } from './blueprint.ts'
import { normalBlueprint } from './normal.ts'

/** One difference between two blueprints. Without a field, a whole part was added or removed. */
interface BlueprintChange {
  readonly change: 'added' | 'removed' | 'changed'
  readonly part: 'graph' | 'node' | 'channel' | 'edge' | 'join'
  /** The name of the part; for an edge its source, for a join its target. */
  readonly name: string
  readonly field?: string | undefined
  readonly before?: Json | undefined
  readonly after?: Json | undefined
}

/** The differences between two blueprints. */
export interface BlueprintDiff {
  readonly changes: readonly BlueprintChange[]
  /** A line for each change, prefixed with `+`, `-` or `~`; values are shown completely. */
  readonly text: string
}

const LISTS = ['channels', 'nodes', 'edges', 'joins'] as const
const PART_OF = { channels: 'channel', nodes: 'node', edges: 'edge', joins: 'join' } as const

type Members = Readonly<Record<string, Json>>

/**
 * Compares two blueprints. There are no changes exactly if their hashes are equal; their origins are ignored.
 *
 * @example
 * ```ts
 * import { compileRag, diffBlueprints } from 'mandate/graph'
 * const [before] = compileRag('graph g { start a node a { prompt "One." next END } }').graphs
 * const [after] = compileRag('graph g { start a node a { prompt "Two." next END } }').graphs
 * if (before && after) console.log(diffBlueprints(before, after).text) // ~ node a: prompt "One." → "Two."
 * ```
 */
export function diffBlueprints(before: Blueprint, after: Blueprint): BlueprintDiff {
  const old = plain(before)
  const now = plain(after)
  const isField = (name: string): boolean => !(LISTS as readonly string[]).includes(name)
  const changes: BlueprintChange[] = [
    ...fieldChanges('graph', after.name, pick(old, isField), pick(now, isField)),
    ...LISTS.flatMap((list) => listChanges(PART_OF[list], after.name, rows(old, list), rows(now, list))),
  ]
  return { changes, text: changes.flatMap(describe).join('\n') }
}

/** As JSON without absent members. */
function plain(blueprint: Blueprint): Members {
  return JSON.parse(JSON.stringify(normalBlueprint(blueprint))) as Members
}

function pick(members: Members, isKept: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)))
}

/** The parts of a list by unique names. */
function rows(members: Members, list: (typeof LISTS)[number]): Map<string, Members> {
  const found = new Map<string, Members>()
  for (const row of members[list] as readonly Members[]) {
    const key = (list === 'edges' ? row['from'] : list === 'joins' ? row['to'] : row['name']) as string
    let unique = key
    for (let again = 2; found.has(unique); again++) unique = `${key} (${again})`
    found.set(unique, row)
  }
  return found
}

function fieldChanges(part: BlueprintChange['part'], name: string, old: Members, now: Members): BlueprintChange[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted()
  return names.flatMap((field): BlueprintChange[] => {
    const before = old[field]
    const after = now[field]
    if (before === undefined) return [{ change: 'added', part, name, field, after: after! }]
    if (after === undefined) return [{ change: 'removed', part, name, field, before }]
    return isSame(before, after) ? [] : [{ change: 'changed', part, name, field, before, after }]
  })
}

function listChanges(
  part: 'node' | 'channel' | 'edge' | 'join',
  graph: string,
  old: ReadonlyMap<string, Members>,
  now: ReadonlyMap<string, Members>,
): BlueprintChange[] {
  const removed = [...old].filter(([name]) => !now.has(name))
  const changes: BlueprintChange[] = removed.map(([name, before]) => ({ change: 'removed', part, name, before }))
  for (const [name, after] of now) {
    const before = old.get(name)
    if (before === undefined) changes.push({ change: 'added', part, name, after })
    else changes.push(...fieldChanges(part, name, before, after))
  }
  const kept = [...old.keys()].filter((name) => now.has(name))
  const order = [...now.keys()].filter((name) => old.has(name))
  if (!isSame(kept, order))
    changes.push({
      change: 'changed',
      part: 'graph',
      name: graph,
      field: `order of ${part}s`,
      before: kept,
      after: order,
    })
  return changes
}

const SIGN = { added: '+', removed: '-', changed: '~' } as const

function describe({ change, part, name, field, before, after }: BlueprintChange): string[] {
  const what = part === 'graph' ? 'graph' : `${part} ${name}`
  const sign = SIGN[change]
  if (field === undefined) {
    const whole = after ?? before
    const members = isRecord(whole) ? Object.entries(whole).filter(([key]) => key !== 'name') : []
    members.sort(([a], [b]) => (a < b ? -1 : 1))
    return [`${sign} ${what}`, ...members.map(([key, value]) => `${sign}   ${key} ${jsonLine(value)}`)]
  }
  if (change === 'changed') return [`~ ${what}: ${field} ${jsonLine(before)} → ${jsonLine(after)}`]
  return [`~ ${what}: ${sign} ${field} ${jsonLine(after ?? before)}`]
}
