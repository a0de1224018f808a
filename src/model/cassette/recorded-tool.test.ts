import { expect, test } from 'vitest'
import { type Json, MandateError } from '../../core/index.ts'
import { errorOf, shelf } from './cassette.fixture.ts'
import { type Cassette, cassette } from './cassette.ts'

interface Context {
  readonly signal: AbortSignal
  emit(name: string, data: Json): void
}

interface PlainTool {
  readonly name: string
  readonly risk?: string
  run(input: Json, ctx: Context): unknown
  fatal?(error: unknown): boolean
}

function decks(): { record: () => Cassette; replay: () => Cassette } {
  const storage = shelf()
  return {
    record: () => cassette({ mode: 'record', storage }),
    replay: () => cassette({ mode: 'replay', storage }),
  }
}

function context(signal: AbortSignal = new AbortController().signal): Context & { readonly emitted: unknown[] } {
  const emitted: unknown[] = []
  return { signal, emitted, emit: (name, data) => void emitted.push([name, data]) }
}

test('a recorded tool returns its recorded result for the same input, without being called again', async () => {
  const { record, replay } = decks()
  let runs = 0
  const add: PlainTool = {
    name: 'add',
    risk: 'read',
    run: (input) => ({ sum: (input as { a: number }).a + 1, runs: ++runs }),
  }
  const recorded = record().tool(add)
  expect(await recorded.run({ a: 1, b: [] }, context())).toEqual({ sum: 2, runs: 1 })
  const played = replay().tool(add)
  expect(await played.run({ b: [], a: 1 }, context())).toEqual({ sum: 2, runs: 1 })
  expect(runs).toBe(1)
  expect(played).toMatchObject({ name: 'add', risk: 'read' })
  expect(Object.isFrozen(played)).toBe(true)
})

test('progress and events are played back in order, before the result', async () => {
  const { record, replay } = decks()
  const counting: PlainTool = {
    name: 'count',
    async *run(_input, ctx) {
      yield 1
      ctx.emit('half', { way: true })
      yield 2
      return 'two'
    },
  }
  for (const tape of [record(), replay()]) {
    const ctx = context()
    const items = (await tape.tool(counting).run({}, ctx)) as AsyncGenerator<unknown, unknown>
    const seen: unknown[] = []
    for (let item = await items.next(); ; item = await items.next()) {
      seen.push(item.value)
      if (item.done === true) break
    }
    expect([seen, ctx.emitted]).toEqual([[1, 2, 'two'], [['half', { way: true }]]])
  }
})

test('a failure is recorded with its code, and a miss ends the run whatever the tool thinks of errors', async () => {
  const { record, replay } = decks()
  const failing: PlainTool = {
    name: 'fail',
    fatal: () => false,
    run: () => {
      throw new MandateError('CONNECTOR_FAILED', 'no answer', { info: { status: 502 } })
    },
  }
  await errorOf(record().tool(failing).run({}, context()) as Promise<unknown>)
  const played = replay().tool(failing)
  const error = await errorOf(played.run({}, context()) as Promise<unknown>)
  expect(error).toMatchObject({ code: 'CONNECTOR_FAILED', message: 'no answer', info: { status: 502 } })
  expect(played.fatal?.(error)).toBe(false)
  const miss = await errorOf(played.run({ other: 1 }, context()) as Promise<unknown>)
  expect(miss).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('other\n    recorded: nothing') })
  expect(played.fatal?.(miss)).toBe(true)
})

test('a tool that was cut waits to be cut again', async () => {
  const { record, replay } = decks()
  const slow: PlainTool = {
    name: 'slow',
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  }
  for (const tape of [record(), replay()]) {
    const controller = new AbortController()
    const running = tape.tool(slow).run({}, context(controller.signal)) as Promise<unknown>
    setImmediate(() => controller.abort())
    expect(await errorOf(running)).toBeInstanceOf(MandateError)
  }
  expect(await replay().report()).toMatchObject({ unused: [expect.stringContaining('tool slow')] })
})

test('what is no tool is refused with the way to make it one', () => {
  expect(() =>
    decks()
      .record()
      .tool({ name: 'x', execute: () => 1 } as never),
  ).toThrow('Pass others through `defineTool` first')
})
