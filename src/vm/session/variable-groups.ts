import { messageOf, sha256 } from '../../core/index.ts'
import { Resolver } from '../machine/promises/promise-waiters.ts'
import { ValueWriter } from '../machine/value-writer.ts'
import type { WriterSession } from '../machine/value-writer.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Binding } from './bindings.ts'

/** A stored group of variables whose values share objects. Stored together, so that shared objects stay shared. */
export type StoredGroup = {
  readonly roots: readonly (readonly [name: string, kind: string, label: number, value: unknown])[]
  readonly cells: readonly (readonly unknown[])[]
  /** The programs of its functions. */
  readonly programs: readonly string[]
  /** Variables that its functions use. */
  readonly uses: readonly string[]
}

/** A group with its hash. */
interface WrittenGroup {
  readonly names: readonly string[]
  readonly hash: string
  readonly stored: StoredGroup
  /** Its approximate size in bytes. */
  readonly bytes: number
}

/** The result of serializing variables. */
export interface WrittenVariables {
  readonly groups: readonly WrittenGroup[]
  /** A short hash of the value of each variable. */
  readonly digests: ReadonlyMap<string, string>
  /** Variables whose values cannot be stored, and why. */
  readonly lost: readonly { readonly name: string; readonly why: string }[]
}

const DIGEST_LENGTH = 16

/** Serializes variables, separately or together with those that share objects with them. */
export function writeVariables(
  names: Iterable<string>,
  find: (name: string) => Binding | undefined,
  session: WriterSession,
): WrittenVariables {
  const owners = new Map<object, string>()
  const joined = new Joined()
  const digests = new Map<string, string>()
  const alone = new Map<string, WrittenGroup>()
  const lost: { name: string; why: string }[] = []
  for (const name of names) {
    const binding = find(name)
    if (binding?.isSet !== true) continue
    let written: { group: WrittenGroup; values: readonly object[] }
    try {
      written = writeGroup([binding], session)
    } catch (error) {
      lost.push({ name, why: messageOf(error) })
      continue
    }
    alone.set(name, written.group)
    digests.set(name, written.group.hash.slice(0, DIGEST_LENGTH))
    joined.add(name)
    for (const value of written.values) {
      // Built-ins are found by their path, so they are shared by all.
      if (value instanceof BuiltinFunction && !(value instanceof Resolver)) continue
      const owner = owners.get(value)
      if (owner === undefined) owners.set(value, name)
      else joined.join(owner, name)
    }
  }
  const groups = joined.sets().map((set) => {
    const members = set.toSorted()
    const [only] = members
    return members.length === 1 && only !== undefined
      ? alone.get(only)!
      : writeGroup(
          members.map((name) => find(name)!),
          session,
        ).group
  })
  return { groups, digests, lost }
}

function writeGroup(
  bindings: readonly Binding[],
  session: WriterSession,
): { readonly group: WrittenGroup; readonly values: readonly object[] } {
  const writer = new ValueWriter(session)
  const roots = bindings.map(({ name, kind, box }) => [name, kind, box.label, writer.put(box.value)] as const)
  writer.finish()
  const { cells, programs, values } = writer
  const stored: StoredGroup = { roots, cells, programs, uses: [...writer.names].sort() }
  const text = JSON.stringify(stored)
  const names = bindings.map(({ name }) => name)
  return { group: { names, hash: sha256(text).slice(0, 32), stored, bytes: text.length }, values }
}

/** Disjoint sets of names. */
class Joined {
  readonly #parents = new Map<string, string>()

  add(name: string): void {
    this.#parents.set(name, name)
  }

  join(a: string, b: string): void {
    const [first, second] = [this.#root(a), this.#root(b)]
    if (first !== second) this.#parents.set(second, first)
  }

  sets(): string[][] {
    const sets = new Map<string, string[]>()
    for (const name of this.#parents.keys()) {
      const root = this.#root(name)
      const set = sets.get(root)
      if (set === undefined) sets.set(root, [name])
      else set.push(name)
    }
    return [...sets.values()]
  }

  #root(name: string): string {
    let root = name
    for (let next = this.#parents.get(root)!; next !== root; next = this.#parents.get(root)!) root = next
    return root
  }
}
