import { describe, expect, it } from 'vitest'
import type { AgentConfig } from './config/config-types.ts'
import { calls, cutAfter, hanging, host, lastResults, linesOf, model, reported, tool } from './agent.fixture.ts'

const ask = (prompt: string) => calls({ name: 'writer', input: { prompt } })

function withWriter(main: AgentConfig, writer: AgentConfig, options: Parameters<typeof host>[1] = {}) {
  return host(
    { agents: ['writer'], ...main },
    { ...options, others: [{ id: 'writer', description: 'Writes well.', ...writer }] },
  )
}

describe('an agent that may hand work to another', () => {
  it('calls it like a tool, under its description, and gets its answer', async () => {
    const mind = model([ask('Write a line.'), 'Here it is.'], { name: 'main' })
    const writer = model(['Roses are red.'], { name: 'writer' })
    const service = withWriter({ model: mind }, { model: writer })
    const result = await service.run('main', 'I need a poem.', { sessionId: 's1', context: { user: 'ana' } })
    expect(mind.requests[0]!.tools).toMatchObject([
      { name: 'writer', description: expect.stringContaining('Writes well.') },
    ])
    expect(writer.requests[0]!.messages).toMatchObject([{ role: 'user', content: [{ text: 'Write a line.' }] }])
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: 'Roses are red.' }])
    expect(reported(result)).toMatchObject({ status: 'completed', toolsUsed: ['writer'], text: 'Here it is.' })
    // What the conversation keeps, and a later run is told, is what the model was told.
    expect((await service.messages(result.id)).at(-2)).toMatchObject({ content: [{ value: 'Roses are red.' }] })
    const children = await service.runs({ parent: result.id })
    expect(children).toMatchObject([{ name: 'writer', sessionId: 's1', state: 'completed' }])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    expect(await service.replay(children[0]!.run)).toMatchObject({ identical: true })
  })

  it('gets data where the other answers with data', async () => {
    const mind = model([ask('How warm?'), 'Warm.'], { name: 'main' })
    const output = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] }
    await withWriter({ model: mind }, { model: model(['{"degrees":21}'], { name: 'writer' }), output }).run(
      'main',
      'Go.',
    )
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: { degrees: 21 } }])
  })

  it('shares one budget with it: what the other spends is spent', async () => {
    const usage = { inputTokens: 10, outputTokens: 5 }
    const service = withWriter(
      {
        model: model(
          [
            { ...ask('a'), usage },
            { text: 'Done.', usage },
          ],
          { name: 'main' },
        ),
      },
      { model: model([{ text: 'b', usage }], { name: 'writer' }) },
    )
    const result = await service.run('main', 'Go.')
    expect(result.usage).toMatchObject({ inputTokens: 30, outputTokens: 15, totalTokens: 45 })
    const limited = withWriter(
      { model: model([ask('a'), ask('b'), 'Never.'], { name: 'main' }), budget: { modelCalls: 3 } },
      { model: model(['ok'], { name: 'writer' }) },
    )
    expect(await limited.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
  })

  it('gets the failure as a result when the other fails, runs out of turns or of its own budget', async () => {
    const broken: readonly [AgentConfig, string][] = [
      [{ model: model([{ error: 'down' }], { name: 'writer' }) }, 'MODEL_FAILED'],
      [{ model: model([calls('look')], { name: 'writer' }), tools: [tool('look')], maxTurns: 1 }, 'STEPS_EXHAUSTED'],
      [{ model: model(['x'], { name: 'writer' }), budget: { modelCalls: 0 } }, 'LIMIT_EXCEEDED'],
    ]
    for (const [writer, code] of broken) {
      const mind = model([ask('a'), 'I do it myself.'], { name: 'main' })
      const result = await withWriter({ model: mind }, writer).run('main', 'Go.')
      expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'error', value: expect.stringContaining(code) }])
      expect(result).toMatchObject({ status: 'completed', text: 'I do it myself.' })
    }
  })

  it('waits with it when it needs an approval, and goes on with it', async () => {
    let sent = 0
    const send = tool('send', () => ++sent, { risk: 'destructive' })
    const service = withWriter(
      { model: model([ask('Send it.'), 'Sent.'], { name: 'main' }) },
      { model: model([calls('send'), 'I sent it.'], { name: 'writer' }), tools: [send] },
    )
    const waiting = await service.run('main', 'Go.')
    expect(waiting).toMatchObject({
      status: 'await_user',
      phase: 'await_user',
      suspendReason: 'approval',
    })
    expect(waiting.error).toBeUndefined()
    const [request] = await service.approvals(waiting.id)
    expect(request!.run).not.toBe(waiting.id)
    const { run, key, kind, name, input, text, hash } = request!
    expect(waiting.pending).toMatchObject([{ approvalId: request!.id, run, key, kind, name, input, text, hash }])
    await service.approve(request!.id)
    const result = await service.resume(waiting.id)
    expect(result).toMatchObject({ status: 'completed', text: 'Sent.' })
    expect(sent).toBe(1)
  })

  it('is told when what the other wanted was rejected or denied', async () => {
    const send = tool('send', () => 'never', { risk: 'destructive' })
    const writer = () => ({
      model: model([calls('send'), 'They would not let me.'], { name: 'writer' }),
      tools: [send],
    })
    const mind = model([ask('Send it.'), 'Sorry.'], { name: 'main' })
    const service = withWriter({ model: mind }, writer())
    const waiting = await service.run('main', 'Go.')
    await service.reject((await service.approvals(waiting.id))[0]!.id, 'not today')
    expect(await service.resume(waiting.id)).toMatchObject({ status: 'completed', text: 'Sorry.' })
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: 'They would not let me.' }])
    const strict = withWriter(
      { model: model([ask('Send it.'), 'Sorry.'], { name: 'main' }), policyProfile: 'managed' },
      writer(),
    )
    // The stricter mandate of the two holds, so nobody is even asked.
    expect(await strict.run('main', 'Go.')).toMatchObject({ status: 'completed' })
  })

  it('may be forbidden to, by the deny list', async () => {
    const mind = model([ask('a'), 'Alone then.'], { name: 'main' })
    const writer = model(['never'], { name: 'writer' })
    const result = await withWriter({ model: mind, mandate: { deny: ['agent:writer'] } }, { model: writer }).run(
      'main',
      'Go.',
    )
    expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'denied' }])
    expect(result.status).toBe('completed')
    expect(writer.requests).toHaveLength(0)
  })

  it('does not end because someone cancelled the other one', async () => {
    const hang = hanging('test/writer')
    const mind = model([ask('a'), 'Never mind.'], { name: 'main' })
    const service = withWriter({ model: mind }, { model: hang })
    const running = service.run('main', 'Go.')
    await hang.reached
    const [child] = await service.runs({ parent: running.id })
    await service.cancel(child!.run, 'not needed')
    const result = await running
    expect(result).toMatchObject({ status: 'completed', text: 'Never mind.' })
    expect(lastResults(mind.requests[1]!)).toMatchObject([{ status: 'cancelled' }])
    expect((await service.runs()).map(({ state }) => state).toSorted()).toEqual(['cancelled', 'completed'])
  })

  it('takes the other one down with it', async () => {
    const hang = hanging('test/writer')
    const service = withWriter({ model: model([ask('a'), 'Never.'], { name: 'main' }) }, { model: hang })
    const running = service.run('main', 'Go.')
    await hang.reached
    void running.cancel()
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect((await service.runs()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
  })

  it('finds the other one again after a crash, and repeats nothing of it', async () => {
    const script = [ask('a'), 'Done.']
    const build = (journal?: never) => {
      const writer = model(['b'], { name: 'writer' })
      return { writer, service: withWriter({ model: model(script, { name: 'main' }) }, { model: writer }, { journal }) }
    }
    const first = build()
    const whole = await first.service.run('main', 'Go.')
    const lines = await linesOf(first.service.journal, whole.id)
    const journal = await cutAfter(first.service.journal, whole.id, lines.indexOf('effect-end turn:1/tool:1'))
    const [child] = await first.service.runs({ parent: whole.id })
    const copy = await cutAfter(first.service.journal, child!.run, 1_000)
    for await (const entry of copy.read(child!.run)) {
      const lease = await journal.acquire({ run: child!.run, owner: 'gone', ttlMs: 0, now: 0 })
      await journal.append(lease, entry.seq - 1, [entry])
      await journal.release(lease)
    }
    const second = build(journal as never)
    expect(await second.service.resume(whole.id)).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(second.writer.requests).toHaveLength(0)
  })

  it('is not run while the other is not registered: the model is never offered what is not there', async () => {
    const mind = model([calls({ name: 'editor', input: { prompt: 'x' } }), 'Alone then.'])
    await expect(host({ model: mind, agents: ['editor'] }).run('main', 'Go.')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('editor') as string,
    })
    expect(mind.requests).toEqual([])
  })

  it('makes do with a task that is no text, and with none', async () => {
    const mind = model([calls({ name: 'writer', input: { prompt: { topic: 'roses' } } }, 'writer'), 'Done.'], {
      name: 'main',
    })
    const writer = model(['ok'], { name: 'writer' })
    const result = await withWriter({ model: mind }, { model: writer }).run('main', 'Go.')
    expect(result.status).toBe('completed')
    expect(writer.requests[0]!.messages).toMatchObject([{ content: [{ text: '{"topic":"roses"}' }] }])
  })

  it('may call itself, but not for ever: at the fourth level it is told to do the work itself', async () => {
    const mind = model(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? 'I did it.' : calls({ name: 'main', input: { prompt: 'deeper' } }),
    )
    const service = host({ model: mind, agents: ['main'] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'I did it.' })
    const runs = await service.runs()
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'completed'))
    const told = await Promise.all(
      runs.map(async ({ run }) => (await service.result(run)).report().diagnostics.warnings),
    )
    expect(told.flat()).toEqual([expect.stringContaining('budget.depth')])
  })

  it('goes as deep as its budget says', async () => {
    const mind = model(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? 'I did it.' : calls({ name: 'main', input: { prompt: 'deeper' } }),
    )
    const service = host({ model: mind, agents: ['main'], budget: { depth: 1 } })
    await service.run('main', 'Go.')
    expect(await service.runs()).toHaveLength(2)
  })
})
