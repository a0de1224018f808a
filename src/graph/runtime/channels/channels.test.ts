import { describe, expect, it } from 'vitest'
import type { Json } from '../../../core/index.ts'
import { barrier, namedBarrier } from './barrier-channels.ts'
import { channelOf } from './channel-kinds.ts'
import type { Channel } from './channel.ts'
import { messages } from './message-channel.ts'
import { aggregate, delta, ephemeral, lastValue, topic, untracked } from './value-channels.ts'

/** What is kept after steps with these writes. */
function after(channel: Channel, ...steps: readonly (readonly Json[])[]): Json | undefined {
  let kept = channel.initial
  for (const values of steps) {
    const writes = values.map((value, index) => ({ node: `n${index + 1}`, value }))
    kept = channel.fold(kept, writes, 'x')
  }
  return kept
}

describe('channels that hold one value', () => {
  it.each([lastValue(), ephemeral(), untracked()])(
    '$kind takes one write in a step, and names both nodes of two',
    (channel) => {
      expect(after(channel, [1], [2])).toBe(2)
      expect(() => after(channel, [1, 2])).toThrow('Nodes "n1" and "n2" wrote to the channel "x" in the same step')
    },
  )

  it('begin with what they were given', () => {
    expect(after(lastValue('a'))).toBe('a')
    expect(after(lastValue())).toBeUndefined()
  })
})

describe('channels that gather', () => {
  it('append lists item by item, in the order of the nodes', () => {
    expect(after(topic(), [1, [2, 3]], [4])).toEqual([1, 2, 3, 4])
    expect(after(topic())).toEqual([])
  })

  it('add numbers, and refuse other values', () => {
    expect(after(delta(5), [1, 2], [-3])).toBe(5)
    expect(() => after(delta(), ['1'])).toThrow('a `delta` adds numbers')
  })

  it('fold by a function', () => {
    expect(
      after(
        aggregate((a, b) => Math.max(Number(a), Number(b)), 3),
        [1, 7],
        [5],
      ),
    ).toBe(7)
    expect(
      after(
        aggregate((a, b) => [a ?? null, b]),
        [1],
      ),
    ).toEqual([null, 1])
  })
})

describe('a conversation', () => {
  it('appends, replaces by id and removes by id', () => {
    const said = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'one' }] }
    const edited = { id: 'a', role: 'assistant', content: 'two' }
    expect(after(messages(), ['hello'], [said], [edited])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'two' }] },
    ])
    expect(after(messages(), [[said, 'hi']], [{ id: 'a', remove: true }])).toHaveLength(1)
  })

  it('refuses what is no message', () => {
    expect(() => after(messages(), [{ role: 'robot', content: 'x' }])).toThrow('this is no message')
    expect(() => after(messages(), [7])).toThrow('this is no message')
  })
})

describe('barriers', () => {
  const isOpen = (channel: Channel, ...steps: readonly (readonly Json[])[]): Json | undefined =>
    channel.view!(after(channel, ...steps))

  it('open with the count, and start again with the next value', () => {
    expect([isOpen(barrier(3)), isOpen(barrier(3), [1, 1]), isOpen(barrier(3), [1, 1], [1])]).toEqual([
      false,
      false,
      true,
    ])
    expect(isOpen(barrier(2), [1, 1], [1])).toBe(false)
    expect(isOpen(barrier(2), [1, 1], [1], [1])).toBe(true)
  })

  it('open with all names, each counted once', () => {
    const named = namedBarrier(['a', 'b'])
    expect([isOpen(named, ['a', 'a']), isOpen(named, ['a'], ['b']), isOpen(named, [['a', 'b']])]).toEqual([
      false,
      true,
      true,
    ])
    expect(isOpen(named, ['a', 'b'], ['a'])).toBe(false)
    expect(() => isOpen(named, ['c'])).toThrow('it waits for "a", "b"')
  })
})

describe('a channel of a blueprint', () => {
  it('uses a registered reducer with its arguments, and names what is missing', () => {
    const cap = (current: Json | undefined, update: Json, [most]: readonly Json[]): Json =>
      Math.min(Number(current ?? 0) + Number(update), Number(most))
    const find = (name: string): typeof cap | undefined => (name === 'capped' ? cap : undefined)
    expect(after(channelOf({ name: 'x', reducer: 'capped', args: [5] }, find), [3, 4])).toBe(5)
    expect(after(channelOf({ name: 'x', reducer: 'aggregate', args: ['capped', 9] }, find), [3, 4])).toBe(7)
    expect(() => channelOf({ name: 'x', reducer: 'topik', args: [] }, find)).toThrow('Did you mean "topic"?')
    expect(() => channelOf({ name: 'x', reducer: 'barrier', args: [] }, find)).toThrow('needs a number')
  })
})
