import { expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { readPolicy } from '../../gate/index.ts'
import type { Intent } from '../../gate/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import { program, runProgram, script } from '../index.ts'

const intent = (toolName: string, riskLevel: Intent['riskLevel'] = 'read'): Intent => {
  return { toolName, purpose: 'to add up', expectedOutcome: 'a number', riskLevel }
}
const declared = (toolName: string): string => `// <intent>${JSON.stringify(intent(toolName))}</intent>`

function world(): { kernel: Kernel; done: Json[] } {
  const kernel = new Kernel({ mandate: readPolicy({ preset: 'governed' }) })
  const done: Json[] = []
  const run = (input: Json): number => done.push(input)
  for (const name of ['price', 'other'])
    kernel.registry.registerTool(defineTool({ name, risk: 'read', inputSchema: { type: 'object' }, run }))
  return { kernel, done }
}

const resultOf = (outcome: RunOutcome): unknown =>
  outcome.state === 'completed' ? (outcome.output as { result: Json }).result : outcome

test('a script that declares nothing is refused its calls where intents are asked for', async () => {
  const { kernel, done } = world()
  const outcome = await runProgram(kernel, 'return await tools.price({ item: "tea" })', {})
  expect(outcome).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('No intent was declared') },
  })
  expect(done).toEqual([])
})

test('what a script declares at its top covers every call of that tool, and of no other', async () => {
  const { kernel, done } = world()
  const source = `${declared('price')}
    const [a, b] = await Promise.all([tools.price({ n: 1 }), tools.price({ n: 2 })])
    let refused = ''
    try { await tools.other({}) } catch (error) { refused = error.message }
    return { sum: a + b, refused }`
  const outcome = await runProgram(kernel, source, {}, { runId: 'r' })
  expect(resultOf(outcome)).toMatchObject({ sum: 3, refused: expect.stringContaining('No intent was declared') })
  expect(done).toHaveLength(2)
  const starts = entriesOfType(await readAll(kernel.journal, 'r'), 'effect-start')
  expect(starts.map(({ data }) => data.intent)).toEqual([intent('price'), intent('price')])
  expect(await kernel.replay('r')).toMatchObject({ identical: true })
})

test('a comment further down declares nothing, nor does a text', () => {
  expect(script(`const x = 1\n${declared('price')}\nreturn x`)).not.toHaveProperty('intents')
  expect(script(`const x = ${JSON.stringify(declared('price'))}\nreturn x`)).not.toHaveProperty('intents')
  expect(script(`\n/* first */\n${declared('price')}\n/* ${declared('other').slice(3)} */\nreturn 1`).intents).toEqual([
    intent('price'),
    intent('other'),
  ])
  expect(() => script('// <intent>{toolName}</intent>\nreturn 1')).toThrow('is not JSON')
})

test('a JSON program declares in a member of its own', async () => {
  const { kernel } = world()
  const { steps } = program
    .httpFetch({ url: 'https://example.com' })
    .as('x')
    .return({ value: program.val('x') })
    .toJSON()
  const capabilities = { fetch: async () => 'page' }
  const plain = { mandate: 1, op: 'seq', steps }
  expect(await runProgram(kernel, plain, {}, { capabilities })).toMatchObject({ state: 'failed' })
  const saying = { ...plain, intents: [intent('httpFetch', 'exec')] }
  expect(resultOf(await runProgram(kernel, saying, {}, { capabilities }))).toBe('page')
})

test('the host may declare for a program, and a run that is resumed keeps what was declared', async () => {
  const { kernel, done } = world()
  const options = { intents: [intent('price', 'destructive')], runId: 'r', name: 'p' }
  // A declaration can only raise the risk: destructive calls must be approved.
  expect(await runProgram(kernel, 'return await tools.price({})', {}, options)).toMatchObject({ state: 'suspended' })
  await kernel.respond((await kernel.approvals('r'))[0]!.id, { answer: 'approve' })
  expect(resultOf(await kernel.resume('r'))).toBe(1)
  expect(done).toHaveLength(1)
})

test('a declaration that cannot be read is told with the call it was for', async () => {
  const { kernel } = world()
  const source = '// <intent>{"toolName": "price", "purpose": "x"}</intent>\nreturn await tools.price({})'
  expect(await runProgram(kernel, source, {})).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('`expectedOutcome` must be a text') },
  })
})

test('a program that runs another agent declares that as well', async () => {
  const { kernel } = world()
  kernel.registry.registerMind({ kind: 'agent', name: 'helper', start: async () => ({ result: 'helped' }) })
  const call = program
    .agentRun({ agentId: 'helper', input: {} })
    .as('x')
    .return({ value: program.val('x') })
    .toJSON()
  expect(await runProgram(kernel, call, {})).toMatchObject({ state: 'failed' })
  expect(resultOf(await runProgram(kernel, { ...call, intents: [intent('helper')] }, {}))).toBe('helped')
})
