import { expect, expectTypeOf, test } from 'vitest'
import { EventBus } from '../core/index.ts'
import type { BusEvent, Json } from '../core/index.ts'
import type { EffectStartData, MandateEvent, RunEventBus } from './index.ts'

const place = { v: 1, at: 0, runId: 'r', sessionId: 's', agentId: 'a' } as const

test('a listener is typed by the name it listens to', () => {
  const bus: RunEventBus = new EventBus()
  const heard: unknown[] = []
  bus.on('text-delta', (event) => {
    expectTypeOf(event.type).toEqualTypeOf<'text-delta'>()
    heard.push(event.data.text)
  })
  bus.on('effect-start', ({ data }) => {
    expectTypeOf(data).toEqualTypeOf<EffectStartData>()
  })
  bus.on('step-start', ({ data }) => {
    expectTypeOf(data.turn).toEqualTypeOf<number>()
    // @ts-expect-error: the start of a step says no text.
    heard.push(data.text)
  })
  bus.emit({ ...place, type: 'text-delta', data: { text: 'hi' } })
  bus.emit({ ...place, type: 'step-start', data: { turn: 1 } })
  expect(heard).toEqual(['hi', undefined])
})

test('who listens to all events narrows them by their type', () => {
  const bus: RunEventBus = new EventBus()
  const heard: string[] = []
  const listen = ({ type, data }: MandateEvent): void => {
    if (type === 'run-end') heard.push(data.state)
    else if (type === 'tool-progress') expectTypeOf(data).toEqualTypeOf<Json>()
    // @ts-expect-error: no event has this type.
    else if (type === 'run-started') heard.push('never')
  }
  bus.on('*', (event) => {
    expectTypeOf(event).toEqualTypeOf<MandateEvent>()
    listen(event)
  })
  bus.onRun('r', listen)
  bus.emit({ ...place, type: 'run-end', data: { state: 'completed', activeMs: 1, spent: {} } })
  expect(heard).toEqual(['completed', 'completed'])
})

test('an event of a type that is not known has JSON, or what the listener says it is', () => {
  const bus: RunEventBus = new EventBus()
  const heard: number[] = []
  bus.on('rows-read', (event) => {
    expectTypeOf(event).toEqualTypeOf<BusEvent<string, Json>>()
    // @ts-expect-error: nothing says what is in it.
    heard.push(event.data.rows)
  })
  bus.on<{ rows: number }>('rows-read', (event) => void heard.push(event.data.rows))
  bus.emit({ ...place, type: 'rows-read', data: { rows: 3 } })
  expect(heard).toEqual([3, 3])
})
