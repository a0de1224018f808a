import { RECEIVERS } from '../../value/builtin-table.ts'
import { BUILTIN_RULES } from './builtin-rules.ts'
import type { Trait } from './builtin-rules.ts'

function pathsWith(trait: Trait): readonly string[] {
  return [...BUILTIN_RULES].flatMap(([path, traits]) => (traits.has(trait) ? [path] : []))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

const RECEIVER_NAMES: ReadonlySet<string> = new Set(RECEIVERS)

function isMethod(path: string): boolean {
  return RECEIVER_NAMES.has(path.slice(0, path.indexOf('.')))
}

/** Names of methods that built-ins have. */
export const METHOD_NAMES: ReadonlySet<string> = new Set([...BUILTIN_RULES.keys()].filter(isMethod).map(nameOf))

function placesCalled(): Map<string, readonly number[]> {
  const places = new Map<string, readonly number[]>()
  for (const [at, trait] of (['calls-0', 'calls-1'] as const).entries())
    for (const name of new Set(pathsWith(trait).map(nameOf))) places.set(name, [...(places.get(name) ?? []), at])
  return places
}

/** Names of built-ins that call what they are given, and at which places. */
export const CALLED: ReadonlyMap<string, readonly number[]> = placesCalled()

/** Methods of texts that write where they are into a pattern that keeps its place. */
export const PATTERNED: ReadonlySet<string> = new Set(pathsWith('pattern').map(nameOf))

/** Methods that change their receiver. */
export const MUTATORS: ReadonlySet<string> = new Set(pathsWith('changes').map(nameOf))

/** Functions that change their first argument. */
export const STATIC_MUTATORS: ReadonlySet<string> = new Set(pathsWith('changes-first'))

const SHALLOW: ReadonlySet<string> = new Set([
  ...pathsWith('shallow'),
  // What a promise is settled with; each promise has its own, so that no table does.
  'resolve',
  'reject',
])

/** Built-ins that move references about without looking into what they refer to; all others may have looked at everything. */
export function isShallow(path: string): boolean {
  return SHALLOW.has(path)
}

/** Built-ins that give one of the things that are inside of something: where it was none, it could have been one. */
export const PICKING: ReadonlySet<string> = new Set(pathsWith('picks'))

/** The names of those. */
export const PICKING_NAMES: ReadonlySet<string> = new Set(pathsWith('picks').map(nameOf))

/** Built-ins that make something of what is inside of what a function gives back to them. */
export const INSPECTS_RESULTS: ReadonlySet<string> = new Set(pathsWith('apart'))

const FRESH: ReadonlySet<string> = new Set(pathsWith('fresh'))

/** Built-ins that give something new, so that nothing was chosen. */
export function isFresh(path: string): boolean {
  return FRESH.has(path)
}

/** Built-ins that only look at what keys there are. */
export const KEYS_ONLY: ReadonlySet<string> = new Set(pathsWith('keys'))
