import type { RunEventBus } from '../../journal/index.ts'
import { expect, it } from 'vitest'
import { EventBus } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { headOf, headSigner, memoryJournal, readAll, verifyHead } from '../../journal/index.ts'
import type { Entry, Head, HeadSigner, Journal, SignedHead } from '../../journal/index.ts'
import { forgeEntry, tamperEntry } from '../../testing/index.ts'
import { Kernel } from '../index.ts'
import type { KernelOptions } from '../index.ts'

const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
const signer = headSigner({ privateKey, keyId: 'k' })

function kernelWith(options: KernelOptions): { kernel: Kernel; events: MandateEvent[] } {
  const events: MandateEvent[] = []
  const bus: RunEventBus = new EventBus()
  bus.on('*', (event) => void events.push(event))
  const kernel = new Kernel({ ...options, events: bus })
  kernel.registry.registerMind({ kind: 'program', name: 'add', start: async (input) => Number(input) + 1 })
  kernel.registry.registerMind({
    kind: 'program',
    name: 'ask',
    start: async (_, context) => {
      const asked = await context.perform({ kind: 'question', name: 'human', input: { text: 'Well?' } })
      return asked.status
    },
  })
  kernel.registry.registerMind({
    kind: 'program',
    name: 'parent',
    start: async (_, context) => (await context.perform({ kind: 'program', name: 'add', input: 1 })).status,
  })
  return { kernel, events }
}

const spec = (name: string): { kind: 'program'; name: string; input: number } => ({ kind: 'program', name, input: 1 })

it('the head of a run is signed when it suspends and when it ends, reported in an event and passed to the host', async () => {
  const kept: SignedHead[] = []
  const { kernel, events } = kernelWith({ signer, onSignedHead: (head) => void kept.push(head) })
  const { run } = await kernel.run(spec('ask'))
  const [request] = await kernel.approvals()
  await kernel.respond(request!.id, { answer: 'answer', value: 1 })
  expect(await kernel.resume(run)).toMatchObject({ state: 'completed' })
  await kernel.stop()
  const ends = (await readAll(kernel.journal, run)).filter(({ type }) => type === 'run-suspend' || type === 'run-end')
  expect(kept.map(({ seq, hash }) => ({ seq, hash }))).toEqual(ends.map(({ seq, hash }) => ({ seq, hash })))
  for (const head of kept) expect(await verifyHead(head, publicKey)).toEqual({ valid: true })
  const told = events.filter(({ type }) => type === 'head-signed')
  expect(told.map(({ data, runId }) => ({ data, runId }))).toEqual(kept.map((data) => ({ data, runId: run })))
})

it('so is where its children stand', async () => {
  const kept: SignedHead[] = []
  const { kernel } = kernelWith({ signer, onSignedHead: (head) => void kept.push(head) })
  await kernel.run(spec('parent'))
  await kernel.stop()
  const runs = await kernel.journal.list()
  expect(runs).toHaveLength(2)
  expect(kept.map((head) => head.run).toSorted()).toEqual(runs.map((one) => one.run).toSorted())
})

it('the heads of one run are passed in the order of its journal, also when an earlier one takes longer to sign', async () => {
  const kept: SignedHead[] = []
  const first = Promise.withResolvers<void>()
  let signed = 0
  const slow: HeadSigner = {
    keyId: 'k',
    sign: async (run, head) => {
      if (signed++ === 0) await first.promise
      return signer.sign(run, head)
    },
  }
  const { kernel } = kernelWith({ signer: slow, onSignedHead: (head) => void kept.push(head) })
  const { run } = await kernel.run(spec('ask'))
  const [request] = await kernel.approvals()
  await kernel.respond(request!.id, { answer: 'answer', value: 1 })
  expect(await kernel.resume(run)).toMatchObject({ state: 'completed' })
  expect(kept).toEqual([])
  first.resolve()
  await kernel.stop()
  const ends = (await readAll(kernel.journal, run)).filter(({ type }) => type === 'run-suspend' || type === 'run-end')
  expect(kept.map(({ seq }) => seq)).toEqual(ends.map(({ seq }) => seq))
})

it('a failing signer or keeper is reported, and fails no run', async () => {
  const broken: HeadSigner = { keyId: 'k', sign: () => Promise.reject(new Error('no key service')) }
  const onSignedHead = (): never => {
    throw new Error('no place to keep it')
  }
  for (const [options, word] of [
    [{ signer: broken }, 'no key service'],
    [{ signer, onSignedHead }, 'no place'],
  ] as const) {
    const { kernel, events } = kernelWith(options)
    expect(await kernel.run(spec('add'))).toMatchObject({ state: 'completed', output: 2 })
    await kernel.stop()
    const told = events.filter(({ type }) => type === 'head-unsigned')
    expect(told).toMatchObject([{ data: { message: expect.stringContaining(word) as string } }])
  }
})

it('one that never answers holds up no run', async () => {
  const silent: HeadSigner = { keyId: 'k', sign: () => new Promise(() => {}) }
  const { kernel } = kernelWith({ signer: silent })
  expect(await kernel.run(spec('add'))).toMatchObject({ state: 'completed' })
})

/** The run as an attacker leaves it who owns the store: changed, or cut, and every hash computed anew. */
async function forge(journal: Journal, run: string, change: (entries: Entry[]) => Entry[]): Promise<Journal> {
  const forged = memoryJournal()
  let head: Head = { seq: 0, hash: '0'.repeat(64), at: 0 }
  const copies = change(await readAll(journal, run)).map(({ type, key, at, data, salt }) => {
    const copy = forgeEntry(run, head, { type, key, at, data }, salt!)
    head = headOf(copy)
    return copy
  })
  const lease = await forged.acquire({ run, owner: 'attacker', ttlMs: 1, now: 0 })
  await forged.append(lease, 0, copies)
  return forged
}

it('a run that was rewritten or truncated with recomputed hashes is detected by a head kept elsewhere', async () => {
  const { kernel } = kernelWith({ signer })
  const { run } = await kernel.run(spec('add'))
  const head = await kernel.signedHead(run)
  expect(await kernel.verify(run, { head, publicKeys: publicKey })).toMatchObject({ ok: true, signature: 'valid' })
  const rewritten = await forge(kernel.journal, run, (entries) =>
    entries.map((entry) =>
      entry.type === 'run-end' ? tamperEntry(entry, { data: { state: 'failed', activeMs: 0, spent: {} } }) : entry,
    ),
  )
  const cut = await forge(kernel.journal, run, (entries) => entries.slice(0, -1))
  for (const [journal, word] of [
    [rewritten, 'rewritten'],
    [cut, 'dropped'],
  ] as const) {
    const other = new Kernel({ journal })
    expect(await other.verify(run)).toMatchObject({ ok: true })
    const report = await other.verify(run, { head })
    expect(report).toMatchObject({ ok: false, problems: [expect.stringContaining(word)] })
    const audit = await other.audit({ heads: [head], publicKeys: publicKey })
    expect(audit.incidents).toMatchObject([{ run, problem: expect.stringContaining(word) as string }])
  }
})

it('without a key nothing is signed, and a request for a signature fails with how to get one', async () => {
  const { kernel, events } = kernelWith({})
  const { run } = await kernel.run(spec('add'))
  await expect(kernel.signedHead(run)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  expect(events.filter(({ type }) => type.startsWith('head-'))).toEqual([])
})
