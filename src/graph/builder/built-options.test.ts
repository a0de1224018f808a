import { describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { defineTool } from '../../tool/index.ts'
import { channel, command, compileRag, defineGraph, nodes, readBlueprint, registerGraph } from '../public.ts'

const begun = (options: object) => defineGraph({ name: 'g', state: { v: channel.last() }, ...options })
const nodeWith = (options: object) => () =>
  begun({})
    .node('a', () => ({}), options)
    .start('a').blueprint
const jsonWith = (options: object) =>
  readBlueprint({
    ...{ blueprint: 1, name: 'g', start: 'a', channels: [], edges: [], joins: [] },
    nodes: [{ name: 'a', kind: 'model', next: 'END', ...options }],
  }).diagnostics.filter(({ severity }) => severity === 'error')

/** Options of a node that mean nothing, with what the error says. */
const WRONG: readonly (readonly [options: object, told: string])[] = [
  [{ retry: { maxAttempts: 3 } }, 'Did you mean `attempts`?'],
  [{ retry: {} }, '`attempts` of `retry` is missing'],
  [{ retry: 3 }, 'Expected an object'],
  [{ retry: true }, 'Expected an object'],
  [{ retry: 'x' }, 'Expected an object'],
  [{ retry: { attempts: 'x' } }, 'Expected a number'],
  [{ retry: { attempts: 0 } }, '`attempts` is 0'],
  [{ retry: { attempts: 2.5 } }, '`attempts` is 2.5'],
  [{ retry: { attempts: 2, delay: 5 } }, '`delay` is not a field of `retry`'],
  [{ retry: { attempts: 2, delayMs: -1 } }, '`delay` is -1'],
  [{ retry: { attempts: 2, factor: 0 } }, '`factor` is 0'],
  [{ pause: 'Before' }, 'Did you mean `before`?'],
  [{ pause: 'befor' }, 'Did you mean `before`?'],
  [{ pause: true }, 'Expected `before` or `after`'],
  [{ checkpoint: 'snyc' }, 'Write `sync`'],
  [{ ends: 'a' }, 'Expected a list'],
]

describe('an option inside an option of a node', () => {
  it.each(WRONG)('%j is refused by the builder as it is in JSON', (options, told) => {
    expect(nodeWith(options)).toThrow(told)
    expect(nodeWith(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
    expect(
      jsonWith(options)
        .map(({ message, help }) => `${message} ${help}`)
        .join(' '),
    ).toContain(told)
  })

  it('is refused in text too', () => {
    for (const text of ['retry { max_attempts 3 }', 'interrupt befor', 'checkpoint snyc']) {
      const { diagnostics } = compileRag(`graph g { start a node a { kind model ${text} next END } }`)
      expect(
        diagnostics.filter(({ severity }) => severity === 'error'),
        text,
      ).not.toEqual([])
    }
  })
})

it('a retry of a graph is checked as that of a node is', () => {
  expect(() => begun({ retry: { maxAttempts: 3 } })).toThrow('Did you mean `attempts`?')
  expect(() => begun({ checkpoint: 'sinc' })).toThrow('Did you mean `sync`?')
})

it('a way out with a misspelt label or condition is refused where it is given', () => {
  const routed = (way: object) => () =>
    begun({})
      .node('a', () => ({}))
      .route('a', [way as never])
  expect(routed({ to: 'END', labl: 'yes' })).toThrow('Did you mean `label`?')
  expect(routed({ to: 'END', wen: 'state.v == 1' })).toThrow('Did you mean `when`?')
  expect(routed({ label: 'yes' })).toThrow('`to`')
})

it('a condition of a route over a name that there is not is refused before the graph runs', () => {
  const graph = begun({})
    .node('a', () => ({}))
    .route('a', [{ to: 'END', when: 'stat.v == 1' }, { to: 'a' }])
    .start('a')
  expect(() => graph.blueprint).toThrow('The graph "g" cannot run.')
})

it('a channel refuses options that it does not have, and arguments that mean nothing', () => {
  expect(() => channel.last({ initail: 1 } as never)).toThrow('Did you mean `initial`?')
  expect(() => channel.topic({ initial: [] } as never)).toThrow('`initial` is not an option of `channel.topic`')
  expect(() => channel.ephemeral({ schem: 1 } as never)).toThrow('Did you mean `schema`?')
  expect(() => channel.last({ schema: { type: 'string' } } as never)).toThrow('is no Standard Schema')
  expect(() => channel.delta('1' as never)).toThrow('begins with a number')
  expect(() => channel.barrier('2' as never)).toThrow('the number of values')
  expect(() => channel.namedBarrier('ab' as never)).toThrow('a list of the names')
  expect(() => channel.reduce(1 as never, 0)).toThrow('needs a function')
  expect(
    () =>
      begun({ state: { v: { type: 'string' } } })
        .node('a', () => ({}))
        .start('a').blueprint,
  ).toThrow('A channel of the state')
})

it('nodes and commands refuse what they would ignore', () => {
  expect(() => nodes.mapReduce({ items: () => [], run: () => 1, polcy: 'fail_fast' } as never)).toThrow(
    'Did you mean `policy`?',
  )
  expect(() => nodes.mapReduce({ items: () => [], run: () => 1, policy: { quorm: 1 } } as never)).toThrow(
    'Did you mean `quorum`?',
  )
  expect(() => nodes.tool('t', { input: 5 } as never)).toThrow('Give a text or a function')
  expect(() => nodes.model({ prompt: 'x', output: 'draft' } as never)).toThrow('Give a function')
  expect(() => command({ gotoo: 'a' } as never)).toThrow('Did you mean `goto`?')
})

it('the mandate of a graph is checked by the names of its tools when it is registered', () => {
  const pay = defineTool({ name: 'pay', risk: 'write', run: () => 'paid' })
  const graph = (deny: string) =>
    defineGraph({ name: 'g', state: { v: channel.last() }, mandate: { deny: [deny] } })
      .node('a', nodes.tool(pay))
      .start('a')
  expect(() => registerGraph(new AgentService(), graph('payy'))).toThrow(
    'The graph "g": `mandate.deny[0]` names "payy"',
  )
  expect(() => registerGraph(new AgentService(), graph('pay'))).not.toThrow()
})
