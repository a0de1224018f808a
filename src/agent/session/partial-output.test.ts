import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { memoryJournal } from '../../journal/index.ts'
import { defineTool } from '../../tool/index.ts'
import { Agent } from '../agent.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'

const output = z.object({ title: z.string(), steps: z.array(z.string()), minutes: z.number().default(5) })
const text = '{"title":"Cake","steps":["mix","bake"]}'
const whole = { title: 'Cake', steps: ['mix', 'bake'], minutes: 5 }

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a structured answer is given while it is written', () => {
  it('piece by piece, and whole at the end, with its defaults', async () => {
    const run = new Agent({ model: model([{ text, chunks: 13 }]), output }).run('How?')
    const seen = await collect(run.partialOutputStream)
    expect(seen.length).toBeGreaterThan(5)
    expect(seen[0]).toEqual({})
    expect(seen).toContainEqual({ title: 'Cake', steps: ['mix'] })
    expect(seen.at(-1)).toEqual(whole)
    expect((await run).result).toEqual(whole)
    expectTypeOf(seen[0]!.steps).toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf(seen[0]!.minutes).toEqualTypeOf<number | undefined>()
  })

  it('after turns that called tools, whose text is no answer', async () => {
    const mind = model([
      { text: 'I look {first}.', ...calls('look') },
      { text, chunks: 4 },
    ])
    const run = new Agent({ model: mind, tools: [tool('look')], output }).run('How?')
    const seen = await collect(run.partialOutputStream)
    expect(seen.at(-1)).toEqual(whole)
    expect(seen.every((one) => Object.keys(one).every((key) => key in whole))).toBe(true)
  })

  it('anew when a call breaks off, and when an answer does not fit', async () => {
    const busy = { error: 'busy', retriable: true, retryAfterMs: 1, text: '{"title":"Pie"' }
    const run = new Agent({ model: model([busy, '{"title":"Bread"}', { text, chunks: 4 }]), output }).run('How?')
    const titles = (await collect(run.partialOutputStream)).map(({ title }) => title)
    expect(titles).toContain('Bread')
    expect(titles.at(-1)).toBe('Cake')
    expect(await run).toMatchObject({ status: 'completed', result: whole })
  })

  it('to every reader from the beginning, also to one that comes when all is over', async () => {
    const run = new Agent({ model: model([{ text, chunks: 13 }]), output }).run('How?')
    await run
    expect(await collect(run.partialOutputStream)).toEqual([{ title: 'Cake', steps: ['mix', 'bake'] }, whole])
  })

  it('not at all where nothing is structured, and without the whole where there is none', async () => {
    const plain = new Agent({ model: model(['{"a":1}']) }).run('How?')
    expect(await collect(plain.partialOutputStream)).toEqual([])
    const failed = new Agent({ model: model(['{"title":"Cake"}', 'No.', 'No.']), output }).run('How?')
    expect((await collect(failed.partialOutputStream)).at(-1)).toEqual({ title: 'Cake' })
    expect((await failed).status).toBe('failed')
  })

  it('to `agent.stream` as well', async () => {
    const { partialOutputStream } = await new Agent({ model: model([{ text, chunks: 13 }]), output }).stream({
      prompt: 'How?',
    })
    const seen: unknown[] = await collect(partialOutputStream)
    expect(seen.length).toBeGreaterThan(5)
    expect(seen.at(-1)).toEqual({ title: 'Cake', steps: ['mix', 'bake'] })
  })
})

describe('a run that is resumed', () => {
  const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })
  const config = () => ({ model: model([calls('pay'), { text, chunks: 13 }]), tools: [pay], output })

  it('gives the answer as it is written from there on', async () => {
    const journal = memoryJournal()
    const first = host(config(), { journal })
    const waiting = first.run('main', 'Pay.')
    expect(await collect(waiting.partialOutputStream)).toEqual([])
    const { id, pending } = await waiting
    await first.approve(pending[0]!.approvalId!)
    const resumed = first.resume(id)
    const seen = await collect(resumed.partialOutputStream)
    expect(seen.length).toBeGreaterThan(5)
    expect(seen.at(-1)).toEqual(whole)
    expect(resumed.id).toBe(id)
    expect((await collect(resumed)).map(({ type }) => type)).toContain('run-end')
    // A run that is over has nothing to write: the whole alone.
    expect(await collect(first.resume(id).partialOutputStream)).toEqual([whole])
  })
})
