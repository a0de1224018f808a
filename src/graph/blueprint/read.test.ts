import { expect, test } from 'vitest'
import { readBlueprint } from './read.ts'

const node = { name: 'a', kind: 'model', next: 'END' }
const graph = { blueprint: 1, name: 'g', start: 'a', nodes: [node], channels: [], edges: [], joins: [] }
const found = (json: unknown): (string | undefined)[][] =>
  readBlueprint(json).diagnostics.map(({ code, path, help }) =>
    help === undefined ? [code, path] : [code, path, help],
  )

test('a blueprint is copied, and nothing else than a blueprint is', () => {
  const { blueprint, diagnostics } = readBlueprint(graph)
  expect(blueprint).toEqual(graph)
  expect(blueprint).not.toBe(graph)
  expect(diagnostics).toEqual([])
})

test.each([
  ['nothing', undefined, [['E-rag-invalid-type', '']]],
  ['null', null, [['E-rag-invalid-type', '']]],
  ['a text', 'graph g { }', [['E-rag-invalid-type', '']]],
  ['a list', [graph], [['E-rag-invalid-type', '']]],
  ['a function', () => graph, [['E-rag-invalid-type', '']]],
  ['another version', { ...graph, blueprint: 2 }, [['E-rag-invalid-value', '/blueprint', 'Write `1`.']]],
  ['no name', { ...graph, name: undefined }, [['E-rag-missing-field', '']]],
  ['an unknown field', { ...graph, chanels: [] }, [['E-rag-unknown-field', '/chanels', 'Did you mean `channels`?']]],
  [
    'an unknown field of a node',
    { ...graph, nodes: [{ ...node, promt: 'x' }] },
    [['E-rag-unknown-field', '/nodes/0/promt', 'Did you mean `prompt`?']],
  ],
  [
    'a field with a slash',
    { ...graph, 'a/b': 1 },
    [
      [
        'E-rag-unknown-field',
        '/a~1b',
        'Known: blueprint, name, description, start, nodes, channels, edges, joins, state, input, output, defaults, checkpoint, pause, allow, metadata, provenance.',
      ],
    ],
  ],
  ['nodes by name', { ...graph, nodes: { a: node } }, [['E-rag-invalid-type', '/nodes']]],
  ['a hole', { ...graph, nodes: [node, , node] }, [['E-rag-invalid-type', '/nodes/1']]], // oxlint-disable-line no-sparse-arrays
  [
    'a number as text',
    { ...graph, nodes: [{ ...node, timeoutMs: '60' }] },
    [['E-rag-invalid-type', '/nodes/0/timeoutMs']],
  ],
  [
    'no number',
    { ...graph, nodes: [{ ...node, maxVisits: Number.NaN }] },
    [['E-rag-invalid-type', '/nodes/0/maxVisits']],
  ],
  ['null for nothing', { ...graph, pause: null }, [['E-rag-invalid-type', '/pause']]],
  ['another word', { ...graph, checkpoint: 'async' }, [['E-rag-invalid-value', '/checkpoint', 'Did you mean `sync`?']]],
  [
    'a kind by its other name',
    { ...graph, nodes: [{ ...node, kind: 'human' }] },
    [['E-rag-invalid-node-kind', '/nodes/0/kind', 'Write `interrupt`.']],
  ],
  ['a name that is none', { ...graph, name: 'my graph' }, [['E-rag-invalid-name', '/name']]],
  ['half a pair', { ...graph, description: '\uD800' }, [['E-rag-invalid-type', '/description']]],
  ['a date', { ...graph, metadata: { at: () => 1 } }, [['E-rag-invalid-type', '/metadata/at']]],
  ['a list as metadata', { ...graph, metadata: [] }, [['E-rag-invalid-type', '/metadata']]],
  [
    'a channel argument that is a list',
    { ...graph, channels: [{ name: 'x', reducer: 'topic', args: [[]] }] },
    [['E-rag-invalid-type', '/channels/0/args/0']],
  ],
  [
    'a route with label and condition',
    { ...graph, nodes: [{ name: 'a', kind: 'model', routes: [{ to: 'END', label: 'x', when: 'true' }, { to: 'a' }] }] },
    [['E-rag-invalid-value', '/nodes/0/routes/0']],
  ],
  [
    'a send with input and each',
    { ...graph, nodes: [{ ...node, sends: [{ to: 'a', input: 1, each: 'state.x' }] }] },
    [
      [
        'E-rag-invalid-value',
        '/nodes/0/sends/0/input',
        'Write `send x { key: "value" } each "…"`, or leave the input out.',
      ],
    ],
  ],
  [
    'an update without a value',
    { ...graph, nodes: [{ ...node, command: { update: [{ channel: 'x' }] } }] },
    [['E-rag-invalid-value', '/nodes/0/command/update/0']],
  ],
  [
    'an update with two',
    { ...graph, nodes: [{ ...node, command: { update: [{ channel: 'x', value: 1, expr: '1' }] } }] },
    [['E-rag-invalid-value', '/nodes/0/command/update/0']],
  ],
  [
    'two updates of one channel',
    {
      ...graph,
      nodes: [
        {
          ...node,
          command: {
            update: [
              { channel: 'x', value: 1 },
              { channel: 'x', expr: '2' },
            ],
          },
        },
      ],
    },
    [['E-rag-invalid-value', '/nodes/0/command/update/1/channel', 'Keep one of the updates.']],
  ],
  [
    'items of no list',
    { ...graph, state: [{ name: 'x', type: 'string', items: 'string' }] },
    [['E-rag-invalid-value', '/state/0/items']],
  ],
  [
    'a type of another language',
    { ...graph, input: [{ name: 'x', type: 'strng' }] },
    [['E-rag-invalid-value', '/input/0/type', 'Did you mean `string`?']],
  ],
  [
    'an unknown list of names',
    { ...graph, allow: { tools: ['x'] } },
    [['E-rag-unknown-field', '/allow/tools', 'Did you mean `tool`?']],
  ],
  ['an unknown node', { ...graph, start: 'aa' }, [['E-rag-unknown-node', '/start', 'Did you mean `a`?']]],
  ['a start that is empty', { ...graph, start: '' }, [['E-rag-missing-start', '', 'Add `start a`.']]],
  [
    'an origin that is none',
    { ...graph, provenance: { origin: 'moon' } },
    [['E-rag-invalid-value', '/provenance/origin', 'Known: file, generated, code.']],
  ],
])('%s gets a finding with its path', (_, json, expected) => expect(found(json)).toEqual(expected))

test('several things that are wrong are found at once', () => {
  const json = { ...graph, nodes: [{ name: 'a' }, { kind: 'model', name: 3 }], start: 1, edges: 'none' }
  expect(found(json).map(([, path]) => path)).toEqual(['/start', '/nodes/0', '/nodes/1/name', '/edges'])
})

test('an expression that cannot be read is named by its path, with the reason', () => {
  const [finding] = readBlueprint({
    ...graph,
    nodes: [{ name: 'a', kind: 'model', routes: [{ to: 'END', when: 'state.x = 1' }, { to: 'a' }] }],
  }).diagnostics
  expect(finding).toMatchObject({ code: 'E-rag-invalid-condition', path: '/nodes/0/routes/0/when' })
  expect(finding!.message).toContain('use `==` instead of `=`')
})

test('what cannot be read at all is a finding, not an exception', () => {
  const trap = new Proxy(graph, {
    ownKeys: () => {
      throw new Error('no')
    },
  })
  expect(found(trap)).toEqual([['E-rag-invalid-type', '']])
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  expect(found({ ...graph, metadata: cycle })[0]![0]).toBe('E-rag-too-deep')
  expect(found({ ...graph, description: 'x'.repeat(500_001) })).toEqual([['E-rag-too-large', '']])
  expect(found({ ...graph, metadata: { list: Array.from({ length: 600_000 }, () => 1) } })[0]![0]).toBe(
    'E-rag-too-large',
  )
})

test('a member called __proto__ stays a member', () => {
  const { blueprint } = readBlueprint(
    JSON.parse(JSON.stringify(graph).replace('{', '{"metadata":{"__proto__":{"a":1}},')),
  )
  expect(Object.keys(blueprint!.metadata!)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(blueprint!.metadata)).toBe(Object.prototype)
})

test('members that say what their absence says are left out', () => {
  const { blueprint } = readBlueprint({
    ...graph,
    allow: {},
    state: [{ name: 'x', type: 'any', optional: false }],
    pause: undefined,
  })
  expect(blueprint).toEqual({ ...graph, state: [{ name: 'x', type: 'any' }] })
})
