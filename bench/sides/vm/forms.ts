// The forms of JSON programs over 100,000 iterations: `node bench/sides/vm/forms.ts <mandate | baseline>`. Prints one line of JSON: ms of CPU time each.
import { AgentVM } from 'mandate/vm'
import type { Figures } from './measure.ts'
import { runPlainly } from './race-per-atom.ts'

const TURNS = 100_000
/** Forms over a list iterate repeatedly over this many items, so that the iteration is measured and not the import of the list. */
const ITEMS = 1_000

const ident = (name: string): object => ({ $expr: 'ident', name })
const binary = (op: string, left: unknown, right: unknown): object => ({ $expr: 'binary', op, left, right })
const varSet = (key: string, value: unknown): object => ({ op: 'varSet', key, value })
const items = { $kind: 'arg', path: 'items' }

function times(count: number, body: readonly object[]): object[] {
  const next = varSet('i', binary('+', ident('i'), 1))
  return [varSet('i', 0), { op: 'while', condition: binary('<', ident('i'), count), body: [...body, next] }]
}

interface Form {
  readonly steps: readonly object[]
  readonly expected: unknown
}

function overList(form: object, value: object, expected: unknown): Form {
  const body = { items, as: 'x', result: 'out', ...form }
  return { steps: [...times(TURNS / ITEMS, [body]), { op: 'return', value }], expected }
}

const out = ident('out')
const length = { $expr: 'member', object: out, property: 'length' }

const forms: Readonly<Record<string, Form>> = {
  while: { steps: [...times(TURNS, []), { op: 'return', value: ident('i') }], expected: TURNS },
  map: overList({ op: 'map', steps: [varSet('result', binary('*', ident('x'), 2))] }, length, ITEMS),
  filter: overList({ op: 'filter', condition: binary('>=', ident('x'), ITEMS / 2) }, length, ITEMS / 2),
  reduce: overList(
    {
      op: 'reduce',
      accumulator: 'sum',
      initial: 0,
      steps: [varSet('result', binary('+', ident('sum'), ident('x')))],
    },
    out,
    (ITEMS * (ITEMS - 1)) / 2,
  ),
}

const args = { items: Array.from({ length: ITEMS }, (_, i) => i) }

async function ours(name: string): Promise<unknown> {
  const program = { mandate: 1, op: 'seq', steps: forms[name]!.steps }
  const { result, error } = await new AgentVM().run(program, args, { fuel: 10_000_000 })
  if (error !== undefined) throw new Error(error.message)
  return result
}

async function once(name: string, run: () => Promise<unknown>): Promise<number> {
  const start = process.threadCpuUsage()
  const value = await run()
  const { user, system } = process.threadCpuUsage(start)
  const { expected } = forms[name]!
  if (value !== expected) throw new Error(`${name} gives ${JSON.stringify(value)} instead of ${String(expected)}.`)
  return (user + system) / 1_000
}

async function measured(side: string): Promise<Figures> {
  const figures: Record<string, number> = {}
  const run = (name: string): Promise<unknown> =>
    side === 'mandate' ? ours(name) : runPlainly(forms[name]!.steps, args)
  for (const name of Object.keys(forms)) await once(name, () => run(name))
  const turns = side === 'mandate' ? 20 : 3
  for (const name of Object.keys(forms)) {
    let spent = 0
    for (let turn = 0; turn < turns; turn++) spent += await once(name, () => run(name))
    figures[name] = spent / turns
  }
  return figures
}

if (import.meta.main) {
  const figures = await measured(process.argv[2]!)
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))
}
