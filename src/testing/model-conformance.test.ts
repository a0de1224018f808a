import { describe, expect, it, test } from 'vitest'
import { type Model, scripted } from '../model/index.ts'
import { type ModelBehaviour, modelConformance } from './model-conformance.ts'
import { scriptFor } from '../../test/contracts/scripted-behaviour.fixture.ts'

modelConformance(
  { name: 'scripted', open: (behaviour) => ({ model: scripted(() => scriptFor(behaviour)) }), cannot: ['say-unknown'] },
  { describe, it, expect },
)

/** Runs the suite on a model and gives the names of the cases that failed. */
async function failedCases(wrap: (model: Model) => Model): Promise<string[]> {
  const cases: [string, () => Promise<void>][] = []
  const open = (behaviour: ModelBehaviour): { model: Model } => ({ model: wrap(scripted(() => scriptFor(behaviour))) })
  const api = {
    describe: (_: string, body: () => void) => body(),
    it: (...one: [string, () => Promise<void>]) => void cases.push(one),
  }
  modelConformance({ name: 'broken', open, cannot: ['say-unknown', 'hang'] }, { ...api, expect })
  const failed: string[] = []
  for (const [name, body] of cases) await body().catch(() => failed.push(name))
  return failed
}

test('the suite finds a model that changes its text, forgets its counts or swallows its failures', async () => {
  const shouting = await failedCases((model) => ({
    ...model,
    async *stream(request, call) {
      for await (const part of model.stream(request, call))
        yield part.type === 'text-delta' ? { ...part, text: part.text.toUpperCase() } : part
    },
  }))
  expect(shouting).toContain('the text that is streamed is the text of the reply, and what the provider said')
  const careless = await failedCases((model) => ({
    ...model,
    async *stream(request, call) {
      for await (const part of model.stream(request, call))
        if (part.type !== 'usage' && part.type !== 'error') yield part
    },
  }))
  expect(careless).toContain('usage is what the provider counted')
  expect(careless).toContain('an answer that breaks off is a failure, not half an answer')
  const meddling = await failedCases((model) => ({
    ...model,
    stream: (request, call) => {
      ;(request.messages as unknown[]).pop()
      return model.stream(request, call)
    },
  }))
  expect(meddling).toContain('the request is left as it was, whatever it holds')
})

test('the suite finds nothing wrong with a model that is right', async () => {
  expect(await failedCases((model) => model)).toEqual([])
})
