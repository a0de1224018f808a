import { describe, expect, it } from 'vitest'
import { userMessage } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import { calls, cutAfter, entriesOf, hanging, host, linesOf, model, reported, tool } from '../agent.fixture.ts'

const busy = { error: 'busy', retriable: true, retryAfterMs: 1 }

describe('a model that fails', () => {
  it('is asked again, after as long as it asked for, and the attempts are told', async () => {
    const mind = model([busy, { ...busy, retryAfterMs: 3 }, 'Hello.'])
    const service = host({ model: mind })
    const result = await service.run('main', 'Go.')
    expect(reported(result)).toMatchObject({
      status: 'completed',
      text: 'Hello.',
      retryInfo: { attempts: 2, lastError: 'busy' },
    })
    const retries = await entriesOf(service.journal, result.id, 'effect-retry')
    expect(retries.map(({ data }) => data)).toMatchObject([
      { attempt: 2, waitMs: 1 },
      { attempt: 3, waitMs: 3 },
    ])
  })

  it('waits longer each time when the provider says nothing', async () => {
    const service = host({ model: model([{ error: 'busy', status: 503 }, 'Hello.']) })
    const result = await service.run('main', 'Go.')
    const [retry] = await entriesOf(service.journal, result.id, 'effect-retry')
    expect(retry!.data).toMatchObject({ waitMs: 500 })
  })

  it('ends the run as failed, as a status and not an exception, when it fails for good', async () => {
    const result = await host({ model: model([{ error: 'no credit', retriable: false, status: 402 }]) }).run(
      'main',
      'Go.',
    )
    expect(result).toMatchObject({ status: 'failed', phase: 'failed', text: '', result: null })
    expect(result.error).toMatchObject({
      code: 'MODEL_FAILED',
      message: 'no credit',
      info: { retriable: false, status: 402 },
    })
  })

  it('is given up after the allowed attempts', async () => {
    const mind = model([busy, busy, busy, busy])
    const result = await host({ model: mind }, { limits: { attempts: 2 } }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
    expect(mind.requests).toHaveLength(2)
  })

  it('by not answering has timed out, which is another code', async () => {
    const service = host({ model: hanging() }, { limits: { modelTimeoutMs: 5, attempts: 1 } })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'MODEL_TIMEOUT' } })
  })

  it('hands over to the fallback model, for that turn', async () => {
    const main = model([calls('look'), { error: 'down' }, 'Never.'], { name: 'main' })
    const spare = model(['unused', 'From the spare.'], { name: 'spare' })
    const service = host({ model: main, fallbackModel: spare, tools: [tool('look')] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'From the spare.' })
    expect(result.report().modelCalls.map(({ id, model: name }) => [id, name])).toEqual([
      ['turn:1/model', 'scripted/main'],
      ['turn:2/model', 'scripted/main'],
      ['turn:2/model:2', 'scripted/spare'],
    ])
    expect(result.report().provenance.models).toEqual(['scripted/main', 'scripted/spare'])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('does not hand over what the gate denied: another model would be denied as well', async () => {
    const spare = model(['Hello.'], { name: 'spare' })
    const service = host({ model: model(['Hi.'], { name: 'main' }), fallbackModel: spare, budget: { modelCalls: 0 } })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    expect(spare.requests).toHaveLength(0)
  })

  it('whose price is unknown is refused when money is limited', async () => {
    const unpriced: Model = { ...model(['Hi.']), id: 'nobody/knows' }
    const result = await host({ model: unpriced, budget: { money: 1 } }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'PRICE_UNKNOWN' } })
  })

  it('that breaks its own contract fails the call, whatever it throws', async () => {
    const thrown: readonly unknown[] = ['text', undefined, { nested: true }, new TypeError('x is not a function')]
    for (const broken of thrown) {
      const mind: Model = {
        id: 'test/broken',
        provider: 'test',
        modelId: 'broken',
        // oxlint-disable-next-line require-yield
        async *stream() {
          throw broken
        },
      }
      expect(await host({ model: mind }).run('main', 'Go.')).toMatchObject({
        status: 'failed',
        error: { code: 'MODEL_FAILED' },
      })
    }
  })

  it('that yields nothing at all has answered with nothing', async () => {
    const mind: Model = { id: 'test/mute', provider: 'test', modelId: 'mute', async *stream() {} }
    const result = await host({ model: mind }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: '', result: '' })
    expect(result.report().diagnostics.warnings).not.toEqual([])
  })
})

describe('the choice of a model', () => {
  const small = model(['small'], { name: 'small', capabilities: { maxOutputTokens: 100, contextTokens: 1_000 } })
  const large = model(['large'], { name: 'large', capabilities: { maxOutputTokens: 100_000 } })

  it('takes the first that can do what is needed', async () => {
    const service = host({ models: [small, large] })
    expect(await service.run('main', 'Go.')).toMatchObject({ text: 'large' })
    expect(await host({ models: [small, large], maxTokens: 50 }).run('main', 'Go.')).toMatchObject({
      text: 'small',
    })
  })

  it('takes one that can use tools when there are tools, or other agents', async () => {
    const plain = model(['plain'], { name: 'plain', capabilities: { tools: false } })
    expect(await host({ models: [plain, large] }).run('main', 'Go.')).toMatchObject({ text: 'plain' })
    const armed = host({ models: [plain, large], tools: [tool('look')] })
    expect(await armed.run('main', 'Go.')).toMatchObject({ text: 'large' })
    const leading = host({ models: [plain, large], agents: ['other'] })
    leading.register({ id: 'other', model: large })
    expect(await leading.run('main', 'Go.')).toMatchObject({ text: 'large' })
  })

  it('takes one that can see when there is something to see', async () => {
    const seeing = model(['I see.'], { name: 'seeing', capabilities: { modalities: ['image'] } })
    const picture = userMessage([
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'text', text: 'What is it?' },
    ])
    expect(await host({ models: [large, seeing] }).run('main', picture)).toMatchObject({ text: 'I see.' })
  })

  it('is refused with every reason when none will do', async () => {
    const result = await host({
      models: [small, model([''], { name: 'other', capabilities: { maxOutputTokens: 5 } })],
      maxTokens: 200,
    }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND' } })
    expect(result.error!.message).toMatch(/scripted\/small: .*100 output tokens.*scripted\/other/)
  })

  it('by a strategy of the host is asked once and journaled', async () => {
    let asked = 0
    const selectModel = (models: readonly Model[]) => models[asked++ % models.length]
    const script = [calls('look'), 'Done.']
    const config = () => ({
      models: [model(script, { name: 'a' }), model(script, { name: 'b' })],
      selectModel,
      tools: [tool('look')],
    })
    const first = host(config())
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const resumed = await host(config(), { journal: await cutAfter(first.journal, whole.id, half) }).resume(whole.id)
    expect(resumed.report().modelCalls.map(({ model: name }) => name)).toEqual(['scripted/a', 'scripted/a'])
    expect(asked).toBe(1)
  })

  it.each([
    ['one is added', [['a'], ['a', 'b']]],
    ['one is put before it', [['a'], ['b', 'a']]],
    ['a spare one is taken away', [['a', 'b'], ['a']]],
  ])('holds for a run that is under way when %s', async (_what, [before, after]) => {
    const script = [calls('look'), 'Done.']
    const config = (names: readonly string[]) => ({
      models: names.map((name) => model(script, { name })),
      tools: [tool('look', () => 'seen', { idempotent: true })],
    })
    const first = host(config(before!))
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const resumed = await host(config(after!), { journal: await cutAfter(first.journal, whole.id, half) }).resume(
      whole.id,
    )
    expect(resumed).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(resumed.report().modelCalls.map(({ model: name }) => name)).toEqual(['scripted/a', 'scripted/a'])
  })

  it('is missed with a clear word when the model of a run is gone', async () => {
    const script = [calls('look'), 'Done.']
    const config = (name: string) => ({
      model: model(script, { name }),
      tools: [tool('look', () => 'seen', { idempotent: true })],
    })
    const first = host(config('a'))
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
    const journal = await cutAfter(first.journal, whole.id, half)
    await expect(host(config('b'), { journal }).resume(whole.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/none of the models.*"scripted\/a".*here: "scripted\/b"/),
    })
    expect(await host(config('a'), { journal }).resume(whole.id)).toMatchObject({ status: 'completed' })
    // What is over can be replayed without any model.
    expect(await host(config('b'), { journal: first.journal }).replay(whole.id)).toMatchObject({ identical: true })
  })

  it('by name takes the provider of that name', async () => {
    const service = host({ models: [model(['a'], { name: 'a' }), model(['b'], { name: 'b' })], model: 'b' })
    expect(await service.run('main', 'Go.')).toMatchObject({ text: 'b' })
  })
})

describe('a model that a run is started with', () => {
  const service = () =>
    host(
      { model: model(['From the large one.'], { name: 'large' }) },
      { others: [{ id: 'other', model: model(['From the small one.'], { name: 'small' }) }] },
    )

  it('answers instead of the one of the agent, through the gate, and is replayed as it was', async () => {
    const here = service()
    const { id, text } = await here.run('main', 'Go.', { model: 'scripted/small' })
    expect(text).toBe('From the small one.')
    const [call] = await entriesOf(here.journal, id, 'effect-start')
    expect(call!.data).toMatchObject({ kind: 'model', name: 'scripted/small', decision: { verdict: 'allow' } })
    expect(await here.replay(id)).toMatchObject({ identical: true, complete: true })
    expect((await here.run('main', 'Go.')).text).toBe('From the large one.')
  })

  it('can be another one for a fork, which is otherwise the same run', async () => {
    const here = service()
    const { id } = await here.run('main', 'Go.')
    const fork = await here.fork(id, { edit: { input: { model: 'scripted/small' } } })
    expect((await here.resume(fork)).text).toBe('From the small one.')
    await expect(here.fork(id, { edit: { input: { model: 'scripted/smal' } } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
  })

  it('is refused where no agent has it, with the nearest name', async () => {
    await expect(service().run('main', 'Go.', { model: 'scripted/smal' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('Did you mean "scripted/small"?'),
    })
  })

  it('is refused by the mandate of its agent like any other effect', async () => {
    const rules = [{ id: 'own-model', when: 'kind == "model" && name != "scripted/large"', then: 'deny' as const }]
    const here = host(
      { model: model(['Large.'], { name: 'large' }), mandate: { rules } },
      { others: [{ id: 'other', model: model(['Small.'], { name: 'small' }) }] },
    )
    expect(await here.run('main', 'Go.', { model: 'scripted/small' })).toMatchObject({ status: 'failed' })
  })
})
