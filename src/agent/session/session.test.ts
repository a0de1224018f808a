import { describe, expect, it } from 'vitest'
import { assistantMessage, checkTranscript, textOf, toolMessage, userMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { calls, gate, hanging, host, model, tool } from '../agent.fixture.ts'

const spoken = (messages: readonly Message[]) => messages.map((message) => `${message.role}: ${textOf(message)}`)

describe('a session', () => {
  it('remembers what was said in it, run after run', async () => {
    const mind = model(['Hello Ana.', 'Your name is Ana.'])
    const session = host({ model: mind }).createSession('main')
    await session.run('I am Ana.')
    await session.run('Who am I?')
    expect(spoken(mind.requests[1]!.messages)).toEqual(['user: I am Ana.', 'assistant: Hello Ana.', 'user: Who am I?'])
    expect(spoken(session.history)).toEqual([
      'user: I am Ana.',
      'assistant: Hello Ana.',
      'user: Who am I?',
      'assistant: Your name is Ana.',
    ])
  })

  it('shares nothing with another one that runs at the same time', async () => {
    const both = gate()
    let waiting = 0
    const meet = tool('meet', async () => {
      if (++waiting === 2) both.open()
      await both.promise
    })
    const mind = model(({ messages }, { position }) =>
      position % 2 === 0 ? calls('meet') : `I heard: ${textOf(messages.findLast(({ role }) => role === 'user')!)}`,
    )
    const service = host({ model: mind, tools: [meet] })
    const [a, b] = [service.createSession('main'), service.createSession('main')]
    const [one, two] = await Promise.all([a.run('red'), b.run('blue')])
    expect([one.text, two.text]).toEqual(['I heard: red', 'I heard: blue'])
    expect(one.sessionId).not.toBe(two.sessionId)
    expect(spoken(a.history).join()).not.toContain('blue')
    expect(spoken(b.history).join()).not.toContain('red')
  })

  it('can be cut without touching another one', async () => {
    const [started, open] = [gate(), gate()]
    let running = 0
    const wait = tool('wait', async () => {
      if (++running === 2) started.reach()
      await open.promise
    })
    const service = host({ model: model([calls('wait'), 'Done.']), tools: [wait] }, { limits: { cancelGraceMs: 5 } })
    const [a, b] = [service.createSession('main'), service.createSession('main')]
    const both = [a.run('Go.'), b.run('Go.')] as const
    await started.reached
    a.abort()
    expect(await both[0]).toMatchObject({ status: 'cancelled' })
    open.open()
    expect(await both[1]).toMatchObject({ status: 'completed', text: 'Done.' })
  })

  it('queues its runs: they follow each other in the order of the requests', async () => {
    const order: string[] = []
    const mind = model(async ({ messages }) => {
      const said = textOf(messages.at(-1)!)
      order.push(`start ${said}`)
      await new Promise((resolve) => setTimeout(resolve, said === '1' ? 5 : 0))
      order.push(`end ${said}`)
      return said
    })
    const session = host({ model: mind }).createSession('main')
    const results = await Promise.all([session.run('1'), session.run('2'), session.run('3')])
    expect(results.map(({ text }) => text)).toEqual(['1', '2', '3'])
    expect(order).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3'])
    expect(session.history).toHaveLength(6)
  })

  it('continues after a run that could not start', async () => {
    const session = host({ model: model(['Hello.']) }).createSession('main')
    const [bad, good] = await Promise.allSettled([session.run(7 as never), session.run('Hi.')])
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'INPUT_INVALID' } })
    expect(good).toMatchObject({ status: 'fulfilled', value: { text: 'Hello.' } })
  })

  it('begins with the history it is given, and forgets it when told to', async () => {
    const mind = model(({ messages }) => String(messages.length))
    const session = host({ model: mind }).createSession('main', { history: [userMessage('a'), assistantMessage('b')] })
    expect(await session.run('c')).toMatchObject({ text: '3' })
    session.clearHistory()
    expect(await session.run('d')).toMatchObject({ text: '1' })
    const other = [userMessage('x'), assistantMessage('y'), userMessage('x'), assistantMessage('y')]
    expect(await session.run('e', { history: other })).toMatchObject({ text: '5' })
  })

  it('hands out copies of its history', async () => {
    const session = host({ model: model(['Hello.']) }).createSession('main')
    await session.run('Hi.')
    ;(session.history as Message[]).length = 0
    expect(session.history).toHaveLength(2)
  })

  it('can be gone on with after a run that was killed in the middle of a call', async () => {
    const mind = model([calls('wipe'), 'What now?'])
    const rules = [{ id: 'never', when: { tool: 'wipe' }, then: 'kill' as const }]
    const session = host({ model: mind, tools: [tool('wipe')], mandate: { rules } }).createSession('main')
    expect(await session.run('Wipe it.')).toMatchObject({ status: 'failed', error: { code: 'KILLED' } })
    expect(checkTranscript(session.history)).toEqual([])
    expect(await session.run('Hello?')).toMatchObject({ status: 'completed', text: 'What now?' })
  })

  it('can be continued while a run waits, and gets its messages later', async () => {
    const send = tool('send', () => 'sent', { risk: 'destructive' })
    const mind = model(({ messages }) => {
      const last = messages.at(-1)!
      if (last.role === 'tool') return 'It is sent.'
      return textOf(last) === 'Send it.'
        ? calls('send')
        : `I know ${messages.filter(({ role }) => role === 'assistant').length} answers.`
    })
    const service = host({ model: mind, tools: [send] })
    const [asked, ignored] = [service.createSession('main'), service.createSession('main')]
    const waiting = await asked.run('Send it.')
    await ignored.run('Send it.')
    expect(checkTranscript(ignored.history)).toEqual([])
    expect(await ignored.run('And?')).toMatchObject({ status: 'completed', text: 'I know 1 answers.' })
    await service.approve((await service.approvals(waiting.id))[0]!.id)
    await service.resume(waiting.id)
    expect(await asked.run('And?')).toMatchObject({ text: 'I know 2 answers.' })
    expect(spoken(asked.history)).toContain('assistant: It is sent.')
  })
})

describe('abort', () => {
  it('of a session cuts the run that is under way, in the middle of a model call', async () => {
    const mind = hanging()
    const service = host({ model: mind })
    const session = service.createSession('main')
    const running = session.run('Go.')
    await mind.reached
    session.abort()
    const result = await running
    expect(result).toMatchObject({
      status: 'cancelled',
      phase: 'failed',
      error: { code: 'CANCELLED', message: 'the session was aborted' },
    })
    expect(await service.runs()).toMatchObject([{ state: 'cancelled' }])
  })

  it('reaches a tool that is running, and every call gets a result', async () => {
    const inside = gate()
    const slow = tool('slow', (_, { signal }) => {
      inside.reach()
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('cut')), { once: true }),
      )
    })
    const service = host({ model: model([calls('slow', 'slow'), 'Never.']), tools: [slow] })
    const run = service.run('main', 'Go.')
    await inside.reached
    void run.cancel()
    expect(await run).toMatchObject({ status: 'cancelled' })
    const messages = await service.messages(run.id)
    expect(checkTranscript(messages)).toEqual([])
    expect(messages.at(-1)!.content).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
  })

  it('does not wait for a tool that does not listen', async () => {
    const inside = gate()
    const deaf = tool('deaf', () => (inside.reach(), new Promise(() => {})))
    const service = host({ model: model([calls('deaf'), 'Never.']), tools: [deaf] }, { limits: { cancelGraceMs: 5 } })
    const run = service.run('main', 'Go.')
    await inside.reached
    void run.cancel()
    expect(await run).toMatchObject({ status: 'cancelled' })
  })

  it('before the first step ends the run before the model is asked', async () => {
    const mind = model(['Never.'])
    const service = host({ model: mind })
    expect(await service.run('main', 'Go.', { signal: AbortSignal.abort() })).toMatchObject({ status: 'cancelled' })
    const session = service.createSession('main')
    const running = session.run('Go.')
    session.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect(mind.requests).toHaveLength(0)
  })

  it('aborting a session cancels everything requested before, and nothing after', async () => {
    const mind = hanging()
    const session = host({ models: [mind] }).createSession('main')
    const asked = [session.run('1'), session.run('2'), session.run('3')]
    await mind.reached
    session.abort()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const later = host({ model: model(['Hello.']) }).createSession('main')
    later.abort()
    expect(await later.run('Hi.')).toMatchObject({ status: 'completed' })
  })

  it('by signal works at any time of the run, and not after it', async () => {
    const mind = hanging()
    const controller = new AbortController()
    const running = host({ model: mind }).run('main', 'Go.', { signal: controller.signal })
    await mind.reached
    controller.abort()
    expect(await running).toMatchObject({ status: 'cancelled', error: { message: 'aborted by the caller' } })
    const done = new AbortController()
    const result = await host({ model: model(['Done.']) }).run('main', 'Go.', { signal: done.signal })
    done.abort()
    expect(result.status).toBe('completed')
  })

  it('reaches a run that waits for a person in this process', async () => {
    const asked = gate()
    const service = host(
      { model: model([calls('send'), 'Never.']), tools: [tool('send', () => 'never', { risk: 'destructive' })] },
      { onApproval: () => (asked.reach(), new Promise<never>(() => {})) },
    )
    const session = service.createSession('main')
    const running = session.run('Go.')
    await asked.reached
    session.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect(checkTranscript(session.history)).toEqual([])
  })

  it('of a session also ends a run that was put away until a person answers', async () => {
    let sent = 0
    const service = host({
      model: model([calls('send'), 'Never.']),
      tools: [tool('send', () => ++sent, { risk: 'destructive' })],
    })
    const session = service.createSession('main')
    const waiting = await session.run('Go.')
    expect(waiting.status).toBe('await_user')
    session.abort()
    await expect.poll(async () => (await service.result(waiting.id)).status).toBe('cancelled')
    expect(sent).toBe(0)
  })
})

describe('a history that cannot be sent to a model', () => {
  const call = assistantMessage([{ type: 'tool-call', toolCallId: 'x', name: 't', input: {} }])
  const result = toolMessage([{ type: 'tool-result', toolCallId: 'x', name: 't', status: 'ok', value: 1 }])

  it.each([
    ['a result without its call', [result]],
    ['a call without its result', [userMessage('a'), call]],
    ['no list', 'hello'],
    ['a message without a role', [{ content: [] }]],
    ['a message whose content is a text', [{ role: 'user', content: 'hi' }]],
    ['nothing', [null]],
  ])('because it has %s is refused before anything happens', async (_what, history) => {
    const service = host({ model: model(['Never.']) })
    await expect(service.run('main', 'Go.', { history: history as never })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('history'),
    })
    expect(await service.runs()).toEqual([])
  })

  it('is copied, so that changing it later changes nothing', async () => {
    const mine = { role: 'user' as const, content: [{ type: 'text' as const, text: 'before' }] }
    const service = host({ model: model(() => ((mine.content[0]!.text = 'after'), 'Done.')) })
    const done = await service.run('main', 'Go.', { history: [mine] })
    expect(await service.verify(done.id)).toMatchObject({ ok: true })
    expect(textOf((await service.messages(done.id))[0]!)).toBe('before')
  })
})
