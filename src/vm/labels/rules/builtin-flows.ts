import { RECEIVERS } from '../../value/builtin-table.ts'
import { BUILTIN_RULES } from './builtin-rules.ts'
import type { Trait } from './builtin-rules.ts'

const PATHS = new Map<Trait, string[]>()
for (const [path, traits] of BUILTIN_RULES) {
  for (const trait of traits) {
    const known = PATHS.get(trait)
    if (known === undefined) PATHS.set(trait, [path])
    else known.push(path)
  }
}

function pathsWith(trait: Trait): readonly string[] {
  return PATHS.get(trait) ?? []
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

const RECEIVER_NAMES: ReadonlySet<string> = new Set(RECEIVERS)

function isMethod(path: string): boolean {
  return RECEIVER_NAMES.has(path.slice(0, path.indexOf('.')))
}

/** Names of built-in methods. */
export const METHOD_NAMES: ReadonlySet<string> = new Set([...BUILTIN_RULES.keys()].filter(isMethod).map(nameOf))

function placesCalled(): Map<string, readonly number[]> {
  const places = new Map<string, readonly number[]>()
  for (const [at, trait] of (['calls-0', 'calls-1'] as const).entries())
    for (const name of new Set(pathsWith(trait).map(nameOf))) places.set(name, [...(places.get(name) ?? []), at])
  return places
}

/** Built-ins that call an argument: the positions of that argument, by name. */
export const CALLED: ReadonlyMap<string, readonly number[]> = placesCalled()

/** Built-ins that call an argument later, by name. */
export const CALLS_LATER: ReadonlySet<string> = new Set(pathsWith('later').map(nameOf))

/** Text methods that write `lastIndex` of a regular expression with state. */
export const PATTERNED: ReadonlySet<string> = new Set(pathsWith('pattern').map(nameOf))

/** Methods that mutate their receiver. */
export const MUTATORS: ReadonlySet<string> = new Set(pathsWith('changes').map(nameOf))

/** Functions that mutate their first argument. */
export const STATIC_MUTATORS: ReadonlySet<string> = new Set(pathsWith('changes-first'))

const SHALLOW: ReadonlySet<string> = new Set([
  ...pathsWith('shallow'),
  // The resolving functions of promises; they are made per promise and are in no table.
  'resolve',
  'reject',
])

/** Built-ins that move references without reading what they refer to; all others may have read everything reachable. */
export function isShallow(path: string): boolean {
  return SHALLOW.has(path)
}

/** Built-ins that return a part of an input: where they return a primitive, it may have been a reference in another execution. */
export const PICKING: ReadonlySet<string> = new Set(pathsWith('picks'))

/** Their method names. */
export const PICKING_NAMES: ReadonlySet<string> = new Set(pathsWith('picks').map(nameOf))

/** Built-ins that read the contents of what their callback returns. */
export const INSPECTS_RESULTS: ReadonlySet<string> = new Set(pathsWith('apart'))

const FRESH: ReadonlySet<string> = new Set(pathsWith('fresh'))

/** Built-ins whose result is fresh, so that no label selected it. */
export function isFresh(path: string): boolean {
  return FRESH.has(path)
}

/** Built-ins that read only the structure (which keys there are). */
export const KEYS_ONLY: ReadonlySet<string> = new Set(pathsWith('keys'))

/** Methods that advance an iterator, or run code of an iterable. */
export const ADVANCING: ReadonlySet<string> = new Set(
  'next return throw toArray forEach reduce some every find take drop map filter flatMap'.split(' '),
)
/** Methods that iterate over an argument. */
export const TAKING: ReadonlySet<string> = new Set('apply format flatMap call'.split(' '))
