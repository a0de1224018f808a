/** The first import of a bundle: takes away what a browser does not have, and keeps which program to run. */
export const BARE = `
const { argv, exit } = process
export const given = argv[2]
/** What stands in for setImmediate in a browser would keep the process alive. */
export const end = () => exit(0)
for (const name of ['process', 'setImmediate', 'clearImmediate', 'global']) delete globalThis[name]
`

/**
 * A program as the builder writes it, with every step that only computes, and one program for each part that is loaded on need. The bundle of this
 * file runs the one that it is told to, and prints what came of it.
 */
export const ENTRY = `
import { end, given } from './bare.ts'
import { coreAtoms } from '../../src/vm/atoms/registry.ts'
import { AgentVM, program } from '../../src/vm/index.ts'
const name = (name) => ({ $expr: 'ident', name })
const add = (left, right) => ({ $expr: 'binary', op: '+', left, right })
const seq = (...steps) => ({ mandate: 1, op: 'seq', steps })
const give = (value) => ({ op: 'return', value })
const computing = () =>
  program
    .take()
    .varsImport(['items', 'text'])
    .varSet({ key: 'n', value: 0 })
    .while('n < 3', { n: 'n' }, (b) => b.varSet({ key: 'n', value: add(name('n'), 1) }))
    .if('n == 3 && items.length > 1', { n: 'n', items: 'items' }, (b) => b.varSet({ key: 'is', value: true }), (b) => b.varSet({ key: 'is', value: false }))
    .map('items', 'x', (b) => b.template({ tmpl: '<{{x}}>', vars: { x: name('x') } }).as('result')).as('tagged')
    .filter('items', 'x', 'x > 1').as('large')
    .find('items', 'x', 'x > 1').as('first')
    .reduce('items', 'x', 'sum', 0, (b) => b.varSet({ key: 'result', value: add(name('sum'), name('x')) })).as('sum')
    .try({ try: (b) => b.jsonParse({ str: '{' }).as('parsed'), catch: (b) => b.varSet({ key: 'failed', value: name('errorOp') }) })
    .scope((b) => b.varSet({ key: 'inner', value: 1 }))
    .split({ str: name('text'), sep: ' ' }).as('words').join({ list: 'words', sep: '-' }).as('joined')
    .push({ list: 'words', item: 'c' }).len({ list: name('words') }).as('count')
    .merge({ a: { a: 1 }, b: { b: 2 } }).as('both').pick({ obj: 'both', keys: ['b'] }).as('picked').omit({ obj: 'both', keys: ['b'] }).as('omitted')
    .keys({ obj: 'both' }).as('keys').jsonStringify({ value: name('both') }).as('json')
    .return({ value: { is: name('is'), tagged: name('tagged'), large: name('large'), first: name('first'), sum: name('sum'), failed: name('failed'), joined: name('joined'), count: name('count'), picked: name('picked'), omitted: name('omitted'), keys: name('keys'), json: name('json') } })
    .toJSON()
const store = new Map()
const capabilities = { store: { get: async (key) => store.get(key), set: async (key, value) => void store.set(key, value) } }
const cases = {
  computing: [computing, { items: [1, 2, 3], text: 'a b' }],
  schema: [() => program.take({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }).return({ value: program.args('n') }).toJSON(), { n: 1 }],
  wrong: [() => program.take({ type: 'object', properties: { n: { type: 'number' } } }).return({ value: 1 }).toJSON(), { n: 'x' }],
  helper: [() => ({ ...seq({ op: 'callLocal', name: 'twice', args: [2], result: 'r' }, give(name('r'))), helpers: { twice: { params: ['x'], steps: [give(add(name('x'), name('x')))] } } })],
  method: [() => seq(give({ $expr: 'methodCall', object: 'a-b', method: 'toUpperCase', arguments: [] }))],
  store: [() => seq({ op: 'storeSet', key: 'k', value: 1 }, { op: 'storeGet', key: 'k', result: 'v' }, give(name('v'))), {}, { capabilities }],
  memoize: [() => seq({ op: 'memoize', key: 'k', steps: [{ op: 'varSet', key: 'result', value: 1 }], result: 'v' }, give(name('v')))],
  procedure: [() => seq({ op: 'storeProcedure', ast: { $expr: 'literal', value: seq(give(7)) }, result: 't' }, { op: 'agentRun', agentId: name('t'), result: 'v' }, give(name('v')))],
  hash: [() => seq({ op: 'hash', value: 'abc', result: 'h' }, give(name('h')))],
  pattern: [() => seq({ op: 'regexMatch', pattern: '^a+$', value: 'aaa', result: 'm' }, give(name('m')))],
  chance: [() => seq({ op: 'random', format: 'base36', length: 4, result: 'r' }, { op: 'len', list: name('r'), result: 'n' }, give(name('n')))],
  trace: [() => seq(give(1)), {}, { trace: true }],
  memory: [() => seq({ op: 'varSet', key: 'n', value: 0 }, { op: 'while', condition: { $expr: 'binary', op: '<', left: name('n'), right: 100_000 }, body: [{ op: 'varSet', key: 'l', value: [name('n')] }, { op: 'varSet', key: 'n', value: add(name('n'), 1) }] }, give(name('n'))), {}, { fuel: 1e5, limits: { memoryBytes: 4_000_000 } }],
  script: [() => 'return [1, 2].map((x) => x * 2)'],
}
const [make, args = {}, options = {}] = cases[given]
const { result, error, trace } = await new AgentVM().run(make(), args, options)
console.log(JSON.stringify(error?.message ?? (trace ? trace.length : result)), Object.keys(coreAtoms).length > 0)
end()
`

/** The smallest of them: what it costs is what it loads, and not what it says. */
export const SMALL = `
import { coreAtoms } from '../../src/vm/atoms/registry.ts'
import { AgentVM, program } from '../../src/vm/index.ts'
const steps = program.take().map(program.args('items'), 'x', (b) => b.template({ tmpl: '{{x}}', vars: { x: { $expr: 'ident', name: 'x' } } }).as('result')).as('out').return({ value: { $expr: 'ident', name: 'out' } })
const { result, error } = await new AgentVM().run(steps.toJSON(), { items: [1, 2, 3] })
console.log(Object.keys(coreAtoms).length > 0, JSON.stringify(error ?? result))
`
