import { expect, test } from 'vitest'
import type { Model, ModelCapabilities, ModelInfo } from './model.ts'
import { DEFAULT_PRICES } from './prices/default-prices.ts'
import { withPrices } from './prices/prices.ts'
import { type ScriptedModel, scripted } from './scripted.ts'
import { selectModel, selectionError } from './selection.ts'

const named = (name: string, capabilities: ModelCapabilities = {}): ScriptedModel =>
  scripted(['x'], { name, capabilities })

test('the first model that can do what is needed is taken, and every other rejection has its reasons', async () => {
  const models = [
    named('blind', { tools: true }),
    named('short', { modalities: ['image'], maxOutputTokens: 100, tools: false }),
    named('good', { modalities: ['image'], maxOutputTokens: 8000 }),
    named('later', { modalities: ['image'] }),
  ]
  const { model, rejected } = await selectModel(models, { modalities: ['image'], maxOutputTokens: 4096, tools: true })
  expect(model?.id).toBe('scripted/good')
  expect(rejected).toEqual([
    { id: 'scripted/blind', reasons: ['it does not take image'] },
    { id: 'scripted/short', reasons: ['it has no tools', 'it gives at most 100 output tokens and 4096 are needed'] },
  ])
})

test('what a provider says about a model counts where the model declares nothing', async () => {
  const saying = (name: string, info: () => Promise<ModelInfo>, capabilities: ModelCapabilities = {}): Model => ({
    ...named(name, capabilities),
    info,
  })
  const models = [
    saying('short', async () => ({ name: 'short', maxOutputTokens: 100 })),
    saying('silent', () => Promise.reject(new Error('offline'))),
    saying('declared', async () => ({ name: 'declared', maxOutputTokens: 100 }), { maxOutputTokens: 9000 }),
    saying('odd', async () => 7 as never),
    saying('throwing', () => {
      throw new Error('no such model')
    }),
  ]
  const { model, rejected } = await selectModel(models, { maxOutputTokens: 5000 })
  expect(model?.id).toBe('scripted/silent')
  expect(rejected).toEqual([
    { id: 'scripted/short', reasons: ['it gives at most 100 output tokens and 5000 are needed'] },
  ])
  for (const one of models.slice(2)) expect((await selectModel([one], { maxOutputTokens: 5000 })).model).toBe(one)
})

test('a model can be requested by its whole id or by its model part', async () => {
  const models = [named('a'), named('b')]
  expect((await selectModel(models, { model: 'b' })).model?.id).toBe('scripted/b')
  expect((await selectModel(models, { model: 'scripted/b' })).model?.id).toBe('scripted/b')
  expect((await selectModel(models, { model: 'c' })).model).toBeUndefined()
})

test('a context that is too small and a missing stream are reasons', async () => {
  const models = [named('a', { contextTokens: 1000, streaming: false })]
  const selection = await selectModel(models, { inputTokens: 900, maxOutputTokens: 200, streaming: true })
  expect(selection.rejected[0]?.reasons).toEqual([
    'it does not stream',
    'its context holds 1000 tokens and 1100 are needed',
  ])
})

test('with a cost ceiling, a dear model and one of unknown price are passed over', async () => {
  const prices = withPrices(DEFAULT_PRICES, 'd', {
    'scripted/dear': { inputPerMillion: 1000, outputPerMillion: 1000 },
    'scripted/cheap': { inputPerMillion: 1, outputPerMillion: 1 },
  })
  const { 'scripted/*': _free, ...models } = prices.models
  const need = { inputTokens: 1000, maxOutputTokens: 1000, costCeiling: 0.5, prices: { ...prices, models } }
  const { model, rejected } = await selectModel([named('unknown'), named('dear'), named('cheap')], need)
  expect(model?.id).toBe('scripted/cheap')
  expect(rejected.map((one) => one.reasons[0])).toEqual([
    'its price is not known',
    'it could cost $2.0000 and the ceiling is $0.5',
  ])
})

test('a strategy chooses among those that can, and may not bring its own', async () => {
  const models = [named('a', { tools: false }), named('b'), named('c')]
  const last = await selectModel(models, { tools: true }, async (candidates) => candidates.at(-1))
  expect(last.model?.id).toBe('scripted/c')
  expect(last.rejected.map((one) => one.id)).toEqual(['scripted/a', 'scripted/b'])
  await expect(selectModel(models, { tools: true }, () => models[0])).rejects.toThrow(/was not offered/)
  await expect(selectModel(models, {}, () => 'no/such')).rejects.toThrow(/chose "no\/such", which was not offered/)
  await expect(selectModel(models, {}, () => null as never)).rejects.toThrow(/was not offered/)
  expect((await selectModel(models, {}, ([, second]) => second!.id)).model).toBe(models[1])
})

test('the error for finding nothing says why for each model', async () => {
  const error = selectionError(await selectModel([named('a')], { model: 'z', modalities: ['audio'] }))
  expect(error.code).toBe('NOT_FOUND')
  expect(error.message).toContain('scripted/a: it is not "z", it does not take audio')
  expect(selectionError(await selectModel([], {})).message).toContain('No model was given')
})
