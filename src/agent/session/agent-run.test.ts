import { describe, expect, it } from 'vitest'
import { knownValues } from '../../redact/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Model } from '../../model/index.ts'
import type { AgentConfig } from '../config/config-types.ts'
import { Agent } from '../agent.ts'
import { calls, gate, hanging, host, model, replacing, tool } from '../agent.fixture.ts'
import { planSteps } from '../config/strategies.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const busy = (text?: string) => ({
  error: 'busy',
  retriable: true,
  retryAfterMs: 1,
  ...(text === undefined ? {} : { text }),
})

/** The pieces a listener is given, put together as it should: what is taken back is taken back. */
function listener() {
  const said = { text: '', resets: 0 }
  return {
    said,
    onModelTokens: (text: string) => void (said.text += text),
    onTextReset: (text: string) => void ((said.text = text), (said.resets += 1)),
  }
}

const configs: readonly [string, () => AgentConfig][] = [
  ['one turn', () => ({ model: model(['Hello, how are you?']) })],
  [
    'several turns',
    () => ({
      model: model([{ text: 'I look.', ...calls('look') }, calls('look'), 'I see it now.']),
      tools: [tool('look')],
    }),
  ],
  ['a model that streams letter by letter', () => ({ model: model([{ text: 'Grüezi 👋', chunks: 8 }]) })],
  [
    'a model that does not stream',
    () => ({ model: model([{ text: 'All at once.', chunks: 1 }], { capabilities: { streaming: false } }) }),
  ],
  [
    'line breaks and spaces of its own',
    () => ({ model: model([{ text: '\n a \n', ...calls('look') }, ' b ']), tools: [tool('look')] }),
  ],
  ['a call that fails before it speaks', () => ({ model: model([busy(), 'Hello.']) })],
  [
    'a call that breaks off and says the same again',
    () => ({ model: model([busy('Hello, how'), 'Hello, how are you?']) }),
  ],
  [
    'a planner of the host',
    () => ({
      planner: planSteps(
        [
          { type: 'message', message: 'One.' },
          { type: 'message', message: 'Two.' },
        ],
        { type: 'finish', message: 'Three.' },
      ),
    }),
  ],
  ['a runner of the host', () => ({ runner: { run: async () => ({ text: 'Mine.' }) } })],
  [
    'a summary and a proposal, which are said to nobody',
    () => ({
      model: model(({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('Summarise now')
          ? 'A summary.'
          : messages.at(-1)!.role === 'tool'
            ? 'Done.'
            : { text: 'I look.', ...calls('look') },
      ),
      fallbackProvider: model(['{"toolName": null}'], { name: 'proposer', by: 'call' }),
      tools: [tool('look', () => Promise.reject(new Error('x'.repeat(2_000))))],
      history: { maxTokens: 500, compact: true },
    }),
  ],
]

describe.each(configs)('the text of a run with %s', (_name, config) => {
  it('is the same streamed, called back, iterated and not streamed at all', async () => {
    const plain = await host(config()).run('main', 'Go.')
    expect(plain.status).toBe('completed')
    const { said, ...callbacks } = listener()
    const service = host(config())
    const run = service.run('main', 'Go.', callbacks)
    const pieces = await collect(run.textStream)
    const result = await run
    expect(result.text).toBe(plain.text)
    expect(pieces.join('')).toBe(result.text)
    expect(said.text).toBe(result.text)
    // However late one begins to look.
    expect((await collect(run.textStream)).join('')).toBe(result.text)
  })
})

describe('a run that has been started', () => {
  it('gives its text while it is written, not when it is over', async () => {
    const hold = gate()
    const slow: Model = {
      id: 'test/slow',
      provider: 'test',
      modelId: 'slow',
      async *stream() {
        yield { type: 'text-delta', text: 'Hello' }
        await hold.promise
        yield { type: 'text-delta', text: ' world' }
        yield { type: 'finish', reason: 'stop' }
      },
    }
    const run = host({ model: slow }).run('main', 'Go.')
    const texts = run.textStream[Symbol.asyncIterator]()
    expect(await texts.next()).toEqual({ done: false, value: 'Hello' })
    let isOver = false
    void run.then(() => (isOver = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).toBe(false)
    hold.open()
    expect(await texts.next()).toEqual({ done: false, value: ' world' })
    expect(await texts.next()).toMatchObject({ done: true })
  })

  it('takes back what a call said that broke off and then said something else', async () => {
    const { said, ...callbacks } = listener()
    const mind = model([{ text: 'I look.', ...calls('look') }, busy('Good mor'), 'Hello, how are you?'])
    const run = host({ model: mind, tools: [tool('look')] }).run('main', 'Go.', callbacks)
    const pieces = await collect(run.textStream)
    const result = await run
    expect(result.text).toBe('I look.\nHello, how are you?')
    expect(said).toEqual({ text: result.text, resets: 1 })
    // Text that cannot be taken back stays, and the answer begins on a new line.
    expect(pieces.join('')).toBe('I look.\nGood mor\nHello, how are you?')
  })

  it('takes back what a model said before another one had to take over', async () => {
    const { said, ...callbacks } = listener()
    const main = model([{ error: 'down', text: 'Good mor' }], { name: 'main' })
    const result = await host({ model: main, fallbackModel: model(['Hello.'], { name: 'spare' }) }).run(
      'main',
      'Go.',
      callbacks,
    )
    expect(result.text).toBe('Hello.')
    expect(said).toEqual({ text: 'Hello.', resets: 1 })
  })

  it('corrects what was streamed where redaction sees more in the whole than in the pieces', async () => {
    const redactor = knownValues()
    redactor.add('pin', 'secret-value')
    const { said, ...callbacks } = listener()
    const mind = model([{ text: 'It is secret-value.', chunks: ['It is secret', '-value.'] }])
    const result = await host({ model: mind }, { redactor }).run('main', 'Go.', callbacks)
    expect(result.text).toBe('It is [secret:pin].')
    expect(said.text).toBe(result.text)
  })

  it('can be iterated by several at once, each of whom gets everything', async () => {
    const open = gate()
    const mind = model([calls('wait'), 'Done.'])
    const run = host({ model: mind, tools: [tool('wait', () => open.promise)] }).run('main', 'Go.')
    const readers = [collect(run), collect(run), collect(run.textStream)] as const
    await new Promise((resolve) => setImmediate(resolve))
    open.open()
    const [one, two, text] = await Promise.all(readers)
    expect(one).toEqual(two)
    expect(text.join('')).toBe('Done.')
    expect(one[0]!.type).toBe('run-start')
    expect(one.at(-1)!.type).toBe('run-end')
    expect(await collect(run)).toEqual(one)
  })

  it('gives entries and passing events in the order in which they happen', async () => {
    const run = host({ model: model([{ text: 'I look.', ...calls('look') }, 'Done.']), tools: [tool('look')] }).run(
      'main',
      'Go.',
    )
    const types = (await collect(run)).map(({ type }) => type)
    const wanted = [
      'run-start',
      'step-start',
      'effect-start',
      'text-delta',
      'effect-end',
      'effect-start',
      'effect-end',
      'step-end',
      'step-start',
      'text-delta',
      'run-end',
    ]
    let at = 0
    for (const type of types) if (type === wanted[at]) at += 1
    expect(wanted[at]).toBeUndefined()
  })

  it('gives a late reader the same events as a listener from the start, piece by piece', async () => {
    const said: Model = {
      id: 'test/said',
      provider: 'test',
      modelId: 'said',
      async *stream() {
        yield { type: 'reasoning-delta', text: 'Let me ' }
        yield { type: 'reasoning-delta', text: 'see.' }
        for (const text of ['One ', 'two ', '', 'three ']) yield { type: 'text-delta', text }
        yield { type: 'finish', reason: 'stop' }
      },
    }
    const odd = [{ text: 'with', more: 1 }, { text: 'a', more: 1 }, { text: 'b' }, { text: 'c' }, 'plain', null]
    const speak = tool('speak', (_input, context) => {
      for (const data of odd) context.emit('text-delta', data)
      return 'ok'
    })
    for (const service of [host({ model: said }), host({ model: model([calls('speak'), 'Done.']), tools: [speak] })]) {
      const heard: unknown[] = []
      service.events.on('*', (event) => heard.push(event))
      const run = service.run('main', 'Go.')
      await run
      expect(await collect(run)).toEqual(heard)
      expect(heard.filter((event) => (event as { type: string }).type.endsWith('-delta')).length).toBeGreaterThan(4)
    }
  })

  it('gets no events of other runs', async () => {
    const service = host({ model: model(({ messages }) => JSON.stringify(messages.at(-1)!.content)) })
    const [one, two] = [service.run('main', 'red'), service.run('main', 'blue')]
    expect((await collect(one.textStream)).join('')).not.toContain('blue')
    expect((await collect(two.textStream)).join('')).not.toContain('red')
  })

  it('a failure without a reader is not an unhandled rejection', async () => {
    const journal = replacing(memoryJournal(), { acquire: () => Promise.reject(new Error('no disk')) })
    const service = host({ model: model(['Hello.']) }, { journal })
    const run = service.run('main', 'Go.')
    expect(await collect(run)).toEqual([])
    await expect(run).rejects.toThrow('no disk')
  })
})

describe('the handle of a run', () => {
  it('is awaited for the result, iterated for the events, read for the text, and has the id of both', async () => {
    const agent = new Agent({ id: 'main', model: model(['Hello.']) })
    const run = agent.run('Go.')
    const [events, text, result] = await Promise.all([collect(run), collect(run.textStream), run])
    expect(result).toMatchObject({ id: run.id, status: 'completed', text: 'Hello.' })
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([run.id]))
    expect(events.at(-1)!.type).toBe('run-end')
    expect(text.join('')).toBe('Hello.')
    expect(await run.finally(() => {})).toBe(result)
  })

  it('of an agent keeps its place in the conversation, also when nobody awaits the one before', async () => {
    const mind = model(['One.', 'Two.'])
    const agent = new Agent({ id: 'main', model: mind })
    const first = agent.run('First.')
    const second = agent.run('Second.')
    expect(first.id).not.toBe(second.id)
    expect((await collect(second.textStream)).join('')).toBe('Two.')
    expect(mind.requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect((await first).text).toBe('One.')
  })

  it('cancels a run that is under way, that waits for its turn, and that waits for a person', async () => {
    const hang = hanging()
    const agent = new Agent({ id: 'main', model: hang })
    const [running, queued] = [agent.run('Go.'), agent.run('Go on.')]
    await hang.reached
    const cancelled = queued.cancel('not needed')
    await running.cancel('enough')
    await cancelled
    expect(await running).toMatchObject({ status: 'cancelled', error: { message: expect.stringContaining('enough') } })
    expect(await queued).toMatchObject({ status: 'cancelled' })
    const send = tool('send', () => 'sent', { risk: 'destructive' })
    const asking = new Agent({ id: 'main', model: model([calls('send')]), tools: [send] })
    const waiting = asking.run('Go.')
    const { pending } = await waiting
    await waiting.cancel('changed my mind')
    expect(await asking.resume(waiting.id)).toMatchObject({ status: 'cancelled' })
    await expect(asking.service.approve(pending[0]!.approvalId!)).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
  })

  it('of what cannot begin rejects, and throws nothing at once', async () => {
    const service = host({ model: model(['Hello.']) })
    const run = service.run('nowhere', 'Go.')
    await expect(run).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await collect(run)).toEqual([])
  })
})
