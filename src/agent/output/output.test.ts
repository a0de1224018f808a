import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { textOf } from '../../model/index.ts'
import { calls, cutAfter, host, linesOf, model, tool } from '../agent.fixture.ts'

const zodSchema = z.object({ city: z.string(), degrees: z.number() })
const jsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
}

describe.each([
  ['zod', zodSchema],
  ['JSON Schema', jsonSchema],
])('an answer that must fit %s', (_name, output) => {
  it('is the result when it does', async () => {
    const mind = model(['{"city":"Bern","degrees":7}'])
    const result = await host({ model: mind, output }).run('main', 'How warm is it?')
    expect(result).toMatchObject({
      status: 'completed',
      result: { city: 'Bern', degrees: 7 },
      text: '{"city":"Bern","degrees":7}',
    })
    expect(mind.requests[0]!.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } })
  })

  it('is asked for again with what is wrong, until it fits', async () => {
    const mind = model(['Seven.', '{"city":"Bern"}', '{"city":"Bern","degrees":7}'])
    const service = host({ model: mind, output })
    const result = await service.run('main', 'How warm is it?')
    expect(result).toMatchObject({ status: 'completed', steps: 3, result: { degrees: 7 } })
    expect(textOf(mind.requests[1]!.messages.at(-1)!)).toContain('not JSON')
    expect(textOf(mind.requests[2]!.messages.at(-1)!)).toContain('degrees')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('is given up after the retries, with what was wrong last', async () => {
    const mind = model(['No.', 'Never.', '{"city":"Bern"}', '{}'])
    const result = await host({ model: mind, output }).run('main', 'How warm is it?')
    expect(result).toMatchObject({ status: 'failed', result: null, error: { code: 'OUTPUT_INVALID' } })
    expect(result.error!.message).toMatch(/After 3 answers.*degrees/s)
    expect(mind.requests).toHaveLength(3)
  })
})

describe('a structured answer', () => {
  it.each(['```json\n{"city":"Bern","degrees":7}\n```', 'Here it is: {"city":"Bern","degrees":7}. Enjoy!'])(
    'is found inside %j',
    async (text) => {
      expect(await host({ model: model([text]), output: jsonSchema }).run('main', 'Go.')).toMatchObject({
        result: { city: 'Bern' },
      })
    },
  )

  it('may come after tool calls, whose turns are not checked', async () => {
    const mind = model([{ text: 'I look.', ...calls('look') }, '{"city":"Bern","degrees":7}'])
    expect(await host({ model: mind, tools: [tool('look')], output: zodSchema }).run('main', 'Go.')).toMatchObject({
      status: 'completed',
    })
  })

  it('has what the schema made of it: defaults in, unknown members out', async () => {
    const output = z.object({ city: z.string(), unit: z.string().default('C') })
    const result = await host({ model: model(['{"city":"Bern","extra":1}']), output }).run('main', 'Go.')
    expect(result.result).toEqual({ city: 'Bern', unit: 'C' })
  })

  it('has what its transforms made of it, as plain data', async () => {
    const output = z.object({ city: z.string().transform((city) => city.length), when: z.coerce.date() })
    const service = host({ model: model(['{"city":"Bern","when":"2026-01-02"}']), output })
    const result = await service.run('main', 'Go.')
    expect(result.result).toEqual({ city: 4, when: '2026-01-02T00:00:00.000Z' })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('of a schema that cannot be told to the model is refused at once, by name', () => {
    const output = { '~standard': { version: 1, vendor: 'homemade', validate: (value: unknown) => ({ value }) } }
    expect(() => host({ model: model([]), output })).toThrow(/`output` cannot be told to the model as JSON Schema/)
  })

  it('is not asked for again at all with no retries', async () => {
    const mind = model(['No.', '{}'])
    expect(await host({ model: mind, output: jsonSchema, outputRetries: 0 }).run('main', 'Go.')).toMatchObject({
      status: 'failed',
    })
    expect(mind.requests).toHaveLength(1)
  })

  it('is judged once: a resumed run keeps what the schema said then', async () => {
    const judged: number[] = []
    const output = z.object({ n: z.number() }).refine(({ n }) => {
      judged.push(n)
      // Whoever asks a second time about the first answer hears something else.
      return n !== 1 || judged.filter((one) => one === 1).length > 1
    })
    const script = ['{"n":1}', '{"n":2}']
    const first = host({ model: model(script), output })
    const whole = await first.run('main', 'Go.')
    expect(whole).toMatchObject({ status: 'completed', result: { n: 2 }, steps: 2 })
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    judged.length = 0
    const journal = await cutAfter(first.journal, whole.id, half)
    const resumed = await host({ model: model(script), output }, { journal }).resume(whole.id)
    expect(resumed).toMatchObject({ status: 'completed', result: { n: 2 }, steps: 2 })
    expect(judged).not.toContain(1)
  })
})

describe('an output schema whose own code throws', () => {
  const raise = (): never => {
    throw new TypeError('no such rate')
  }
  it.each([
    ['in a transform', z.object({ city: z.string().transform(raise) })],
    ['in a refinement', z.object({ city: z.string() }).refine(raise)],
    ['in an asynchronous transform', z.object({ city: z.string().transform(async () => raise()) })],
    ['in an asynchronous refinement', z.object({ city: z.string() }).refine(async () => raise())],
  ])('%s is reported as what failed, and the model is not asked again', async (_where, output) => {
    const mind = model(['{"city":"Bern"}', '{"city":"Bern"}', '{"city":"Bern"}'])
    const service = host({ model: mind, output })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', result: null, error: { code: 'SCHEMA_FAILED' } })
    expect(result.error!.message).toContain('The agent: the code of its `output` threw: no such rate.')
    expect(mind.requests).toHaveLength(1)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })
})
