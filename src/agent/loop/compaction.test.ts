import { describe, expect, it } from 'vitest'
import { textOf } from '../../model/index.ts'
import type { ScriptedStep } from '../../model/index.ts'
import { calls, cutAfter, host, linesOf, model, tool } from '../agent.fixture.ts'

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(20)

/** Looks until it has looked `times` times; asked for a summary, it gives one. */
function looker(times: number, capabilities = {}) {
  let looked = 0
  const step: ScriptedStep = ({ messages }) => {
    if (textOf(messages.at(-1)!) === 'Summarise now.') return 'We looked at the fox.'
    return ++looked > times ? 'Done.' : calls('look')
  }
  return model(step, { capabilities })
}

describe('compaction', () => {
  it('puts a summary in the place of what no longer fits, as a model call of its own, and replays', async () => {
    const mind = looker(6)
    const service = host({
      model: mind,
      tools: [tool('look', () => long)],
      history: { maxTokens: 1_500, compact: true },
    })
    const result = await service.run('main', 'Watch the fox.')
    expect(result.status).toBe('completed')
    const compactions = result.report().modelCalls.filter(({ id }) => id.endsWith('/compact'))
    expect(compactions.length).toBeGreaterThan(0)
    const after = mind.requests.find(({ messages }) =>
      textOf(messages[0]!).startsWith('Summary of the conversation so far:'),
    )
    expect(textOf(after!.messages[0]!)).toContain('We looked at the fox.')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    // What was said stays said: only what the model is shown is shorter.
    expect(await service.messages(result.id)).toHaveLength(14)
    expect(result.text).toBe('Done.')
  })

  it('begins at nine tenths of the window, not before', async () => {
    const prompt = 'x'.repeat(3_000)
    const config = (maxTokens: number) => ({
      model: looker(1),
      tools: [tool('look', () => 'ok')],
      history: { maxTokens, compact: true },
    })
    // The prompt is about 900 tokens by our estimate, the exchange after it a few.
    const roomy = await host(config(1_100)).run('main', prompt)
    const tight = await host(config(950)).run('main', prompt)
    const count = (result: typeof roomy) =>
      result.report().modelCalls.filter(({ id }) => id.endsWith('/compact')).length
    expect([count(roomy), count(tight)]).toEqual([0, 1])
  })

  it('goes by the smallest context of the models when the host sets no window', async () => {
    const service = host({
      model: looker(4, { contextTokens: 1_200, tools: true }),
      tools: [tool('look', () => long)],
      history: { compact: true },
      maxTokens: 100,
    })
    const result = await service.run('main', 'Watch the fox.')
    expect(result.report().modelCalls.some(({ id }) => id.endsWith('/compact'))).toBe(true)
  })

  it('counts the system prompt and the tools, which a context has to hold as well', async () => {
    const run = (systemPrompt: string) =>
      host({
        model: looker(2, { contextTokens: 1_500, tools: true }),
        tools: [tool('look', () => 'ok')],
        history: { compact: true },
        instructions: systemPrompt,
      }).run('main', 'Go.')
    const count = (result: Awaited<ReturnType<typeof run>>) =>
      result.report().modelCalls.filter(({ id }) => id.endsWith('/compact')).length
    expect([count(await run('Be brief.')), count(await run(long.repeat(5))) > 0]).toEqual([0, true])
  })

  it('is not done twice when the run is resumed', async () => {
    const config = () => ({
      model: looker(6),
      tools: [tool('look', () => long)],
      history: { maxTokens: 1_500, compact: true },
    })
    const first = host(config())
    const whole = await first.run('main', 'Watch the fox.')
    const lines = await linesOf(first.journal, whole.id)
    const at = lines.findIndex((line) => line.startsWith('effect-end') && line.endsWith('/compact'))
    const mind = looker(2)
    const journal = await cutAfter(first.journal, whole.id, at + 1)
    const resumed = await host({ ...config(), model: mind }, { journal }).resume(whole.id)
    expect(resumed.status).toBe('completed')
    expect(textOf(mind.requests[0]!.messages[0]!)).toContain('We looked at the fox.')
  })

  it('that fails leaves the older part out, and the run goes on', async () => {
    const mind = model((request, { position }) => {
      if (textOf(request.messages.at(-1)!) === 'Summarise now.') return { error: 'too much', retriable: false }
      return position < 5 ? calls('look') : 'Done.'
    })
    const service = host({
      model: mind,
      tools: [tool('look', () => long)],
      history: { maxTokens: 1_000, compact: true },
    })
    expect(await service.run('main', 'Watch the fox.')).toMatchObject({ status: 'completed', text: 'Done.' })
  })
})
