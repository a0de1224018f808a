import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GENESIS, headOf, memoryJournal, readAll, sealEntry } from '../../src/journal/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { tamperEntry } from '../../src/testing/index.ts'
import { callAll, folder, isSound, journalAt, kernelWith, runMain, tool } from './bench.ts'

const act = (calls: string[]): ReturnType<typeof tool> =>
  tool('act', (input) => (calls.push((input as { name: string }).name), 'x'.repeat(20_000)))

describe('a full disk', () => {
  test('suspends the run with what is wrong; when there is room again it goes on, and nothing is done twice', async () => {
    const path = join(await folder(), 'journal.db')
    const calls: string[] = []
    const start = callAll(...Array.from({ length: 20 }, () => 'act'))
    const small = journalAt(path, { maxBytes: 200_000 })
    const kernel = kernelWith({ journal: small, start, tools: [act(calls)] })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended', reason: 'disk', error: { code: 'DISK_FULL' } })
    const before = calls.length
    expect(before).toBeLessThan(20)
    await small.close()
    const roomy = kernelWith({
      journal: journalAt(path),
      start,
      tools: [act(calls)],
      onApproval: ({ reason }) => (reason === 'in-doubt' ? { answer: 'happened', value: 'x' } : undefined),
    })
    expect((await roomy.resume('r')).state).toBe('completed')
    expect([calls.length, await isSound(roomy)]).toEqual([20, true])
  })

  test('from the very first entry is an error, because there is no run to come back to', async () => {
    const full: Journal = Object.assign(Object.create(memoryJournal()) as Journal, {})
    const inner = memoryJournal()
    for (const name of ['acquire', 'renew', 'release', 'read', 'summary', 'list', 'signals', 'watch'] as const)
      Object.assign(full, { [name]: (inner[name] as (...args: unknown[]) => unknown).bind(inner) })
    Object.assign(full, { append: () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })) })
    const kernel = kernelWith({ journal: full, start: async () => 1 })
    await expect(runMain(kernel)).rejects.toThrow('no space left')
    await expect(kernel.resume('r')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('while the run is being put away, or ended, leaves nobody waiting', async () => {
    for (const type of ['run-suspend', 'run-end'] as const) {
      const inner = memoryJournal()
      const append = async (...args: Parameters<Journal['append']>): Promise<void> => {
        if (args[2].some((entry: Entry) => entry.type === type))
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
        return inner.append(...args)
      }
      const journal = new Proxy(inner, {
        get: (target, name) =>
          name === 'append'
            ? append
            : ((target as unknown as Record<PropertyKey, unknown>)[name] as (...args: unknown[]) => unknown)?.bind?.(
                target,
              ),
      })
      const start = callAll(type === 'run-end' ? 'act' : 'ask')
      const tools = [act([]), tool('ask', () => 'asked', { needsApproval: true })]
      expect(await runMain(kernelWith({ journal, start, tools })), type).toMatchObject({
        state: 'suspended',
        reason: 'disk',
      })
      const kernel = kernelWith({ journal: inner, start, tools, onApproval: () => ({ answer: 'approve' }) })
      expect((await kernel.resume('r')).state, type).toBe('completed')
    }
  })
})

describe('a journal', () => {
  /** A finished run whose last entry is made again, otherwise. */
  async function rewritten(change: (entry: Entry) => Entry): Promise<{ journal: Journal; path: string }> {
    const source = memoryJournal()
    await runMain(kernelWith({ journal: source, start: callAll('act'), tools: [act([])] }))
    const entries = await readAll(source, 'r')
    const journal: Journal = Object.create(source) as Journal
    const read = async function* (): AsyncGenerator<Entry> {
      const { readVerified } = await import('../../src/journal/index.ts')
      yield* readVerified('r', GENESIS, [...entries.slice(0, -1), change(entries.at(-1)!)])
    }
    const members = ['acquire', 'renew', 'release', 'summary', 'list', 'signals', 'signal', 'watch', 'append'] as const
    for (const name of members)
      Object.defineProperty(journal, name, { value: (source[name] as (...args: unknown[]) => unknown).bind(source) })
    Object.defineProperty(journal, 'read', { value: read })
    return { journal, path: '' }
  }

  test('of a newer version is refused with the way out, and left as it is', async () => {
    const { journal } = await rewritten((entry) => ({ ...entry, v: 99 }))
    const kernel = kernelWith({ journal, start: callAll('act'), tools: [act([])] })
    for (const attempt of [() => kernel.resume('r'), () => kernel.replay('r'), () => kernel.fork('r')]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'VERSION_UNSUPPORTED',
        message: expect.stringContaining('Upgrade mandate'),
      })
    }
    expect(await kernel.verify('r')).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([expect.stringContaining('version 99')]),
    })
  })

  test('with an entry of a kind nobody knows, or one that was changed, is refused with its number', async () => {
    const odd = await rewritten((entry) => tamperEntry(entry, { type: 'run-dream' }))
    await expect(kernelWith({ journal: odd.journal, start: callAll('act') }).resume('r')).rejects.toMatchObject({
      code: 'VERSION_UNSUPPORTED',
    })
    const changed = await rewritten((entry) => tamperEntry(entry, { data: { state: 'completed', output: 'forged' } }))
    const kernel = kernelWith({ journal: changed.journal, start: callAll('act') })
    await expect(kernel.resume('r')).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
      message: expect.stringContaining('entry 4'),
    })
    expect((await kernel.verify('r')).ok).toBe(false)
  })

  test('that was erased can be verified and listed, not resumed, replayed or forked, and says so', async () => {
    const journal = journalAt(join(await folder(), 'journal.db'))
    const kernel = kernelWith({ journal, start: callAll('act'), tools: [act([])] })
    await runMain(kernel)
    await journal.erase('r')
    for (const attempt of [() => kernel.resume('r'), () => kernel.replay('r'), () => kernel.fork('r')])
      await expect(attempt()).rejects.toMatchObject({ code: 'JOURNAL_ERASED' })
    expect([(await kernel.verify('r')).ok, (await kernel.list()).length]).toEqual([true, 1])
  })

  test('that is closed under a run, or was never opened properly, is an error and no crash', async () => {
    const journal = journalAt(join(await folder(), 'journal.db'))
    const kernel = kernelWith({
      journal,
      start: callAll('close', 'act'),
      tools: [act([]), tool('close', () => journal.close())],
    })
    await expect(runMain(kernel)).rejects.toMatchObject({ code: 'CLOSED' })
    const nowhere = kernelWith({ journal: journalAt('/nowhere/at/all/journal.db'), start: async () => 1 })
    await expect(runMain(nowhere)).rejects.toMatchObject({ code: expect.stringMatching(/STORE_FAILED|CONFIG_INVALID/) })
  })

  test('in which someone wrote a start that makes no sense is refused before the mind is asked', async () => {
    const journal = memoryJournal()
    const lease = await journal.acquire({ run: 'r', owner: 'x', ttlMs: 0, now: 0 })
    const start = sealEntry(
      'r',
      GENESIS,
      {
        type: 'run-start',
        at: 1,
        data: {
          protocol: 1,
          mind: 'program',
          name: 'unknown',
          sessionId: 's',
          input: null,
          identity: { id: 'x', roles: [] },
          seed: 's',
          depth: 0,
          durability: 'sync',
          budget: {},
          pins: null,
        },
      },
      'aa',
    )
    const stray = sealEntry(
      'r',
      headOf(start),
      {
        type: 'effect-end',
        key: 'nobody/asked',
        at: 1,
        data: { outcome: { status: 'ok', value: 1 }, spent: {}, durationMs: 0 },
      },
      'bb',
    )
    await journal.append(lease, 0, [start, stray])
    const kernel = kernelWith({ journal, start: async () => 1 })
    await expect(kernel.resume('r')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('unknown'),
    })
    expect(await kernel.verify('r')).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('without having started')],
    })
    kernel.registry.registerMind({ kind: 'program', name: 'unknown', start: async () => 'done' })
    await expect(kernel.resume('r')).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' })
  })
})

test('listeners and sinks that throw, reject, or throw when they are closed lose nothing', async () => {
  const kernel = kernelWith({ start: callAll('act'), tools: [act([])] })
  kernel.events.on('*', () => {
    throw new Error('listener')
  })
  kernel.events.addSink({
    name: 'bad',
    write: () => Promise.reject(new Error('sink')),
    close: () => {
      throw new Error('close')
    },
  })
  expect((await runMain(kernel)).state).toBe('completed')
  expect(await isSound(kernel)).toBe(true)
  await kernel.stop()
})
