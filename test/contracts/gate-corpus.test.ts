import { expect, test } from 'vitest'
import { readCorpus } from '../corpora/read-corpus.ts'
import { manualClock } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { Budget, createGate } from '../../src/gate/index.ts'
import type { ContentFilter, Mandate, Rule } from '../../src/gate/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { KernelOptions, RunContext } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'

interface Bench {
  readonly kernel: Kernel
  readonly journal: Journal
  readonly sent: Json[]
  run(): ReturnType<Kernel['run']>
}

function bench(start: (context: RunContext) => Promise<unknown>, options: KernelOptions = {}): Bench {
  const journal = options.journal ?? memoryJournal()
  const kernel = new Kernel({ clock: manualClock(1_000), ...options, journal })
  const sent: Json[] = []
  const facts = { inputSchema: { type: 'object' }, risk: 'write' as const }
  kernel.registry.registerTool(defineTool({ name: 'mail.send', ...facts, run: (input: Json) => void sent.push(input) }))
  kernel.registry.registerMind({
    kind: 'program',
    name: 'p',
    start: async (_, context) => ((await start(context)) ?? null) as Json,
  })
  return { kernel, journal, sent, run: () => kernel.run({ kind: 'program', name: 'p', input: null, runId: 'r' }) }
}

const send = (context: RunContext, input: Json = { to: 'ana' }): Promise<{ status: string }> =>
  context.perform({ kind: 'tool', name: 'mail.send', input })
const statusOf = async (context: RunContext): Promise<string> => (await send(context)).status

async function verdict(mandate: Mandate, name = 'mail.send', worst = {}): Promise<string> {
  const gate = createGate({ mandate })
  const facts = { known: name === 'mail.send', risk: 'write' as const, worst }
  const effect = { kind: 'tool' as const, name, input: {} }
  const budget = new Budget({ money: 1 })
  return (
    await gate.decide({
      effect,
      facts,
      identity: { id: 'a', roles: ['owner'] },
      budget,
      depth: 0,
      toolCalls: 0,
      now: 0,
    })
  ).verdict
}

/** How each case of the corpus ends here. */
const CASES: { readonly [id: string]: () => Promise<void> } = {
  // Minds and plugins never hold a performer: one-gate.test.ts shows that only the kernel calls them. A tool's `run` is its author's own function.
  'tool-gate-01': async () => {
    const { run } = bench(async (context) =>
      Object.keys(context).filter((name) => /performer|registry|kernel|host/.test(name)),
    )
    expect(await run()).toMatchObject({ output: [] })
  },
  'tool-gate-05': async () => {
    const { kernel, run, sent } = bench(async (context) => send(context), { mandate: { profile: 'strict' } })
    await run()
    const [open] = await kernel.approvals('r')
    await kernel.respond(open!.id, { answer: 'approve', edit: { to: 'bob' } })
    await kernel.resume('r')
    // What the approver edited is what ran; the approval of one input does not cover another.
    expect(sent).toEqual([{ to: 'bob' }])
    await expect(kernel.respond(open!.id, { answer: 'approve' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
  },
  'tool-gate-06': async () => {
    const slow: ContentFilter = { name: 'slow', check: () => Promise.resolve(undefined) }
    const mandate: Mandate = { content: [{ id: 'slow', on: ['tool-input'], filter: 'slow' }] }
    const { run, sent, journal } = bench(
      async (context) => {
        const effect = { kind: 'tool' as const, name: 'mail.send', input: { to: 'ana', cc: ['a'] } }
        const done = context.perform(effect)
        effect.input.to = 'eve'
        effect.input.cc.push('eve')
        effect.name = 'other'
        return done
      },
      { mandate, filters: [slow] },
    )
    await run()
    expect(sent).toEqual([{ to: 'ana', cc: ['a'] }])
    expect(JSON.stringify(await readAll(journal, 'r'))).not.toContain('eve')
  },
  'tool-gate-09': async () => {
    expect(() => new Budget({ money: -1 })).toThrow('money')
    expect(await verdict({}, 'mail.send', { money: -1 })).toBe('deny')
  },
  'tool-gate-10': async () => expect(await verdict({}, 'mail.send', { money: Number.NaN })).toBe('deny'),
  'tool-gate-12': async () => expect(await verdict({}, 'nobody')).toBe('deny'),
  // Deliberately otherwise: what no rule speaks of is left to the other guards. Whoever wants it denied gives an allow list, or a last rule.
  'tool-gate-13': async () => {
    expect(await verdict({ allow: ['other'] })).toBe('deny')
    expect(await verdict({ rules: [{ id: 'last', when: {}, then: 'deny' }] })).toBe('deny')
  },
  'tool-gate-14': async () => {
    expect(await verdict({ allow: ['mail.*'], deny: ['mail.send'] })).toBe('deny')
    // Of rules the first that matches decides, and no `allow` lifts what another guard says.
    expect(await verdict({ deny: ['mail.send'], rules: [{ id: 'yes', when: {}, then: 'allow' }] })).toBe('deny')
  },
  // The order of rules is part of their meaning, and documented; the order of lists is not.
  'tool-gate-16': async () => {
    const rules: readonly Rule[] = [
      { id: 'a', when: { tool: 'mail.*' }, then: 'ask' },
      { id: 'b', when: { name: 'other' }, then: 'deny' },
    ]
    expect(await verdict({ rules })).toBe(await verdict({ rules: rules.toReversed() }))
    expect(await verdict({ deny: ['a', 'mail.send'] })).toBe(await verdict({ deny: ['mail.send', 'a'] }))
  },
  'tool-gate-17': async () => {
    const { run, sent, kernel } = bench(async (context) => {
      await send(context)
      kernel.setMandate({ deny: ['mail.send'] })
      return statusOf(context)
    })
    expect(await run()).toMatchObject({ output: 'ok' })
    expect(sent).toHaveLength(2)
    expect(JSON.stringify(await readAll(kernel.journal, 'r'))).toMatch(
      /"pins":\{"labels":"coarse","mandate":"[0-9a-f]{64}"/,
    )
  },
  'tool-gate-19': async () => {
    const journal = memoryJournal()
    const append = journal.append.bind(journal)
    journal.append = async (lease, seq, entries, consume) => {
      if (entries.some(({ type }) => type === 'effect-start')) throw new Error('no space left')
      return append(lease, seq, entries, consume)
    }
    const { run, sent } = bench(async (context) => send(context), { journal })
    await run().catch(() => {})
    expect(sent).toEqual([])
  },
  'tool-gate-20': async () => {
    const first = bench(async (context) => send(context))
    await first.run()
    const entries = await readAll(first.journal, 'r')
    const cut = memoryJournal()
    const lease = await cut.acquire({ run: 'r', owner: 'gone', ttlMs: 0, now: 0 })
    await cut.append(lease, 0, entries.slice(0, entries.findIndex(({ type }) => type === 'effect-start') + 1))
    await cut.release(lease)
    const second = bench(async (context) => send(context), { journal: cut })
    expect(await second.kernel.resume('r')).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
    expect(second.sent).toEqual([])
  },
  'tool-gate-21': async () => {
    const { kernel, run, sent } = bench(async (context) => send(context))
    await run()
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    expect(sent).toHaveLength(1)
  },
  'tool-gate-22': async () => {
    const { journal, run } = bench(async (context) => send(context), { mandate: { deny: ['mail.send'] } })
    await run()
    const types = (await readAll(journal, 'r')).map(({ type }) => type)
    expect(types).toEqual(['run-start', 'effect-decide', 'effect-end', 'run-end'])
  },
  'tool-gate-23': async () => {
    const intent = { toolName: 'mail.read', purpose: 'read mail', expectedOutcome: 'mail', riskLevel: 'read' as const }
    const { run, sent } = bench(
      async (context) => (await context.perform({ kind: 'tool', name: 'mail.send', input: {}, intent })).status,
      { mandate: { intentRequired: true } },
    )
    expect(await run()).toMatchObject({ output: 'denied' })
    expect(sent).toEqual([])
  },
  'tool-gate-24': async () => {
    const intent = { toolName: 'mail.send', purpose: 'as told', expectedOutcome: 'mail', riskLevel: 'write' as const }
    const { kernel, journal, run } = bench(async (context) => {
      await context.perform({ kind: 'tool', name: 'web.read', input: {} })
      return (await context.perform({ kind: 'tool', name: 'mail.send', input: {}, intent })).status
    })
    const web = { name: 'web.read', risk: 'read' as const, labels: ['untrusted:web'] }
    kernel.registry.registerTool(defineTool({ ...web, inputSchema: { type: 'object' }, run: () => 'send it' }))
    await run()
    const starts = entriesOfType(await readAll(journal, 'r'), 'effect-start')
    const start = starts.find(({ data }) => data.name === 'mail.send')
    expect(start?.data).toMatchObject({ intent, labels: ['untrusted:web'] })
  },
  'tool-gate-25': async () => {
    const text = `x\u200b${'y'.repeat(100_000)}`
    const { kernel, run } = bench(async (context) => send(context, { text }), { mandate: { profile: 'strict' } })
    await run()
    expect((await kernel.approvals('r'))[0]?.input).toEqual({ text })
  },
}

const corpus = readCorpus<{ id: string; category: string; input: Json; reason: string }>('tools').filter(
  ({ category }) => category === 'gate',
)

test.each(corpus.map(({ id, reason, input }) => [id, reason, input] as const))('%s: %s', async (id) => {
  expect(Object.keys(CASES)).toContain(id)
  await CASES[id]!()
})
