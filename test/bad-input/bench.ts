import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { KernelOptions, Mind, RunOutcome } from '../../src/run/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import type { SqliteJournal, SqliteJournalOptions } from '../../src/store/sqlite/sqlite-journal.ts'
import type { Tool } from '../../src/tool/index.ts'

/** A folder that is gone when the test is. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mandate-bad-input-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** A journal on disk, closed when the test is over. */
export function journalAt(path: string, more: Partial<SqliteJournalOptions> = {}): SqliteJournal {
  const journal = sqliteJournal({ path, watchIntervalMs: 5, ...more })
  onTestFinished(() => journal.close())
  return journal
}

export function tool(name: string, run: Tool['run'], facts: Partial<Tool> = {}): Tool {
  return { name, inputSchema: {}, risk: 'read', validate: (input) => ({ valid: true, value: input }), run, ...facts }
}

export interface Parts extends KernelOptions {
  readonly start: Mind['start']
  readonly tools?: readonly Tool[]
}

export function kernelWith({ start, tools = [], ...options }: Parts): Kernel {
  const kernel = new Kernel(options)
  kernel.registry.registerMind({ kind: 'program', name: 'main', start })
  for (const each of tools) kernel.registry.registerTool(each)
  return kernel
}

export function runMain(kernel: Kernel, more: object = {}): Promise<RunOutcome> {
  return kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', ...more })
}

/** Calls each tool once, one after the other, and gives what they gave. */
export function callAll(...names: readonly string[]): Mind['start'] {
  return async (_, context) => {
    const outcomes: Json[] = []
    for (const name of names)
      outcomes.push((await context.perform({ kind: 'tool', name, input: { name } })) as unknown as Json)
    return outcomes
  }
}

/** What must hold of every run after whatever was done to it. */
export async function isSound(kernel: Kernel, run = 'r'): Promise<boolean> {
  const [verified, replayed] = [await kernel.verify(run), await kernel.replay(run)]
  return verified.ok && replayed.identical
}
