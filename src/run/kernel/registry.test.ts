import { expect, test } from 'vitest'
import { program, tool } from './kernel.fixture.ts'
import { Registry } from './registry.ts'

test('two minds of one kind and name, or two tools of one name, are refused unless the second says it overrides', () => {
  const registry = new Registry()
  registry.registerMind(program('a', async () => 1))
  registry.registerMind({ ...program('a', async () => 1), kind: 'agent' })
  expect(() => registry.registerMind(program('a', async () => 2))).toThrow(
    expect.objectContaining({ code: 'DUPLICATE', message: expect.stringContaining('override') }),
  )
  const second = program('a', async () => 2)
  registry.registerMind(second, { override: true })
  expect(registry.mind('program', 'a')).toBe(second)
  registry.registerTool(tool('t', () => 1))
  expect(() => registry.registerTool(tool('t', () => 2))).toThrow(expect.objectContaining({ code: 'DUPLICATE' }))
  registry.registerTool(
    tool('t', () => 2),
    { override: true },
  )
})

test('a mind that is not there is an error that names what is', () => {
  const registry = new Registry()
  expect(() => registry.requireMind('agent', 'x')).toThrow(/No agent is registered/)
  registry.registerMind({ ...program('writer', async () => 1), kind: 'agent' })
  expect(() => registry.requireMind('agent', 'x')).toThrow(/Registered: writer/)
})

test('an effect of a kind that nobody carries out says so', () => {
  expect(() => new Registry().performer('embed')).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('embed') }),
  )
})
