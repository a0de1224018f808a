import { expect, test } from 'vitest'
import { compileRag } from '../language/compile.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Blueprint } from './blueprint.ts'
import { referencesOf, resolveBlueprint } from './resolve.ts'

const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  model: { small: 'small', cheap: 'small' },
  tool: { search: 'search', find: 'search', refund: 'refund' },
  agent: {},
}
const catalog: Catalog = {
  find: (kind, name) => names[kind]?.[name],
  names: (kind) => Object.keys(names[kind] ?? {}),
}
const graph = (items: string): Blueprint => compileRag(`graph g { start a ${items} }`).graphs[0]!

test('every unknown name is found at once, by its path, with the nearest known one', () => {
  const blueprint = graph(`defaults { model "smal" } channel c sum
    node a { kind agent model "cheap" tools ["search", "serch"] next b }
    node b { kind subagent agent "x" router "r" routes { l -> c } }
    node c { kind subgraph graph "h" next d } node d { kind program script "p" next e }
    node e { kind tool tool "reffund" next END }`)
  expect(resolveBlueprint(blueprint, catalog).map(({ code, path, help }) => [code, path, help])).toEqual([
    ['E-rag-unknown-model', '/defaults/model', 'Did you mean `small`?'],
    [
      'E-rag-unknown-reducer',
      '/channels/0/reducer',
      'Known: last_value, topic, delta, messages, ephemeral, untracked, barrier, named_barrier, aggregate.',
    ],
    ['E-rag-unknown-tool', '/nodes/0/tools/1', 'Did you mean `search`?'],
    ['E-rag-unknown-agent', '/nodes/1/agent', 'No agent is registered.'],
    ['E-rag-unknown-router', '/nodes/1/router', 'No router is registered.'],
    ['E-rag-unknown-subgraph', '/nodes/2/graph', 'No graph is registered.'],
    ['E-rag-unknown-script', '/nodes/3/script', 'No script is registered.'],
    ['E-rag-unknown-tool', '/nodes/4/tool', 'Did you mean `refund`?'],
  ])
})

test('what a graph may use it may use by any of its names', () => {
  const used = 'node a { kind agent tools ["find"] next END }'
  expect(resolveBlueprint(graph(`allow tools ["search"] ${used}`), catalog)).toEqual([])
  expect(resolveBlueprint(graph(`allow tools ["find"] ${used}`), catalog)).toEqual([])
  expect(resolveBlueprint(graph(`allow tools ["refund"] ${used}`), catalog)).toMatchObject([
    { code: 'E-rag-not-allowed', path: '/nodes/0/tools/0' },
  ])
  expect(resolveBlueprint(graph(`allow models [] ${used}`), catalog)).toEqual([])
})

test('a graph may run itself', () => {
  expect(
    resolveBlueprint(
      graph('node a { routes { x -> b y -> END } } node b { kind subgraph graph "g" next END }'),
      catalog,
    ),
  ).toEqual([])
})

test('the names that a graph uses can be listed, built-in reducers apart', () => {
  const blueprint = graph(
    'channel m messages channel n own node a { kind agent model "small" tools ["search"] next END }',
  )
  expect(referencesOf(blueprint).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'reducer own',
    'model small',
    'tool search',
  ])
})
