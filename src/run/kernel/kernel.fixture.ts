import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Json, Outcome } from '../../core/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../../journal/index.ts'
import type { EntryType, IntactEntry, Journal } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import { Kernel } from './kernel.ts'
import type { KernelOptions } from './kernel.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { Mind, RunContext } from '../mind/mind.ts'

/** A tool made of a function; it accepts every input, and is neither idempotent nor risky unless it says so. */
export function tool(name: string, run: Tool['run'], facts: Partial<Tool> = {}): Tool {
  return { name, inputSchema: {}, risk: 'read', validate: (input) => ({ valid: true, value: input }), run, ...facts }
}

export function program(name: string, start: Mind['start'], more: Partial<Mind> = {}): Mind {
  return { kind: 'program', name, start, ...more }
}

export interface KernelParts extends KernelOptions {
  readonly minds?: readonly Mind[]
  readonly tools?: readonly Tool[]
}

/** A kernel with these minds and tools. */
export function kernelWith({ minds = [], tools = [], ...options }: KernelParts): Kernel {
  const kernel = new Kernel(options)
  for (const mind of minds) kernel.registry.registerMind(mind)
  for (const each of tools) kernel.registry.registerTool(each)
  return kernel
}

/** Starts the program `main` as the run `r`. */
export function runMain(kernel: Kernel, input: Json = null): Promise<RunOutcome> {
  return kernel.run({ kind: 'program', name: 'main', input, runId: 'r' })
}

/** Calls a tool. */
export function call(context: RunContext, name: string, input: Json = null, key?: string): Promise<Outcome<Json>> {
  return context.perform({ kind: 'tool', name, input, ...(key === undefined ? {} : { key }) })
}

/** Calls a tool and gives its value, or says why there is none. */
export async function value(context: RunContext, name: string, input: Json = null): Promise<Json> {
  const outcome = await call(context, name, input)
  return outcome.status === 'ok' ? outcome.value : outcome.status
}

/** The journal as a process that died after `count` entries of the run left it. */
export async function cutAfter(journal: Journal, run: string, count: number): Promise<Journal> {
  const cut = memoryJournal()
  const lease = await cut.acquire({ run, owner: 'gone', ttlMs: 0, now: 0 })
  await cut.append(lease, 0, (await readAll(journal, run)).slice(0, count))
  await cut.release(lease)
  return cut
}

/** `type key` of every entry, in order. */
export async function linesOf(journal: Journal, run = 'r'): Promise<string[]> {
  return (await readAll(journal, run)).map(({ type, key }) => (key === undefined ? type : `${type} ${key}`))
}

/** The entries of one type, with their data. */
export async function entriesOf<T extends EntryType>(journal: Journal, type: T, run = 'r'): Promise<IntactEntry<T>[]> {
  return entriesOfType(await readAll(journal, run), type)
}

/** Lets everything else go on until `look` gives something. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (let turns = 0; turns < 100_000; turns++) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await nextTurn()
  }
  throw new Error('it never came to that')
}

/** Lets everything that can go on without time passing go on. */
export async function rest(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn()
}

/** A promise, and the way to settle it. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>()
}

/** What a run gave, or the state it is in instead. */
export function outputOf(outcome: RunOutcome): Json {
  return outcome.state === 'completed' ? outcome.output : outcome.state
}

/** A journal of which some members do something else. */
export function journalWith(inner: Journal, members: Partial<Journal>): Journal {
  return new Proxy(inner, {
    get(target, name) {
      const member =
        (members as Record<PropertyKey, unknown>)[name] ?? (target as unknown as Record<PropertyKey, unknown>)[name]
      return typeof member === 'function'
        ? (member as (...args: unknown[]) => unknown).bind(name in members ? members : target)
        : member
    },
  })
}

/** A store whose appends wait, those that are held, until they are let through. */
export function holdAppends(
  inner: Journal,
  isHeld: (types: readonly string[], run: string) => boolean,
): { journal: Journal; open: () => void } {
  const opened = gate()
  const append: Journal['append'] = async (lease, expected, entries, consume) => {
    if (
      isHeld(
        entries.map(({ type }) => type),
        lease.run,
      )
    )
      await opened.promise
    return inner.append(lease, expected, entries, consume)
  }
  return { journal: journalWith(inner, { append }), open: opened.resolve }
}
