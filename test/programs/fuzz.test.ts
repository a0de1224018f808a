import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import { AgentVM, inspect, memoryStore } from '../../src/vm/index.ts'
import { FLOW_OPS } from '../../src/vm/atoms/set/flow.ts'
import { coreAtoms } from '../../src/vm/atoms/registry.ts'
import type { Capabilities } from '../../src/vm/index.ts'
import { isFull, readRotation } from '../rotation.ts'

/** Programs that nobody would write: the machine answers each with a result or an error, the same twice, and nothing else happens. */

const RUNS = isFull ? 20_000 : 500
// New programs in every full run; the short one repeats those of its tenth.
const SEED = Number(process.env['MANDATE_SEED'] ?? (isFull ? Date.now() % 2 ** 31 : readRotation()))
const names = fc.constantFrom(
  'a',
  'b',
  'x',
  'result',
  'error',
  'args',
  'tools',
  'constructor',
  '__proto__',
  'Math',
  'toString',
  '%1',
)
const ops = fc.constantFrom(...FLOW_OPS.map(({ op }) => op), ...Object.keys(coreAtoms), 'noSuch')
const fieldNames = [
  ...new Set(
    Object.values(coreAtoms).flatMap((atom) =>
      Object.keys((atom.inputSchema as { properties?: object }).properties ?? {}),
    ),
  ),
]

const junk = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.string({ maxLength: 8 }),
  fc.constantFrom(null, [], {}, '', -0, 1e308),
)

const { step } = fc.letrec<{ expr: unknown; value: unknown; step: object; steps: object[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    junk,
    tie('expr'),
    fc.array(tie('expr'), { maxLength: 3 }),
    fc.dictionary(names, tie('expr'), { maxKeys: 3 }),
  ),
  expr: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    junk,
    fc.record({ $expr: fc.constant('literal'), value: fc.jsonValue({ maxDepth: 2 }) }),
    fc.record({ $expr: fc.constant('ident'), name: names }),
    fc.record({
      $kind: fc.constant('arg'),
      path: fc.constantFrom('n', 'list', 'deep.er', '__proto__', 'constructor.name'),
    }),
    fc.record(
      {
        $expr: fc.constant('member'),
        object: tie('value'),
        property: fc.oneof(names, tie('value')),
        computed: fc.boolean(),
        optional: fc.boolean(),
      },
      { requiredKeys: ['$expr', 'object', 'property'] },
    ),
    fc.record({
      $expr: fc.constant('binary'),
      op: fc.constantFrom('+', '-', '*', '/', '%', '**', '<', '==', '!=', '>=', '@'),
      left: tie('value'),
      right: tie('value'),
    }),
    fc.record({ $expr: fc.constant('unary'), op: fc.constantFrom('!', '-', '+', 'typeof'), argument: tie('value') }),
    fc.record({
      $expr: fc.constant('logical'),
      op: fc.constantFrom('&&', '||', '??'),
      left: tie('value'),
      right: tie('value'),
    }),
    fc.record({
      $expr: fc.constant('conditional'),
      test: tie('value'),
      consequent: tie('value'),
      alternate: tie('value'),
    }),
    fc.record({ $expr: fc.constant('array'), elements: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({
      $expr: fc.constant('object'),
      properties: fc.array(fc.record({ key: names, value: tie('value') }), { maxLength: 3 }),
    }),
    fc.record({
      $expr: fc.constant('call'),
      callee: fc.oneof(names, tie('value')),
      arguments: fc.array(tie('value'), { maxLength: 2 }),
    }),
    fc.record({
      $expr: fc.constant('methodCall'),
      object: tie('value'),
      method: fc.constantFrom(
        'includes',
        'map',
        'repeat',
        'join',
        'split',
        'constructor',
        'toString',
        'padEnd',
        'fill',
        'concat',
      ),
      arguments: fc.array(tie('value'), { maxLength: 2 }),
    }),
    fc.record({
      $expr: fc.constantFrom('function', 'assign', 'await', 'spread', 'new', 'nothing'),
      value: tie('value'),
    }),
  ),
  steps: fc.array(tie('step'), { maxLength: 4 }),
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ op: fc.constantFrom('varSet', 'constSet'), key: names, value: tie('value') }),
    fc.record(
      { op: fc.constant('if'), condition: tie('value'), then: tie('steps'), else: tie('steps') },
      { requiredKeys: ['op', 'condition', 'then'] },
    ),
    fc.record({ op: fc.constant('while'), condition: tie('value'), body: tie('steps') }),
    fc.record(
      {
        op: fc.constantFrom('map', 'filter', 'find', 'reduce'),
        items: tie('value'),
        as: names,
        accumulator: names,
        initial: tie('value'),
        condition: tie('value'),
        steps: tie('steps'),
        result: names,
      },
      { requiredKeys: ['op', 'items', 'as'] },
    ),
    fc.record({ op: fc.constant('try'), try: tie('steps'), catch: tie('steps') }),
    fc.record(
      { op: fc.constantFrom('memoize', 'cache', 'scope'), steps: tie('steps'), key: tie('value'), result: names },
      { requiredKeys: ['op', 'steps'] },
    ),
    fc.record({ op: fc.constant('return'), value: tie('value') }),
    fc
      .tuple(ops, fc.dictionary(fc.constantFrom(...fieldNames, 'steps', 'value'), tie('value'), { maxKeys: 4 }), names)
      .map(([op, fields, result]) => ({ op, ...fields, result })),
  ),
}))
const program = fc.record({
  mandate: fc.constant(1),
  op: fc.constant('seq'),
  steps: fc.array(step as fc.Arbitrary<unknown>, { maxLength: 6 }),
})

const ARGS = { n: 3, list: [1, 2, 3], deep: { er: 'x' } }
const capabilities = (): Capabilities => ({
  store: memoryStore(),
  fetch: async (url) => ({ url }),
  llm: { predict: async (prompt: string) => prompt.slice(0, 10) },
  agent: { run: async (_, input) => input },
})

async function look(made: object): Promise<string> {
  const { result, error, fuelUsed, memoryPeak } = await new AgentVM().run(made, ARGS, {
    fuel: 300,
    timeoutMs: 10_000,
    random: seededRandom('fuzz'),
    capabilities: capabilities(),
    limits: { memoryBytes: 8 * 1024 * 1024 },
  })
  expect(fuelUsed).toBeLessThanOrEqual(300)
  expect(error?.code, error?.message).not.toBe('INTERNAL')
  expect(error?.code, error?.message).not.toBe('TIMEOUT')
  return JSON.stringify({ result, error, fuelUsed, memoryPeak })
}

describe('any program', () => {
  test(
    'ends with a result or an error, the same twice, and changes nothing outside',
    { timeout: 300_000 },
    async () => {
      process.stdout.write(`fuzz of programs: ${RUNS} programs, MANDATE_SEED=${SEED}\n`)
      const globals = Object.getOwnPropertyNames(Object.prototype).join()
      await fc.assert(
        fc.asyncProperty(program, async (made) => {
          const before = JSON.stringify(made)
          expect(await look(made)).toBe(await look(made))
          expect(JSON.stringify(made)).toBe(before)
        }),
        { numRuns: RUNS, seed: SEED },
      )
      expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(globals)
    },
  )

  test('can be looked at without running it', () => {
    fc.assert(
      fc.property(program, (made) => {
        const { effects, nodes } = inspect(made)
        expect(effects.length).toBeLessThanOrEqual(nodes)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })
})
