import { expect, test } from 'vitest'
import { program, tool } from './kernel.fixture.ts'
import { Kernel } from './kernel.ts'
import { performerFor } from './performer-table.ts'
import { Registry } from './registry.ts'
import type { PerformerRun } from '../performers/performer.ts'

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

test('an effect of a kind without a performer fails with that reason', () => {
  expect(() => performerFor(new Registry(), 'embed')).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('embed') }),
  )
})

test('a performer of the host sees a frozen copy of what it may know, and nothing else of the run', async () => {
  const registry = new Registry()
  const kernel = new Kernel({ registry })
  const seen: PerformerRun[] = []
  kernel.registry.registerPerformer({
    kind: 'embed',
    facts: (_effect, run) => (seen.push(run), { known: true, worst: {} }),
    repeatable: () => true,
    timeoutMs: () => undefined,
    perform: async ({ run }) => (seen.push(run), { value: run.id }),
  })
  registry.registerMind(
    program('main', async (_, context) => (await context.perform({ kind: 'embed', name: 'x', input: null })) as never),
  )
  const outcome = await kernel.run({
    kind: 'program',
    name: 'main',
    input: null,
    identity: { id: 'ana', roles: ['owner'] },
  })
  expect(outcome).toMatchObject({ state: 'completed', output: { status: 'ok', value: outcome.run } })
  expect(new Set(seen).size).toBe(1)
  expect(Object.keys(seen[0]!).toSorted()).toEqual(['depth', 'id', 'identity', 'limits', 'rootId', 'sessionId'])
  for (const part of [seen[0]!, seen[0]!.limits, seen[0]!.identity, seen[0]!.identity.roles])
    expect(Object.isFrozen(part)).toBe(true)
})
