import { expect, test } from 'vitest'
import { AgentVM } from '../agent-vm.ts'
import { Eval, SafeFunction } from './eval.ts'
import { script } from './script.ts'

const inBrackets = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`
const DEEPER = 'The script is nested deeper than'

test('a script that is too deep names the limit, before anything of it runs', () => {
  expect(() => script(inBrackets(150))).toThrow(`${DEEPER} limit \`expressionDepth\` allows (120) (line 1, column `)
  expect(() => script(inBrackets(9), { limits: { expressionDepth: 8 } })).toThrow('`expressionDepth` allows (8)')
})

test('a higher limit lets deeper scripts through, as far as any can be read', async () => {
  const limits = { expressionDepth: 1_000 }
  expect(script(inBrackets(150), { limits }).steps).toHaveLength(1)
  expect((await new AgentVM().run(`${inBrackets(150)}.length`, {}, { limits })).result).toBe(1)
  expect((await Eval(`${inBrackets(150)}.length`, { limits })).result).toBe(1)
  expect((await SafeFunction([], `return ${inBrackets(150)}.length`, { limits })()).result).toBe(1)
  expect(() => script(inBrackets(100_000), { limits: { expressionDepth: 1e9 } })).toThrow(`${DEEPER} any script may be`)
})

test('the limit of a run is that of its script, whoever runs it', async () => {
  const limits = { expressionDepth: 20 }
  const told = { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('`expressionDepth` allows (20)') as string }
  expect((await new AgentVM().run(inBrackets(60), {}, { limits })).error).toMatchObject(told)
  expect((await Eval(inBrackets(60), { limits })).error).toMatchObject(told)
  expect(() => SafeFunction([], inBrackets(60), { limits })).toThrow('`expressionDepth` allows (20)')
})
