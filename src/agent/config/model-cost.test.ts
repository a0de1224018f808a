import { describe, expect, it } from 'vitest'
import { DEFAULT_PRICES, tokenUsage, withPrices } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import { calls, entriesOf, host, model, tool } from '../agent.fixture.ts'

const prices = withPrices(DEFAULT_PRICES, '2026-11-16', {
  'scripted/dear': { inputPerMillion: 100, outputPerMillion: 500, maxOutputTokens: 64_000 },
  'scripted/cheap': { inputPerMillion: 0.1, outputPerMillion: 0.5, maxOutputTokens: 64_000 },
  'scripted/short': { inputPerMillion: 0.1, outputPerMillion: 0.5, contextTokens: 5_000 },
  'scripted/tiny': { inputPerMillion: 0.1, outputPerMillion: 0.5, maxOutputTokens: 1_000 },
})

const named = (name: string, script: readonly unknown[] = [name]): ReturnType<typeof model> =>
  model(script as never, { name })

describe('the choice among several models', () => {
  it('passes over one that what is left of the money cannot pay', async () => {
    const [dear, cheap] = [named('dear'), named('cheap')]
    const service = host({ models: [dear, cheap], budget: { money: 0.05 } }, { prices })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'completed', text: 'cheap' })
    expect(dear.requests).toHaveLength(0)
    expect(await host({ models: [dear, cheap] }, { prices }).run('main', 'Go.')).toMatchObject({ text: 'dear' })
  })

  it('passes over one whose context does not hold what it is asked, as it says or as the prices say', async () => {
    const long = 'many words '.repeat(10_000)
    const large = named('large')
    const service = host({ models: [named('short'), large] }, { prices })
    expect(await service.run('main', long)).toMatchObject({ text: 'large' })
    const own = model(['own'], { name: 'own', capabilities: { contextTokens: 5_000 } })
    expect(await host({ models: [own, named('large')] }).run('main', long)).toMatchObject({ text: 'large' })
    const brief = host({ models: [named('short'), named('large')] }, { prices })
    expect(await brief.run('main', 'Go.')).toMatchObject({ text: 'short' })
  })

  it('leaves the refusal to the gate where no model fits', async () => {
    const service = host({ models: [named('dear'), named('dear2')], budget: { money: 0.000001 } }, { prices })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'dear2' })
    const alone = host({ models: [named('dear'), named('cheap')], budget: { money: 0.000001 } }, { prices })
    expect(await alone.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
  })

  it('goes on with the next model when the money for the first has run out, and replays so', async () => {
    const dear = named('dear', [{ ...calls('look'), usage: tokenUsage(10, 1_000) }, 'never'])
    const cheap = named('cheap', ['unused', 'from the cheap one'])
    const config = { models: [dear, cheap], tools: [tool('look')], budget: { money: 2.7 }, maxTokens: 5_000 }
    const service = host(config, { prices })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'from the cheap one' })
    expect(result.report().modelCalls.map(({ model: id }) => id)).toEqual(['scripted/dear', 'scripted/cheap'])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('goes on with the next model when the price of the first is not known', async () => {
    const unknown: Model = { ...named('unknown'), id: 'nobody/knows' }
    const service = host({ models: [unknown, named('cheap')], budget: { money: 1 } }, { prices })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'completed', text: 'cheap' })
  })
})

describe('the output tokens that a model is asked for', () => {
  const asked = async (config: object): Promise<number | undefined> => {
    const mind = named((config as { name: string }).name)
    const { name: _name, ...rest } = config as { name: string }
    const result = await host({ model: mind, ...rest }, { prices }).run('main', 'Go.')
    return result.status === 'completed' ? mind.requests[0]?.maxOutputTokens : undefined
  }

  it('follow the model, unless the agent says otherwise', async () => {
    expect(await asked({ name: 'cheap' })).toBe(16_384)
    expect(await asked({ name: 'tiny' })).toBe(1_000)
    expect(await asked({ name: 'unheard-of' })).toBe(4_096)
    expect(await asked({ name: 'cheap', maxTokens: 50 })).toBe(50)
  })

  it('are fewer where the budget has little left, so that the reservation does not refuse what would fit', async () => {
    expect(await asked({ name: 'cheap', budget: { totalTokens: 6_000 } })).toBe(1_500)
    expect(await asked({ name: 'unheard-of', budget: { totalTokens: 3_000 } })).toBe(750)
    expect(await asked({ name: 'cheap', budget: { money: 20 } })).toBe(16_384)
    expect(await asked({ name: 'dear', budget: { money: 20 } })).toBe(10_000)
    expect(await asked({ name: 'dear', budget: { money: 1 } })).toBe(500)
    expect(await asked({ name: 'dear', budget: { money: 0.01 } })).toBeUndefined()
  })

  it('are what is reserved, and a fallback is asked for no more than it can write', async () => {
    const main = named('cheap', [{ error: 'down', retriable: false }])
    const spare = named('tiny')
    const service = host({ model: main, fallbackModel: spare, budget: { money: 5 } }, { prices })
    const result = await service.run('main', 'Go.')
    expect(result.text).toBe('tiny')
    expect(spare.requests[0]?.maxOutputTokens).toBe(1_000)
    const starts = await entriesOf(service.journal, result.id, 'effect-start')
    expect(JSON.stringify(starts.map(({ data }) => data))).toContain('"outputTokens":16384')
  })
})

it('a model without a price is refused under a money limit with the three ways out', async () => {
  const unpriced: Model = { ...model(['Hi.']), id: 'nobody/knows' }
  const result = await host({ model: unpriced, budget: { money: 1 } }).run('main', 'Go.')
  expect(result.error).toMatchObject({ code: 'PRICE_UNKNOWN' })
  for (const way of ["'nobody/knows': { inputPerMillion", 'mandate prices refresh --from', 'budget.totalTokens'])
    expect(result.error!.message).toContain(way)
})

it('a model on this machine costs nothing', async () => {
  const local: Model = { ...model(['Hi.']), id: 'home/made', capabilities: { local: true } }
  const result = await host({ model: local, budget: { money: 0.01 } }).run('main', 'Go.')
  expect(result).toMatchObject({ status: 'completed', cost: 0 })
})
