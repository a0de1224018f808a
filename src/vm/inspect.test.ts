import { describe, expect, test } from 'vitest'
import { ident } from '../expr/index.ts'
import { defineAtom } from './atoms/define-atom.ts'
import { program } from './builder/program.ts'
import { s } from './builder/schema.ts'
import { inspect } from './inspect.ts'
import { script } from './script/script.ts'

describe('a program is looked at before it runs', () => {
  test('every atom that touches the world is listed, with its place and what it names', () => {
    const chain = program
      .take(s.object({}))
      .httpFetch({ url: 'https://example.com' })
      .if(
        'true',
        {},
        (b) => b.storeSet({ key: 'k', value: 1 }),
        (b) => b.storeGet({ key: b.val('x') }),
      )
      .map('xs', 'x', (b) => b.llmPredict({ prompt: b.val('x') }))
      .cache((b) => b.len({ list: [] }).as('result'))
    const found = inspect(chain)
    expect(found.effects).toEqual([
      { op: 'httpFetch', path: 'steps[0]', target: 'https://example.com' },
      { op: 'storeSet', path: 'steps[1].then[0]', target: 'k', risk: 'write' },
      { op: 'storeGet', path: 'steps[1].else[0]', target: '*', risk: 'read' },
      { op: 'llmPredict', path: 'steps[2].steps[0]', risk: 'read' },
      { op: 'storeSet', path: 'steps[3]', target: 'cache:*', risk: 'write' },
    ])
    expect(found.sinks).toEqual(['httpFetch', 'storeSet'])
    expect(found.open).toEqual([])
    expect(found.ops).toContain('map')
  })

  test('a program that only computes reaches nothing', () => {
    expect(
      inspect(program.varSet({ key: 'a', value: { url: 'https://example.com' } }).len({ list: [] })),
    ).toMatchObject({ tools: [], sinks: [], agents: [] })
  })

  test('programs inside a program count as well; what is computed is said to be open', () => {
    const inner = program.storeSet({ key: 'inner', value: 1 }).toJSON()
    const found = inspect(
      program
        .agentRun({ agentId: { $expr: 'literal', value: inner } })
        .agentRun({ agentId: 'writer' })
        .agentRun({ agentId: program.args('who') })
        .runCode({ code: 'return 1' }),
    )
    expect(found.effects.map(({ op, target }) => [op, target])).toContainEqual(['storeSet', 'inner'])
    expect(found.agents).toEqual(['*', 'writer'])
    expect(found.open).toHaveLength(2)
  })

  test('atoms of the host are known by what they say of themselves; an operation that nobody knows is open', () => {
    const sendMail = defineAtom('sendMail', s.object({}), s.any, () => null, { risk: 'write' })
    const chain = program.custom({ sendMail }).sendMail()
    expect(inspect(chain, { atoms: { sendMail } })).toMatchObject({
      effects: [{ op: 'sendMail', risk: 'write' }],
      open: [],
    })
    expect(inspect(chain).open[0]).toContain('sendMail')
  })

  test.each([
    ['await tools.search({ q: 1 }); await Promise.all([1].map((x) => tools.send(x)))', ['search', 'send']],
    ['const f = tools.search; return f({})', ['search']],
    ["return tools['search']({})", ['search']],
    ['const name = args.name; return tools[name]({})', ['*']],
    ['const t = tools; return t.search({})', ['*']],
    ['const { search } = tools; return search({})', ['*']],
    ['return 1', []],
  ])('the tools of the script %s', (source, tools) => {
    const found = inspect(script(source))
    expect(found.tools.filter((name) => name !== '*' || tools.includes('*'))).toEqual(tools)
    expect(found.open.length > 0).toBe(tools.includes('*'))
  })

  test.each([
    [{ op: 'toolCall', name: 'search', input: {} }, ['search']],
    [{ op: 'toolCall', name: { $kind: 'arg', path: 'which' } }, ['*']],
    [{ op: 'return', value: { $expr: 'call', callee: 'tools.search', arguments: [] } }, ['search']],
    [
      { op: 'return', value: { $expr: 'methodCall', object: ident('tools'), method: 'search', arguments: [] } },
      ['search'],
    ],
    [
      { op: 'storeProcedure', ast: { mandate: 1, op: 'seq', steps: [{ op: 'toolCall', name: 'inner' }] }, result: 't' },
      ['inner'],
    ],
  ])('the tools of the step %j', (step, tools) => {
    const found = inspect({ mandate: 1, op: 'seq', steps: [step] })
    expect(found.tools).toEqual(tools)
    expect(found.sinks).toEqual(tools.map((name) => `tools.${name}`))
  })

  test('what is no program, or too deep, is refused', () => {
    expect(() => inspect({ op: 'varSet' })).toThrow('not a program')
    let deep: object = { $expr: 'literal', value: 1 }
    for (let i = 0; i < 5000; i++) deep = { $expr: 'unary', op: '-', argument: deep }
    expect(() => inspect({ op: 'seq', steps: [{ op: 'return', value: deep }] })).toThrow(/deep/)
  })
})

test('a script reaches its tools and nothing else, whatever statements it is made of', () => {
  const found = inspect(script('for (const x of [1]) { await tools.search({ x }) }\nreturn 1'))
  expect(found).toMatchObject({ tools: ['search'], effects: [], open: [] })
})
