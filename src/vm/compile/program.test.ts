import { expect, test } from 'vitest'
import type { Outcome } from '../../core/index.ts'
import { createMachine } from '../machine/machine.ts'
import type { MachineOptions } from '../machine/machine.ts'
import type { VmResult } from '../machine/result.ts'
import type { AtomSpec } from '../port.ts'
import { compileProgram } from './compile.ts'
import { CORE } from './core.ts'
import { TRACING } from './trace.ts'
import type { CompileOptions } from './compile.ts'

const name = (text: string): unknown => ({ $expr: 'ident', name: text })
const op = (sign: string, left: unknown, right: unknown): unknown => ({ $expr: 'binary', op: sign, left, right })
const arg = (path: string): unknown => ({ $kind: 'arg', path })

const atoms: ReadonlyMap<string, AtomSpec> = new Map<string, AtomSpec>([
  ['echo', { op: 'echo', cost: 1 }],
  ['fail', { op: 'fail', cost: 1 }],
  ['double', { op: 'double', cost: 1, inline: (input) => Number(input.get('value')) * 2 }],
])

const port = {
  perform: async ({ name: asked, input }: { name: string; input: unknown }): Promise<Outcome> =>
    asked === 'fail'
      ? { status: 'failed', error: { code: 'TOOL_FAILED', message: 'broken' } }
      : { status: 'ok', value: (input as { value: unknown }).value },
}

function run(
  steps: unknown,
  options: MachineOptions = {},
  compile: CompileOptions & { helpers?: unknown } = {},
): Promise<VmResult> {
  const { helpers, ...rest } = compile
  const program = { mandate: 1, op: 'seq', steps, ...(helpers !== undefined && { helpers }) }
  return createMachine(compileProgram(program, { language: CORE, atoms, ...rest }), { port, ...options }).run()
}

test('variables, loops and arithmetic compute', async () => {
  const { result, fuelUsed } = await run([
    { op: 'varSet', key: 'i', value: 0 },
    { op: 'varSet', key: 's', value: 0 },
    {
      op: 'while',
      condition: op('<', name('i'), 10),
      body: [
        { op: 'varSet', key: 's', value: op('+', name('s'), name('i')) },
        { op: 'varSet', key: 'i', value: op('+', name('i'), 1) },
      ],
    },
    { op: 'return', value: { s: name('s') } },
  ])
  expect(result).toEqual({ s: 45 })
  expect(fuelUsed).toBeGreaterThan(1)
})

test('a bare text is itself, also where a variable has its name', async () => {
  const { result } = await run(
    [
      { op: 'varSet', key: 'name', value: 'Ada' },
      {
        op: 'return',
        value: { literal: 'name', reference: name('name'), deep: [{ x: name('name') }], path: arg('user.id') },
      },
    ],
    { args: { user: { id: 7 } } },
  )
  expect(result).toEqual({ literal: 'name', reference: 'Ada', deep: [{ x: 'Ada' }], path: 7 })
})

test('what is set outside a map is set outside; what is new inside stays inside', async () => {
  const { result } = await run([
    { op: 'varSet', key: 'sum', value: 0 },
    { op: 'varSet', key: 'result', value: 'outer' },
    {
      op: 'map',
      items: [1, 2, 3],
      as: 'x',
      steps: [
        { op: 'varSet', key: 'sum', value: op('+', name('sum'), name('x')) },
        {
          op: 'if',
          condition: op('>', name('x'), 1),
          then: [{ op: 'varSet', key: 'result', value: op('*', name('x'), 10) }],
        },
      ],
      result: 'ys',
    },
    { op: 'return', value: { ys: name('ys'), sum: name('sum'), result: name('result'), x: name('x') } },
  ])
  expect(result).toEqual({ ys: [null, 20, 30], sum: 6, result: 'outer' })
})

test('a return inside a loop over items ends the program', async () => {
  const { result } = await run([
    {
      op: 'map',
      items: [1, 2, 3],
      as: 'x',
      steps: [{ op: 'if', condition: op('==', name('x'), 2), then: [{ op: 'return', value: name('x') }] }],
    },
    { op: 'return', value: 'end' },
  ])
  expect(result).toBe(2)
})

test('filter, find and reduce give what their names say', async () => {
  const { result } = await run([
    { op: 'filter', items: [1, 2, 3], as: 'x', condition: op('>', name('x'), 1), result: 'big' },
    { op: 'find', items: [1, 2, 3], as: 'x', condition: op('>', name('x'), 5), result: 'none' },
    {
      op: 'reduce',
      items: name('big'),
      as: 'x',
      accumulator: 'a',
      initial: 100,
      steps: [{ op: 'varSet', key: 'result', value: op('+', name('a'), name('x')) }],
      result: 'sum',
    },
    { op: 'return', value: { big: name('big'), none: name('none'), sum: name('sum') } },
  ])
  expect(result).toEqual({ big: [2, 3], none: null, sum: 105 })
})

test('a constant is set once, and anew in every turn of a loop', async () => {
  const loop = await run([
    { op: 'varSet', key: 'i', value: 0 },
    {
      op: 'while',
      condition: op('<', name('i'), 3),
      body: [
        { op: 'constSet', key: 'c', value: name('i') },
        { op: 'varSet', key: 'i', value: op('+', name('c'), 1) },
      ],
    },
    { op: 'return', value: name('i') },
  ])
  expect(loop.result).toBe(3)
  const twice = await run([
    { op: 'constSet', key: 'c', value: 1 },
    { op: 'constSet', key: 'c', value: 2 },
  ])
  expect(twice.error?.message).toContain("Cannot reassign const variable 'c'")
})

test('atoms run inside or leave as requests, also inside loops and helpers', async () => {
  const { result, stats } = await run(
    [
      {
        op: 'map',
        items: [1, 2],
        as: 'x',
        steps: [
          { op: 'echo', value: name('x'), result: 'e' },
          { op: 'double', value: name('e'), result: 'result' },
        ],
        result: 'ys',
      },
      { op: 'callLocal', name: 'twice', args: [name('ys')], result: 'z' },
      { op: 'return', value: name('z') },
    ],
    {},
    {
      helpers: {
        twice: {
          params: ['v'],
          steps: [
            { op: 'echo', value: name('v'), result: 'a' },
            { op: 'return', value: [name('a'), name('ys')] },
          ],
        },
      },
    },
  )
  expect(result).toEqual([[2, 4], null])
  expect(stats.requests).toBe(3)
})

test('an error says which step failed, and a handler gets its message', async () => {
  const failed = await run([{ op: 'scope', steps: [{ op: 'fail', value: 1 }] }])
  expect(failed.error).toMatchObject({ code: 'TOOL_FAILED', message: 'broken', op: 'fail', path: 'steps[0].steps[0]' })
  const handled = await run([
    {
      op: 'try',
      try: [{ op: 'fail' }, { op: 'varSet', key: 'x', value: 1 }],
      catch: [{ op: 'return', value: [name('error'), name('errorOp'), name('x')] }],
    },
  ])
  expect(handled.result).toEqual(['broken', 'fail', null])
})

const hostile: readonly (readonly [what: string, steps: unknown, message: string])[] = [
  ['an unknown operation', [{ op: 'nope' }], 'no operation `nope`'],
  ['a step that is null', [null], 'an object is wanted'],
  ['steps that are no list', {}, 'must be a list'],
  ['an operation called constructor', [{ op: 'constructor' }], 'no operation'],
  ['an expression called __proto__', [{ op: 'varSet', key: 'x', value: { $expr: '__proto__' } }], 'no expression'],
  ['an operator called toString', [{ op: 'varSet', key: 'x', value: op('toString', 1, 2) }], 'no operator'],
  [
    'an expression of scripts',
    [{ op: 'varSet', key: 'x', value: { $expr: 'function', params: [], body: [] } }],
    'no expression',
  ],
]

for (const [what, steps, message] of hostile) {
  test(`${what} is refused before the first step`, () => {
    expect(() =>
      compileProgram(
        { mandate: 1, op: 'seq', steps: Array.isArray(steps) ? [{ op: 'echo' }, ...steps] : steps },
        { language: CORE, atoms },
      ),
    ).toThrow(message)
  })
}

test('depth and size of a program are bounded', () => {
  let deep: unknown = 1
  for (let i = 0; i < 50_000; i++) deep = { $expr: 'unary', op: '!', argument: deep }
  expect(() =>
    compileProgram({ op: 'seq', steps: [{ op: 'varSet', key: 'x', value: deep }] }, { language: CORE }),
  ).toThrow('expressionDepth')
  const wide = Array.from({ length: 200_000 }, () => ({ op: 'varSet', key: 'x', value: 1 }))
  expect(() => compileProgram({ op: 'seq', steps: wide }, { language: CORE })).toThrow('programNodes')
})

test('no name reaches a host object', async () => {
  for (const text of ['constructor', '__proto__']) {
    const value = { $expr: 'member', object: {}, property: text }
    const guarded = [{ op: 'try', try: [{ op: 'return', value }], catch: [{ op: 'return', value: 'caught' }] }]
    expect((await run(guarded)).error).toMatchObject({ code: 'INPUT_INVALID', info: { kind: 'refused' } })
  }
  for (const text of ['globalThis', 'process']) {
    const { result, error } = await run([
      {
        op: 'return',
        value: [
          name(text),
          arg(text),
          { $expr: 'member', object: {}, property: text },
          { $expr: 'member', object: 'x', property: text },
        ],
      },
    ])
    expect(error).toBeUndefined()
    expect(result).toEqual([null, null, null, null])
  }
  const key = { $expr: 'literal', value: '__proto__' }
  const made = await run([
    { op: 'return', value: { $expr: 'object', properties: [{ key, computed: true, value: { polluted: true } }] } },
  ])
  expect(Object.getPrototypeOf(made.result)).toBe(Object.prototype)
  expect(Object.keys(made.result as object)).toEqual(['__proto__'])
})

test('neither the program nor the arguments are changed, and the second run is like the first', async () => {
  const steps = [
    { op: 'varSet', key: 'x', value: [1, { a: 2 }] },
    { op: 'echo', value: name('x'), result: 'y' },
    { op: 'return', value: [name('x'), name('y'), arg('list')] },
  ]
  const args = { list: [1] }
  const before = JSON.stringify([steps, args])
  const compiled = compileProgram({ mandate: 1, op: 'seq', steps }, { language: CORE, atoms })
  const first = await createMachine(compiled, { port, args }).run()
  const second = await createMachine(compiled, { port, args }).run()
  expect(JSON.stringify([steps, args])).toBe(before)
  expect(second).toEqual(first)
})

test('what is no plain data cannot enter', async () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const getter = Object.defineProperty({}, 'x', { get: () => 1, enumerable: true })
  for (const value of [() => 1, Symbol('s'), 1n, cyclic, getter, new Map(), Promise.resolve(1)]) {
    const { error } = await run([{ op: 'return', value: 1 }], { args: { value } })
    expect(error?.message).toContain('cannot enter the program')
  }
})

test('a trace notes every step up to its limit', async () => {
  const { trace, stats } = await run(
    [
      { op: 'varSet', key: 'x', value: 1 },
      { op: 'echo', value: 2 },
      { op: 'return', value: name('x') },
    ],
    { limits: { traceEntries: 2 } },
    { tracing: TRACING },
  )
  expect(trace?.map((entry) => entry.op)).toEqual(['varSet', 'echo'])
  expect(stats.traceDropped).toBe(1)
})
