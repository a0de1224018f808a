import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { kernelWith, program, runMain, tool } from '../kernel/kernel.fixture.ts'
import type { RunContext } from './mind.ts'

/** What a recorded decision came to: its value, or the code of its failure. */
async function settled(decided: Promise<Json>): Promise<Json> {
  return decided.catch((error: { code: string; message: string }) => `${error.code} ${error.message}`)
}

describe('a recorded decision with a limit of its own', () => {
  it('fails after its time, cuts what it has in flight, and is not made again', async () => {
    let cuts = 0
    const hang = tool(
      'hang',
      (_input, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(`cut ${++cuts}`)))),
    )
    const main = program('main', (_input, context) =>
      settled(
        context.record(
          'work',
          async (own) => {
            await own.perform({ kind: 'tool', name: 'hang', input: null })
            return 'never'
          },
          { timeoutMs: 20, late: 'too late' },
        ),
      ),
    )
    const kernel = kernelWith({ minds: [main], tools: [hang] })
    expect(await runMain(kernel)).toMatchObject({ state: 'completed', output: 'TIMEOUT too late' })
    expect(cuts).toBe(1)
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    expect(cuts).toBe(1)
  })

  it('takes down the run that it started', async () => {
    const child = program('child', async (_input, context) => {
      await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()))
      return 'cut'
    })
    const start = (context: RunContext): Promise<Json> =>
      context.record(
        'work',
        async (own) => (await own.perform({ kind: 'program', name: 'child', input: null })).status,
        { timeoutMs: 20 },
      )
    const main = program('main', (_input, context) => settled(start(context)))
    const kernel = kernelWith({ minds: [main, child] })
    expect(await runMain(kernel)).toMatchObject({ state: 'completed', output: expect.stringContaining('TIMEOUT') })
    expect((await kernel.list()).map(({ name, state }) => [name, state])).toContainEqual(['child', 'failed'])
  })

  it('waits for people as long as it takes', async () => {
    const main = program('main', (_input, context) =>
      settled(
        context.record(
          'ask',
          async (own) => {
            const outcome = await own.perform({ kind: 'question', name: 'q', input: { text: '?' } })
            return outcome.status === 'ok' ? outcome.value : outcome.status
          },
          { timeoutMs: 5 },
        ),
      ),
    )
    const kernel = kernelWith({ minds: [main] })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended', reason: 'question' })
    const [open] = await kernel.approvals('r')
    await kernel.respond(open!.id, { answer: 'answer', value: 'yes' })
    expect(await kernel.resume('r')).toMatchObject({ output: 'yes' })
  })
})

describe('a run in which a decision is being made', () => {
  it('does not suspend over a question before that', async () => {
    let calls = 0
    const slow = async (): Promise<Json> => {
      calls += 1
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'slow'
    }
    const main = program('main', async (_input, context) => {
      const asked = context.perform({ kind: 'question', name: 'q', input: { text: '?' } })
      const decided = await context.record('slow', slow)
      const outcome = await asked
      return [decided, outcome.status]
    })
    const kernel = kernelWith({ minds: [main] })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended' })
    const [open] = await kernel.approvals('r')
    await kernel.respond(open!.id, { answer: 'answer', value: 1 })
    expect(await kernel.resume('r')).toMatchObject({ output: ['slow', 'ok'] })
    expect(calls).toBe(1)
  })
})

describe('pins with which a mind cannot continue', () => {
  it('are refused before anything is written, and the run stays as it is', async () => {
    const journal = memoryJournal()
    const ask = async (_input: Json, context: RunContext): Promise<Json> =>
      (await context.perform({ kind: 'question', name: 'q', input: { text: '?' } })).status
    const first = kernelWith({ journal, minds: [program('main', ask, { pins: () => 'old' })] })
    await runMain(first)
    await first.stop()
    const checkPins = (pins: Json): void => {
      if ((pins as { mind: Json }).mind !== 'new') throw new Error('other pins')
    }
    const changed = kernelWith({ journal, minds: [program('main', ask, { pins: () => 'new', checkPins })] })
    await expect(changed.resume('r')).rejects.toThrow('other pins')
    await expect(changed.replay('r')).rejects.toThrow('other pins')
    expect(await journal.summary('r')).toMatchObject({ state: 'suspended' })
  })
})

describe('a fork with a message', () => {
  it('reads it before anything new that it does', async () => {
    const main = program('main', async (_input, context) => {
      const heard: Json[] = []
      for (const turn of [1, 2]) {
        heard.push(...context.steering())
        await context.perform({ kind: 'tool', name: 'note', input: turn })
      }
      return heard
    })
    const kernel = kernelWith({ minds: [main], tools: [tool('note', () => null)] })
    expect(await runMain(kernel)).toMatchObject({ output: [] })
    const fork = await kernel.fork('r', { at: 3, message: { go: 'left' } })
    expect(await kernel.resume(fork)).toMatchObject({ output: [{ go: 'left' }] })
    expect(await kernel.replay(fork)).toMatchObject({ identical: true })
  })
})
