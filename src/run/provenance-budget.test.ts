import { describe, expect, it } from 'vitest'
import { canonical } from '../core/index.ts'
import type { BudgetLimits, Json } from '../core/index.ts'
import { exportRun, headOf, headSigner, importRun, memoryJournal } from '../journal/index.ts'
import type { Entry, HeadSigner, Journal } from '../journal/index.ts'
import { forgeEntry } from '../testing/index.ts'
import type { ForgedDraft } from '../testing/index.ts'
import { childId } from './nested/child-id.ts'
import { call, kernelWith, outputOf, program, tool } from './kernel/kernel.fixture.ts'
import type { KernelParts } from './kernel/kernel.fixture.ts'
import type { Kernel } from './kernel/kernel.ts'

const OWNER = { id: 'mallory', roles: ['owner'] }
const CALLS = 6

interface Host {
  readonly kernel: Kernel
  readonly journal: Journal
}

/** A program that asks a question and then calls a tool six times; `outer` runs it as a child. */
function host(parts: KernelParts = {}): Host {
  const journal = memoryJournal()
  const main = program('main', async (_, context) => {
    await call(context, 'ask')
    const statuses: Json[] = []
    for (let turn = 0; turn < CALLS; turn++) statuses.push((await call(context, 'act')).status)
    return statuses.filter((status) => status === 'ok').length
  })
  const outer = program('outer', async (_, context) => {
    const outcome = await context.perform({ kind: 'program', name: 'main', input: null })
    return outcome.status === 'ok' ? outcome.value : outcome.status
  })
  const tools = [tool('ask', () => 'yes', { needsApproval: true }), tool('act', () => 'done')]
  return { kernel: kernelWith({ journal, minds: [main, outer], tools, ...parts }), journal }
}

async function linesOf(journal: Journal, run: string, signer?: HeadSigner): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRun(journal, run, signer)) lines.push(line)
  return lines
}

/** The lines of a run that waits for its answer elsewhere, and of its child where it has one. */
async function waiting(name: 'main' | 'outer', budget: BudgetLimits): Promise<string[][]> {
  const { kernel, journal } = host()
  await kernel.run({ kind: 'program', name, input: null, runId: 'r', budget })
  const ids = name === 'main' ? ['r'] : ['r', childId('r', 'program')]
  return Promise.all(ids.map((run) => linesOf(journal, run)))
}

/** Entries of an export, changed and sealed again: what every reader of it can do. */
function reseal(lines: readonly string[], change: (entries: Entry[]) => readonly Omit<ForgedDraft, 'at'>[]): string[] {
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  const { run, at } = entries[0]!
  let head = { seq: 0, hash: '0'.repeat(64), at: 0 }
  return change(entries).map(({ type, key, data }) => {
    const entry = forgeEntry(run, head, { type, ...(key === undefined ? {} : { key }), data, at }, 'salt')
    head = headOf(entry)
    return canonical(entry)
  })
}

function withChange(lines: readonly string[], budget: BudgetLimits): string[] {
  const note = { name: 'budget-changed', value: { budget, by: OWNER } }
  return reseal(lines, (entries) => [...entries, { type: 'note', data: note }])
}

async function imported(exports: readonly (readonly string[])[], parts: KernelParts = {}): Promise<Host> {
  const here = host(parts)
  for (const lines of exports) await importRun(here.journal, lines, 0)
  return here
}

/** Answers what the run asks, and says how often its tool was called. */
async function callsOf({ kernel }: Host, run = 'r'): Promise<Json> {
  const [request] = await kernel.approvals()
  await kernel.respond(request!.id, { answer: 'approve' })
  return outputOf(await kernel.resume(run))
}

describe('a change of the budget in an imported run', () => {
  it.each([
    ['raises nothing', { toolCalls: 3 }, { toolCalls: 100 }, 2],
    ['lowers what it names', { toolCalls: 3 }, { toolCalls: 2 }, 1],
    ['limits what had no limit', {}, { toolCalls: 2 }, 1],
  ])('%s', async (_, budget, change, performed) => {
    const [lines] = await waiting('main', budget)
    expect(await callsOf(await imported([withChange(lines!, change)]))).toBe(performed)
  })

  it('counts when it is made here, also in a fork', async () => {
    const [lines] = await waiting('main', { toolCalls: 3 })
    const here = await imported([withChange(lines!, { toolCalls: 100 })])
    const fork = await here.kernel.fork('r', { budget: { toolCalls: 5 } })
    await here.kernel.resume('r', { budget: { toolCalls: 4 } })
    const later = await here.kernel.fork('r')
    for (const [run, performed] of [
      [fork, 4],
      [later, 3],
      ['r', 3],
    ] as const) {
      await here.kernel.resume(run)
      const [request] = await here.kernel.approvals(run)
      await here.kernel.respond(request!.id, { answer: 'approve' })
      expect(outputOf(await here.kernel.resume(run)), run).toBe(performed)
    }
  })

  it('counts under a signature that the host trusts', async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    const signer = headSigner({ privateKey, keyId: 'ours' })
    const [lines] = await waiting('main', { toolCalls: 3 })
    const there = await imported([withChange(lines!, { toolCalls: 100 })])
    const signed = await linesOf(there.journal, 'r', signer)
    expect(await callsOf(await imported([signed], { trustedKeys: { ours: publicKey } }))).toBe(CALLS)
    expect(await callsOf(await imported([signed]))).toBe(2)
  })
})

describe('an imported child', () => {
  const claims = (lines: readonly string[], more: object): string[] =>
    reseal(lines, ([start, ...rest]) => [{ ...start!, data: { ...start!.data, ...more } }, ...rest])

  it.each([{}, { allotted: true, budget: {} }])('that says %j is held to the budget of the host', async (more) => {
    const [parent, child] = await waiting('outer', {})
    const here = await imported([parent!, claims(child!, more)], { mandate: { budget: { toolCalls: 3 } } })
    expect(await callsOf(here)).toBe(2)
  })

  it('is nested below its parent, whatever it claims', async () => {
    const [parent, child] = await waiting('outer', {})
    const depths: number[] = []
    const here = await imported([parent!, claims(child!, { depth: 0 })])
    here.kernel.registry.registerMind(
      program('main', async (_, { depth }) => (depths.push(depth), depth)),
      { override: true },
    )
    await here.kernel.resume('r')
    expect(depths).toEqual([1])
  })
})

it.each([
  ['spent', { spent: { toolCalls: -100 }, activeMs: 0 }],
  ['activeMs', { activeMs: -1 }],
])('an import in which `%s` is less than nothing is refused', async (member, wrong) => {
  const [lines] = await waiting('main', { toolCalls: 3 })
  const forged = reseal(lines!, (entries) =>
    entries.map((entry) => (entry.type === 'run-suspend' ? { ...entry, data: { ...entry.data, ...wrong } } : entry)),
  )
  await expect(importRun(memoryJournal(), forged, 0)).rejects.toThrow(`\`${member}\` of its run-suspend`)
})
