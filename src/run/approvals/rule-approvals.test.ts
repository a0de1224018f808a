import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import {
  GENESIS,
  STANDING_JOURNAL,
  STANDING_NOTE,
  exportRun,
  headOf,
  headSigner,
  importRun,
  memoryJournal,
  readAll,
} from '../../journal/index.ts'
import type { Entry, HeadSigner, Journal, PublicKeys } from '../../journal/index.ts'
import { forgeEntry } from '../../testing/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { ApprovalResponse } from '../kernel/host.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { call, entriesOf, journalWith, kernelWith, program, tool } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'

const DAY = 24 * 3_600_000
const RULES: Mandate = { rules: [{ id: 'look', when: { tool: 'pay' }, then: 'ask', reason: 'look first' }] }
const ana = { id: 'ana', roles: ['owner'] }

interface Place extends KernelParts {
  readonly facts?: Partial<Tool>
  readonly name?: string
  /** Stands for the code of the program. */
  readonly hash?: string
}

/** A process over a store, in which a program makes the payments that its input lists. */
function place(
  journal: Journal,
  { facts, name = 'main', hash = 'code', ...parts }: Place = {},
): { kernel: Kernel; paid: Json[] } {
  const paid: Json[] = []
  const pay = tool('pay', (input) => (paid.push(input), 'paid'), { risk: 'write', ...facts })
  const main = program(
    name,
    async (input, context) => {
      const seen: string[] = []
      for (const each of input as Json[]) seen.push((await call(context, 'pay', each)).status)
      return seen
    },
    { pins: () => ({ hash }) },
  )
  return { kernel: kernelWith({ journal, minds: [main], tools: [pay], mandate: RULES, ...parts }), paid }
}

const pays = (runId: string, ...input: Json[]) => ({ kind: 'program', name: 'main', input, runId }) as const

/** A store in which ana has approved the rule, in a run that is over. */
async function approved(more: Partial<ApprovalResponse> = {}, parts: Place = {}): Promise<Journal> {
  const journal = memoryJournal()
  const { kernel } = place(journal, parts)
  await kernel.run(pays('first', { to: 'x' }))
  const [request] = await kernel.approvals('first')
  await kernel.respond(request!.id, { answer: 'approve', scope: 'rule', text: 'they are regulars', ...more }, ana)
  expect(await kernel.resume('first')).toMatchObject({ state: 'completed' })
  await kernel.stop()
  return journal
}

/** Whether a call in a new run is made unasked. */
async function isLifted(journal: Journal, parts: Place = {}, input: Json = { to: 'y' }): Promise<boolean> {
  const { kernel, paid } = place(journal, parts)
  const outcome = await kernel.run({ ...pays('second', input), name: parts.name ?? 'main' })
  const isPaid = paid.length === 1
  expect(outcome.state).toBe(isPaid ? 'completed' : 'suspended')
  expect(await kernel.verify('second')).toMatchObject({ ok: true })
  return isPaid
}

describe('an approval with the scope rule', () => {
  test('holds in other runs and processes, and the journal says under which approval a call was made', async () => {
    const journal = await approved()
    expect(await isLifted(journal)).toBe(true)
    const [start] = await entriesOf(journal, 'effect-start', 'second')
    const id = expect.stringMatching(/^first-ap\d+$/u) as string
    expect(start!.data.decision).toMatchObject({ verdict: 'ask', rule: 'rules/look', standing: id })
    const [cited] = await entriesOf(journal, 'note', 'second')
    const standing = { tool: 'pay', riskMax: 'write', bound: { rules: ['0:rules/look'], mind: 'program/main' } }
    expect(cited!.data).toMatchObject({
      name: STANDING_NOTE,
      value: { id, run: 'first', response: { by: ana, text: 'they are regulars', standing } },
    })
    const [response] = await entriesOf(journal, 'approval-response', 'first')
    expect(response!.data).toMatchObject({ scope: 'rule', by: ana, standing })
  })

  test('is not asked for by a replay: the decision is in the journal', async () => {
    const journal = await approved()
    await isLifted(journal)
    const { kernel } = place(journal)
    const [{ id } = { id: '' }] = await kernel.standingApprovals()
    await kernel.revoke(id)
    expect((await kernel.replay('second')).identical).toBe(true)
  })

  test('covers the inputs it was narrowed to', async () => {
    const journal = await approved({ standing: { input: { to: 'x' } } })
    expect(await isLifted(journal, {}, { to: 'y' })).toBe(false)
    const { kernel, paid } = place(journal)
    await kernel.run(pays('third', { to: 'x', euros: 9 }))
    expect(paid).toHaveLength(1)
  })

  test('ends when it expires, after 30 days at the latest', async () => {
    const clock = manualClock(1_000)
    const journal = await approved({}, { clock })
    clock.advance(30 * DAY - 1)
    const { kernel, paid } = place(journal, { clock })
    await kernel.run(pays('third', 1))
    expect(paid).toEqual([1])
    clock.advance(1)
    expect(await isLifted(journal, { clock })).toBe(false)
    expect(await kernel.standingApprovals()).toEqual([])
    expect(await kernel.standingApprovals({ all: true })).toMatchObject([{ state: 'expired' }])
  })

  test('ends when it is revoked, also for a process that has used it before', async () => {
    const journal = await approved()
    const { kernel, paid } = place(journal)
    await kernel.run(pays('third', 1))
    const other = place(journal).kernel
    const [{ id } = { id: '' }] = await other.standingApprovals()
    await other.revoke(id, 'it went on too long', ana)
    expect(await kernel.run(pays('fourth', 2))).toMatchObject({ state: 'suspended' })
    expect(paid).toEqual([1])
    expect(await kernel.standingApprovals()).toEqual([])
    expect(await kernel.standingApprovals({ all: true })).toMatchObject([
      { id, state: 'revoked', tool: 'pay', by: ana, reason: 'they are regulars', revoked: { by: ana } },
    ])
    // The run in which it was given has it recorded, and must not bring it back.
    await other.revoke(id)
    expect(await isLifted(journal)).toBe(false)
  })

  test('ends for a call that waited for its turn while it was revoked', async () => {
    const journal = await approved()
    const held = Promise.withResolvers<string>()
    const slow = tool('slow', () => held.promise)
    const main = program('main', async (_, context) => {
      const first = call(context, 'slow', null, 'slow')
      const second = context.task('pay', (strand) => call(strand, 'pay', { to: 'y' }))
      return [(await first).status, (await second).status]
    })
    const paid: Json[] = []
    const pay = tool('pay', (input) => (paid.push(input), 'paid'), { risk: 'write' })
    const kernel = kernelWith({ journal, minds: [main], tools: [pay, slow], mandate: RULES, limits: { parallel: 1 } })
    const run = kernel.run({ ...pays('busy'), input: null })
    await new Promise((resolve) => setTimeout(resolve, 30))
    const [{ id } = { id: '' }] = await kernel.standingApprovals()
    await kernel.revoke(id)
    held.resolve('done')
    expect(await run).toMatchObject({ state: 'suspended', reason: 'approval' })
    expect(paid).toEqual([])
  })
})

describe('it is bound to what was shown', () => {
  const changes: { readonly [what: string]: Place } = {
    'the rule says something else': { mandate: { rules: [{ ...RULES.rules![0]!, reason: 'look twice' }] } },
    'the mandate has another field': { mandate: { ...RULES, callCap: 3 } },
    'the mandate was replaced': { mandate: { profile: 'strict' } },
    'the tool describes itself otherwise': { facts: { description: 'pays twice' } },
    'the tool takes another input': { facts: { inputSchema: { type: 'object', properties: {} } } },
    'the tool has another risk': { facts: { risk: 'read' } },
    'another mind asks': { name: 'other' },
    'the mind has other code': { hash: 'other code' },
  }
  for (const [what, parts] of Object.entries(changes))
    test(`it lifts nothing once ${what}`, async () => expect(await isLifted(await approved(), parts)).toBe(false))

  test('it does not answer another rule that asks about the same call', async () => {
    const mandate: Mandate = {
      profile: 'strict',
      rules: [{ id: 'large', when: { tool: 'pay', 'input.euros': { gt: 100 } }, then: 'ask' }],
    }
    const journal = await approved({}, { mandate })
    expect(await isLifted(journal, { mandate }, { to: 'x', euros: 500 })).toBe(false)
    const { kernel, paid } = place(journal, { mandate })
    await kernel.run(pays('third', { euros: 5 }))
    expect(paid).toHaveLength(1)
  })

  test('it lifts no denial, and no question that is asked of each call', async () => {
    const journal = await approved()
    const never: Mandate = { rules: [{ id: 'no', when: { tool: 'pay' }, then: 'deny' }] }
    const { kernel, paid } = place(journal, { mandate: never })
    expect(await kernel.run(pays('third', 1))).toMatchObject({ state: 'completed', output: ['denied'] })
    expect(paid).toEqual([])
  })

  test('it cannot be given for what is about one run alone', async () => {
    const { kernel } = place(memoryJournal(), { mandate: { callCap: 0 } })
    await kernel.run(pays('r', 1))
    const [request] = await kernel.approvals('r')
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('"once" or "run"') as string }
    await expect(kernel.respond(request!.id, { answer: 'approve', scope: 'rule' })).rejects.toMatchObject(refused)
  })
})

async function keys(keyId: string): Promise<{ signer: HeadSigner; trustedKeys: PublicKeys }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  return { signer: headSigner({ privateKey, keyId }), trustedKeys: { [keyId]: publicKey } }
}

describe('it must be shown to be given here', () => {
  test('a host that signs answers believes only those with its signature', async () => {
    const ours = await keys('ours')
    expect(await isLifted(await approved({}, ours), ours)).toBe(true)
    const shown = await approved({}, ours)
    await isLifted(shown, ours)
    const report = async (trustedKeys: PublicKeys) => place(shown).kernel.verify('second', { trustedKeys })
    expect(await report(ours.trustedKeys)).toMatchObject({ authority: 'shown' })
    expect(await report((await keys('other')).trustedKeys)).toMatchObject({ authority: 'not-shown', unproven: [2] })
    const unsigned = await approved()
    expect(await isLifted(unsigned, ours)).toBe(false)
    const { kernel } = place(unsigned, ours)
    expect(await kernel.standingApprovals({ all: true })).toMatchObject([{ state: 'unproven' }])
  })

  test('a signature covers how far it reaches', async () => {
    const ours = await keys('ours')
    const journal = await approved({ standing: { input: { to: 'x' } } }, ours)
    const entries = await readAll(journal, STANDING_JOURNAL)
    const forged = entries.map((entry) => structuredClone(entry))
    delete (forged[1]!.data as unknown as { value: { response: { standing: { input?: Json } } } }).value.response
      .standing.input
    const wide = memoryJournal()
    const lease = await wide.acquire({ run: STANDING_JOURNAL, owner: 'mallory', ttlMs: 1_000, now: 0 })
    const { type, at, data } = forged[1]!
    await wide.append(lease, 0, [
      entries[0]!,
      forgeEntry(STANDING_JOURNAL, headOf(entries[0]!), { type, at, data: data! }, 's'),
    ])
    await wide.release(lease)
    expect(await isLifted(wide, ours)).toBe(false)
    // A host without keys believes whatever can write to its store, as it does of every answer.
    expect(await isLifted(wide)).toBe(true)
  })

  test('an imported journal of approvals gives nothing', async () => {
    const lines: string[] = []
    for await (const line of exportRun(await approved(), STANDING_JOURNAL)) lines.push(line)
    const journal = memoryJournal()
    await importRun(journal, lines, 0)
    expect(await isLifted(journal)).toBe(false)
    expect(await place(journal).kernel.standingApprovals({ all: true })).toEqual([])
  })

  test('an imported run neither uses nor gives one, even where a key that is trusted covers it', async () => {
    const ours = await keys('ours')
    const there = memoryJournal()
    const { kernel } = place(there, ours)
    await kernel.run(pays('r', 1, 2))
    const [request] = await kernel.approvals('r')
    await kernel.respond(request!.id, { answer: 'approve', scope: 'rule' }, ana)
    const cut: string[] = []
    for await (const line of exportRun(there, 'r', ours.signer)) cut.push(line)
    const here = await approved({}, ours)
    const before = (await readAll(here, STANDING_JOURNAL)).length
    await importRun(here, cut, 0)
    const { kernel: host, paid } = place(here, ours)
    expect(await host.resume('r')).toMatchObject({ state: 'suspended' })
    expect(paid).toEqual([])
    expect(await readAll(here, STANDING_JOURNAL)).toHaveLength(before)
  })

  test('a fork neither uses nor gives one', async () => {
    const journal = await approved()
    const { kernel, paid } = place(journal)
    await kernel.run(pays('second', 1, 2))
    expect(paid).toEqual([1, 2])
    const end = (await entriesOf(journal, 'effect-end', 'second'))[0]!.seq
    const fork = await kernel.fork('second', { at: end })
    expect(await kernel.resume(fork)).toMatchObject({ state: 'suspended', reason: 'approval' })
    const [request] = await kernel.approvals(fork)
    await expect(kernel.respond(request!.id, { answer: 'approve', scope: 'rule' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    expect([paid, (await kernel.verify(fork)).problems]).toEqual([[1, 2], []])
  })

  test('a journal that cannot be read, or has lost entries, lifts nothing', async () => {
    const journal = await approved()
    const failing = journalWith(journal, {
      read: (run, ...rest) => {
        if (run === STANDING_JOURNAL) throw new Error('the disk is gone')
        return journal.read(run, ...rest)
      },
    })
    expect(await isLifted(failing)).toBe(false)
    const { kernel, paid } = place(journalWith(journal, { summary: (run) => shrinking(run) }))
    let isGone = false
    const shrinking: Journal['summary'] = async (run) =>
      isGone && run === STANDING_JOURNAL ? undefined : journal.summary(run)
    await kernel.run(pays('third', 1))
    isGone = true
    await kernel.run(pays('fourth', 2))
    expect(paid).toEqual([1])
  })

  test('what the journal of a run says of an approval is checked like an approval in it', async () => {
    const journal = await approved({ standing: { input: { to: 'y' } } })
    await isLifted(journal)
    const entries = await readAll(journal, 'second')
    const at = entries.findIndex(({ type }) => type === 'note')
    const rewritten = memoryJournal()
    const lease = await rewritten.acquire({ run: 'second', owner: 'mallory', ttlMs: 1_000, now: 0 })
    const forged: Entry[] = []
    for (const [index, entry] of entries.entries()) {
      const data = structuredClone(entry.data!)
      if (index === at) (data as unknown as { value: { id: string } }).value.id = 'other-ap1'
      const { type, key } = entry
      forged.push(
        forgeEntry(
          'second',
          forged.length === 0 ? GENESIS : headOf(forged.at(-1)!),
          { type, key, at: entry.at, data },
          's',
        ),
      )
    }
    await rewritten.append(lease, 0, forged)
    const { problems } = await place(rewritten).kernel.verify('second')
    expect(problems).toMatchObject([expect.stringContaining('was performed without an approval')])
  })
})

describe('who may do what with it', () => {
  const mandate: Mandate = {
    ...RULES,
    roles: { lead: ['approve', 'run-agent'], reader: ['read-journal'], worker: ['run-agent'] },
  }
  const lead = { id: 'lena', roles: ['lead'] }

  test('listing takes the right to approve or to read, revoking that to approve', async () => {
    const parts = { mandate, identity: lead }
    const journal = memoryJournal()
    const { kernel } = place(journal, parts)
    await kernel.run(pays('first', 1))
    const [request] = await kernel.approvals('first')
    await kernel.respond(request!.id, { answer: 'approve', scope: 'rule' })
    await kernel.resume('first')
    const worker = { id: 'wim', roles: ['worker'] }
    const reader = { id: 'rosa', roles: ['reader'] }
    expect(await kernel.standingApprovals({}, reader)).toMatchObject([{ by: lead }])
    expect(await kernel.standingApprovals({}, lead)).toHaveLength(1)
    await expect(kernel.standingApprovals({}, worker)).rejects.toMatchObject({ code: 'DENIED' })
    const agent = { ...lead, agent: true }
    for (const by of [worker, reader, agent])
      await expect(kernel.revoke(request!.id, undefined, by)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(kernel.revoke('first-ap99', undefined, lead)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await kernel.standingApprovals()).toHaveLength(1)
    await kernel.revoke(request!.id, undefined, lead)
    expect(await kernel.standingApprovals()).toEqual([])
  })

  test('one that the store holds in the name of an agent lifts nothing', async () => {
    const journal = await approved()
    const entries = await readAll(journal, STANDING_JOURNAL)
    const forged = memoryJournal()
    const data = structuredClone(entries[1]!.data!) as unknown as { value: { response: { by: object } } }
    data.value.response.by = { id: 'main', roles: ['owner'], agent: true }
    const lease = await forged.acquire({ run: STANDING_JOURNAL, owner: 'x', ttlMs: 1_000, now: 0 })
    const { type, at } = entries[1]!
    await forged.append(lease, 0, [
      entries[0]!,
      forgeEntry(STANDING_JOURNAL, headOf(entries[0]!), { type, at, data }, 's'),
    ])
    await forged.release(lease)
    expect(await isLifted(forged)).toBe(false)
  })
})

test('its journal is no run: it is not listed, cannot be started, and verifies', async () => {
  const journal = await approved()
  const { kernel } = place(journal)
  expect((await kernel.list()).map(({ run }) => run)).toEqual(['first'])
  expect(await kernel.list({ limit: 1 })).toHaveLength(1)
  expect(await kernel.verify(STANDING_JOURNAL)).toMatchObject({ ok: true })
  expect(() => kernel.begin(pays(STANDING_JOURNAL))).toThrow('Use another one')
  await expect(kernel.fork('first', { runId: STANDING_JOURNAL })).rejects.toMatchObject({ code: 'ID_INVALID' })
  await expect(kernel.resume(STANDING_JOURNAL)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
