import { expect, test } from 'vitest'
import { EventBus } from './index.ts'
import type { BusEvent, EventSink } from './index.ts'
import type { ListenerFault } from './events.ts'

const event = (type = 'note', data: BusEvent['data'] = {}): BusEvent => ({
  v: 1,
  type,
  at: 1,
  runId: 'run',
  sessionId: 'session',
  agentId: 'agent',
  data,
})

function sinkOf(written: BusEvent[], options: Partial<EventSink> = {}): EventSink {
  return { name: 'sink', write: (one) => void written.push(one), ...options }
}

test('listeners of a type and of everything hear it, others do not', () => {
  const bus = new EventBus()
  const heard: string[] = []
  bus.on('note', (one) => heard.push(`note ${one.type}`))
  bus.on('*', (one) => heard.push(`all ${one.type}`))
  bus.on('other', () => heard.push('other'))
  bus.emit(event())
  expect(heard).toEqual(['note note', 'all note'])
})

test('a listener that throws or rejects affects neither the emitter nor other listeners', async () => {
  const faults: ListenerFault[] = []
  const bus = new EventBus((fault) => faults.push(fault))
  const heard: string[] = []
  bus.on('note', function thrower() {
    throw new Error('thrown')
  })
  bus.on('note', async function rejecter() {
    throw new Error('rejected')
  })
  bus.on('note', () => {
    // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error
    throw null
  })
  bus.addSink({
    name: 'bad sink',
    write: () => {
      throw new Error('sink')
    },
  })
  bus.on('note', () => heard.push('last'))
  bus.emit(event())
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual(['last'])
  expect(faults.map(({ listener, message }) => `${listener}: ${message}`).toSorted()).toEqual([
    'bad sink: sink',
    'note: null',
    'rejecter: rejected',
    'thrower: thrown',
  ])
})

test('even a reporter of faults that throws breaks nothing', () => {
  const bus = new EventBus(() => {
    throw new Error('no')
  })
  bus.on('note', () => {
    throw new Error('no')
  })
  expect(() => bus.emit(event())).not.toThrow()
})

test('a listener may add and remove listeners while it is called', () => {
  const bus = new EventBus()
  const heard: string[] = []
  const stop = bus.on('note', () => {
    stop()
    bus.on('note', () => heard.push('added'))
    heard.push('first')
  })
  bus.emit(event())
  expect(heard).toEqual(['first'])
  bus.emit(event())
  expect(heard).toEqual(['first', 'added'])
})

test('wants reports whether an event has a listener', () => {
  const bus = new EventBus()
  expect(bus.wants('note', 'run_1')).toBe(false)
  const stop = bus.on('note', () => {})
  expect([bus.wants('note', 'run_1'), bus.wants('other', 'run_1')]).toEqual([true, false])
  stop()
  const remove = bus.addSink(sinkOf([]))
  expect(bus.wants('other', 'run_1')).toBe(true)
  remove()
  expect(bus.wants('note', 'run_1')).toBe(false)
})

test('sinks see what was said as sizes, unless they ask for it', () => {
  const [redacted, full]: [BusEvent[], BusEvent[]] = [[], []]
  const bus = new EventBus()
  bus.addSink(sinkOf(redacted))
  bus.addSink(sinkOf(full, { includePayloads: true }))
  const data = {
    kind: 'tool',
    input: { password: 'hunter2' },
    outcome: { status: 'ok', value: 'hunter2' },
    list: [{ text: 'hunter2' }],
    message: { role: 'user', content: 'hunter2' },
    error: { code: 'DENIED', message: 'said plainly' },
    output: null,
  }
  const one = event('effect-end', data)
  bus.emit(one)
  expect(full).toEqual([one])
  expect(JSON.stringify(redacted)).not.toContain('hunter2')
  expect(redacted[0]!.data).toMatchObject({
    kind: 'tool',
    input: { bytes: 22 },
    outcome: { status: 'ok', value: { bytes: 7 } },
    error: { message: 'said plainly' },
    output: null,
  })
})

test('closing closes every sink, even after one that fails, and then nothing is delivered', async () => {
  const faults: ListenerFault[] = []
  const closed: string[] = []
  const bus = new EventBus((fault) => faults.push(fault))
  const written: BusEvent[] = []
  bus.addSink(sinkOf(written, { name: 'a', close: () => Promise.reject(new Error('stuck')) }))
  bus.addSink(sinkOf(written, { name: 'b', close: () => void closed.push('b') }))
  await bus.close()
  expect(closed).toEqual(['b'])
  expect(faults).toEqual([{ listener: 'a', message: 'stuck', event: 'close' }])
  bus.emit(event())
  expect(written).toEqual([])
})

test('a listener of one run gets every event of that run and none of another', () => {
  const bus = new EventBus()
  const heard: string[] = []
  const stop = bus.onRun('run_1', ({ runId, type }) => heard.push(`${runId} ${type}`))
  expect(bus.wants('anything', 'run_1')).toBe(true)
  expect(bus.wants('anything', 'run_2')).toBe(false)
  bus.emit({ v: 1, type: 'a', at: 0, runId: 'run_1', sessionId: 's', agentId: 'x', data: null })
  bus.emit({ v: 1, type: 'b', at: 0, runId: 'run_2', sessionId: 's', agentId: 'x', data: null })
  stop()
  bus.emit({ v: 1, type: 'c', at: 0, runId: 'run_1', sessionId: 's', agentId: 'x', data: null })
  expect(heard).toEqual(['run_1 a'])
  expect(bus.wants('anything', 'run_1')).toBe(false)
})

test('a member that is undefined does not keep an event from its sinks', () => {
  const bus = new EventBus()
  const seen: BusEvent[] = []
  bus.addSink(sinkOf(seen))
  bus.emit({
    v: 1,
    type: 'a',
    at: 0,
    runId: 'run_1',
    sessionId: 's',
    agentId: 'x',
    data: { output: undefined, kept: 1 },
  })
  expect(seen).toMatchObject([{ data: { kept: 1 } }])
})
