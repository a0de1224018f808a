import { describe, expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { AgentVM } from './agent-vm.ts'
import { program } from './builder/program.ts'
import { s } from './builder/schema.ts'
import type { VmResult } from './machine/result.ts'
import { script } from './script/script.ts'

const id = (name: string): object => ({ $expr: 'ident', name })

/** Runs steps beside a tool that notes what it is asked. */
async function run(
  steps: readonly object[],
  args: object = {},
  more: object = {},
): Promise<VmResult & { asked: Json[] }> {
  const asked: Json[] = []
  const search = (input: Json): Json => {
    asked.push(input)
    return { got: input }
  }
  const result = await new AgentVM().run({ mandate: 1, op: 'seq', steps, ...more }, args, {
    fuel: 1000,
    capabilities: { tools: { search } },
  })
  return { ...result, asked }
}

const touch = { op: 'toolCall', name: 'search', input: { first: true } }

describe('a program inside a program has its own scope', () => {
  const child = program
    .take(s.object({ n: s.number }))
    .varSet({ key: 'm', value: program.val('n') })
    .step({ op: 'return', value: id('m') })
    .toJSON()
  const parent = { op: 'varSet', key: 'n', value: 1 }
  const last = { op: 'return', value: id('r') }
  const input = { n: 3 }
  const paths: readonly (readonly [string, readonly object[]])[] = [
    ['agentRun', [{ op: 'agentRun', agentId: child, input, result: 'r' }]],
    ['agentRun of a literal', [{ op: 'agentRun', agentId: { $expr: 'literal', value: child }, input, result: 'r' }]],
    [
      'a variable',
      [
        { op: 'varSet', key: 'p', value: child },
        { op: 'agentRun', agentId: id('p'), input, result: 'r' },
      ],
    ],
    [
      'a part of a record',
      [
        { op: 'varSet', key: 'p', value: { inner: [child], n: id('n') } },
        {
          op: 'agentRun',
          agentId: {
            $expr: 'member',
            object: { $expr: 'member', object: id('p'), property: 'inner' },
            property: 0,
            computed: true,
          },
          input,
          result: 'r',
        },
      ],
    ],
    [
      'storeProcedure',
      [
        { op: 'storeProcedure', ast: child, result: 't' },
        { op: 'agentRun', agentId: id('t'), input, result: 'r' },
      ],
    ],
    ['memoize', [{ op: 'memoize', steps: [{ op: 'agentRun', agentId: child, input, result: 'result' }], result: 'r' }]],
    [
      'runCode',
      [{ op: 'runCode', code: 'return args.n + (typeof n === "undefined" ? 0 : n)', args: input, result: 'r' }],
    ],
    ['a script', [{ op: 'agentRun', agentId: script('const m = args.n; return m'), input, result: 'r' }]],
    [
      'transpileCode',
      [
        { op: 'transpileCode', code: 'const m = args.n; return m', result: 'p' },
        { op: 'agentRun', agentId: id('p'), input, result: 'r' },
      ],
    ],
  ]

  test.each(paths)('%s', async (_, steps) => {
    const { result, error } = await run([parent, ...steps, last])
    expect([error, result]).toEqual([undefined, 3])
  })

  test('what it is given is computed in the scope around it', async () => {
    const steps = [parent, { op: 'agentRun', agentId: child, input: { n: id('n') }, result: 'r' }, last]
    expect((await run(steps)).result).toBe(1)
  })
})

describe('JSON programs call tools', () => {
  const call = { $expr: 'call', callee: 'tools.search', arguments: [{ x: id('k') }] }
  test.each([
    ['a step', [{ op: 'toolCall', name: 'search', input: { x: id('k') }, result: 'r' }], { got: { x: 5 } }],
    ['a constant', [{ op: 'toolCall', name: 'search', input: {}, result: 'r', resultConst: true }], { got: {} }],
    ['a computed name', [{ op: 'toolCall', name: id('which'), result: 'r' }], { got: {} }],
    ['a call', [{ op: 'varSet', key: 'r', value: call }], { got: { x: 5 } }],
    ['a part of a value', [{ op: 'varSet', key: 'r', value: [1, { y: call }] }], [1, { y: { got: { x: 5 } } }]],
    [
      'a method',
      [
        {
          op: 'varSet',
          key: 'r',
          value: { $expr: 'methodCall', object: id('tools'), method: 'search', arguments: [call] },
        },
      ],
      { got: { got: { x: 5 } } },
    ],
    [
      'a member',
      [
        {
          op: 'varSet',
          key: 'r',
          value: {
            $expr: 'call',
            callee: { $expr: 'member', object: id('tools'), property: 'search' },
            arguments: [],
          },
        },
      ],
      { got: {} },
    ],
    [
      'a loop',
      [
        {
          op: 'map',
          items: [1, 2],
          as: 'i',
          steps: [{ op: 'toolCall', name: 'search', input: { i: id('i') }, result: 'result' }],
          result: 'r',
        },
      ],
      [{ got: { i: 1 } }, { got: { i: 2 } }],
    ],
  ])('as %s', async (_, steps, expected) => {
    const { result, error } = await run([...steps, { op: 'return', value: id('r') }], { k: 5, which: 'search' })
    expect([error, result]).toEqual([undefined, expected])
  })

  test('a failing tool is an error that the program may catch', async () => {
    const steps = [
      { op: 'try', try: [{ op: 'toolCall', name: id('which') }], catch: [{ op: 'return', value: id('error') }] },
    ]
    expect((await run(steps, { which: 'gone' })).result).toContain('no tool "gone"')
  })

  test.each([
    ['a tool that was not given', [{ op: 'toolCall', name: 'serch' }], 'Did you mean `search`?'],
    ['an unknown field', [{ op: 'toolCall', name: 'search', inputs: {} }], 'Did you mean `input`?'],
    [
      'a call that may not happen',
      [{ op: 'return', value: { $expr: 'logical', op: '&&', left: true, right: call } }],
      'toolCall',
    ],
    ['a call in a loop condition', [{ op: 'while', condition: call, body: [] }], 'toolCall'],
    [
      'a call behind another',
      [
        {
          op: 'return',
          value: [{ $expr: 'methodCall', object: [], method: 'push', arguments: [1] }, call],
        },
      ],
      'toolCall',
    ],
    ['tools as a value', [{ op: 'return', value: id('tools') }], 'only called'],
  ])('%s is refused before the first step', async (_, steps, message) => {
    const { error, asked } = await run([touch, ...steps], { k: 5 })
    expect(error?.message).toContain(message)
    expect(asked).toEqual([])
  })
})

describe('names that stand for nothing are refused before the first step', () => {
  test.each([
    ['an identifier', [{ op: 'return', value: id('cuont') }], 'Did you mean `count`?'],
    ['a name of a condition', [{ op: 'if', condition: id('cuont'), then: [] }], 'Did you mean `count`?'],
    ['varGet', [{ op: 'varGet', key: 'cuont', result: 'x' }], 'Did you mean `count`?'],
    ['varsExport', [{ op: 'varsExport', keys: ['cuont'], result: 'x' }], 'Did you mean `count`?'],
    [
      'a variable of another scope',
      [
        { op: 'scope', steps: [{ op: 'varSet', key: 'inner', value: 1 }] },
        { op: 'return', value: id('inner') },
      ],
      '`inner`',
    ],
    [
      'a global of other engines',
      [{ op: 'return', value: { $expr: 'call', callee: 'fetch', arguments: [] } }],
      '`fetch`',
    ],
    ['a key __proto__', [{ op: 'return', value: JSON.parse('{"__proto__":{"a":1}}') as object }], '__proto__'],
    [
      'a property __proto__',
      [{ op: 'return', value: { $expr: 'object', properties: [{ key: '__proto__', value: 1 }] } }],
      '__proto__',
    ],
    ['a variable __proto__', [{ op: 'varSet', key: '__proto__', value: 1 }], '__proto__'],
    ['a name that reads as another', [{ op: 'varSet', key: 'a\u202Eb', value: 1 }], 'direction'],
    ['a name of the machine', [{ op: 'varSet', key: '%1', value: 1 }], '%'],
  ])('%s', async (_, steps, message) => {
    const { error, asked } = await run([touch, { op: 'try', try: steps }], { count: 1 })
    expect(error?.code).toBe('INPUT_INVALID')
    expect(error?.message).toContain(message)
    expect(error?.path).toMatch(/^steps\[1\]/)
    expect(asked).toEqual([])
  })

  test('an argument that the program says it takes may be left out', async () => {
    const inputSchema = { type: 'object', properties: { limit: { type: 'number' } } }
    expect((await run([{ op: 'return', value: [id('limit')] }], {}, { inputSchema })).result).toEqual([null])
  })

  test('reads that are blocked end the program', async () => {
    for (const property of ['constructor', '__proto__', 'prototype']) {
      const value = { $expr: 'member', object: id('x'), property }
      const steps = [{ op: 'try', try: [{ op: 'return', value }], catch: [{ op: 'return', value: 'caught' }] }]
      expect((await run(steps, { x: { a: 1 } })).error, property).toMatchObject({ info: { kind: 'refused' } })
    }
    const own = { op: 'return', value: { $expr: 'member', object: id('x'), property: 'constructor' } }
    expect((await run([own], { x: { constructor: 'Ferrari' } })).result).toBe('Ferrari')
  })
})

describe('what a program means does not depend on other steps', () => {
  const others: readonly object[] = [
    { op: 'varSet', key: 'other', value: { $expr: 'methodCall', object: 'a', method: 'trim', arguments: [] } },
    { op: 'memoize', steps: [{ op: 'varSet', key: 'result', value: 1 }], result: 'other' },
    { op: 'hash', value: 'x', result: 'other' },
    { op: 'varSet', key: 'other', value: 1 },
  ]
  test.each(others.map((other) => [other]))('beside %j', async (other) => {
    for (const name of ['Map', 'Set', 'RegExp', 'Math', 'Error', 'console', 'isNaN', 'encodeURIComponent', 'NaN']) {
      const type = { $expr: 'unary', op: 'typeof', argument: id(name) }
      const isTrue = { $expr: 'conditional', test: id(name), consequent: true, alternate: false }
      const step = { op: 'return', value: { type, isTrue } }
      expect((await run([other, step])).result).toEqual((await run([step])).result)
      expect((await run([step])).result, name).toEqual({
        type: typeof Reflect.get(globalThis, name),
        isTrue: name !== 'NaN',
      })
    }
    const plain = { op: 'return', value: { key: '%20', as: '%1', name: '%2', keys: ['%3'], '%4': 1 } }
    expect((await run([other, plain])).result).toEqual(plain.value)
    expect((await run([plain])).result).toEqual(plain.value)
  })
})
