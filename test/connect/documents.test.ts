import { Agent, AgentService, defineTool } from 'mandate'
import { documents } from 'mandate/connect'
import { Kernel } from 'mandate/kit'
import { inMemoryDatabase } from 'mandate/memory'
import { DEFAULT_PRICES, scripted, withPrices } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { runProgram, script } from 'mandate/vm'
import { describe, expect, test } from 'vitest'
import { entriesOfType, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { EmbeddingModel } from '../../src/model/index.ts'

/** An embedding model with a price, that counts how often it was asked. */
function embedding(usage = 1_000): EmbeddingModel & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    ...{ id: 'acme/embed-1', provider: 'acme', modelId: 'embed-1', asked },
    async embed({ values }) {
      asked.push(...values)
      return { embeddings: values.map(() => [1, 0.5]), usage: { inputTokens: usage }, warnings: [] }
    },
  }
}

const prices = withPrices(DEFAULT_PRICES, '2026-01-01', {
  'acme/embed-1': { inputPerMillion: 20, outputPerMillion: 0 },
})
const asks = { toolCalls: [{ name: 'search_documents', input: { query: 'How is tea made?' } }] }

async function shelfWith(embed: Parameters<typeof documents>[0]['embed']) {
  const shelf = documents({ database: inMemoryDatabase(), embed })
  await shelf.index([{ source: 'tea.md', text: '# Tea\n\nBoil water first.\n' }])
  return shelf
}

describe('the question that search_documents embeds', () => {
  test('is an effect of the run: recorded, priced, and not asked for again in a replay', async () => {
    const model = embedding()
    const shelf = await shelfWith(model)
    model.asked.length = 0
    const journal = memoryJournal()
    const service = new AgentService({
      ...{ prices, journal },
      agents: [{ id: 'a', model: scripted([asks, 'Boil water [tea.md:3].']), tools: [shelf.tool()] }],
    })
    const result = await service.run('a', 'How is tea made?')
    expect(result.text).toContain('tea.md:3')
    expect(model.asked).toEqual(['How is tea made?'])
    const entries = await readAll(journal, result.id)
    const start = entriesOfType(entries, 'effect-start').find(({ data }) => data.kind === 'embed')
    expect(start).toMatchObject({
      key: expect.stringMatching(/\/ctx\.embed$/),
      data: { name: 'acme/embed-1', input: { values: ['How is tea made?'] } },
    })
    const end = entriesOfType(entries, 'effect-end').find(({ key }) => key === start!.key)
    expect(end!.data.spent).toMatchObject({ modelCalls: 1, inputTokens: 1_000, money: 0.02 })
    expect(result.usage.inputTokens).toBeGreaterThanOrEqual(1_000)
    expect((await service.replay(result.id)).identical).toBe(true)
    expect(model.asked).toHaveLength(1)
    await service.stop()
  })

  test('is paid from the budget: what it has no money for is not asked', async () => {
    const model = embedding()
    const shelf = await shelfWith(model)
    model.asked.length = 0
    const told: unknown[] = []
    const answer: ScriptedStep = (request) => (told.push(request.messages.at(-1)), 'No.')
    const service = new AgentService({
      prices,
      agents: [{ id: 'a', model: scripted([asks, answer]), tools: [shelf.tool()] }],
    })
    await service.run('a', 'How is tea made?', { budget: { money: 0.000_01 } })
    expect(model.asked).toEqual([])
    expect(JSON.stringify(told)).toContain('LIMIT_EXCEEDED')
  })

  test('is judged by rules and lists that name the embedding model', async () => {
    const model = embedding()
    const shelf = await shelfWith(model)
    model.asked.length = 0
    const agent = new Agent({
      model: scripted([asks, 'No.']),
      tools: [shelf.tool()],
      mandate: { deny: ['embed:acme/embed-1'] },
    })
    const result = await agent.run('How is tea made?')
    expect(model.asked).toEqual([])
    expect(result.actions).toMatchObject([{ ok: false, error: { message: expect.stringContaining('refused') } }])
  })

  test('by a function counts as a call without a price, also under a budget of money', async () => {
    const shelf = await shelfWith(async (texts) => texts.map(() => [1, 0.5]))
    const agent = new Agent({ model: scripted([asks, 'Done.']), tools: [shelf.tool()] })
    const result = await agent.run('How is tea made?', { budget: { money: 1 } })
    expect(result.actions).toMatchObject([{ ok: true }])
  })

  test('is not embedded again by the next attempt of a call', async () => {
    const model = embedding()
    let attempts = 0
    const kernel = new Kernel()
    kernel.registry.registerTool(
      defineTool({
        name: 'find',
        idempotent: true,
        retry: { attempts: 2, backoffMs: 1 },
        async run(_input, context) {
          const [vector] = await context.embed!({ model, values: ['same'] })
          attempts += 1
          if (attempts === 1) throw new Error('broken')
          return vector!.length
        },
      }),
    )
    const outcome = await runProgram(kernel, script('return await tools.find({})'), {}, { runId: 'r' })
    expect(outcome).toMatchObject({ state: 'completed', output: { result: 2 } })
    expect([attempts, model.asked]).toEqual([2, ['same']])
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    await kernel.stop()
  })
})
