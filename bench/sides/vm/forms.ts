// The forms of JSON programs over 100,000 turns: `node bench/sides/vm/forms.ts <mandate | baseline>`. Prints one line of JSON: ms of CPU each.
import { AgentVM } from 'mandate/vm'
import type { Figures } from './measure.ts'

const TURNS = 100_000

const ident = (name: string): object => ({ $expr: 'ident', name })
const binary = (op: string, left: unknown, right: unknown): object => ({ $expr: 'binary', op, left, right })
const double = { op: 'varSet', key: 'result', value: binary('*', ident('x'), 2) }
const items = { $kind: 'arg', path: 'items' }

const forms: Readonly<Record<string, { readonly steps: readonly object[]; readonly expected: unknown }>> = {
  while: {
    steps: [
      { op: 'varSet', key: 'i', value: 0 },
      {
        op: 'while',
        condition: binary('<', ident('i'), TURNS),
        body: [{ op: 'varSet', key: 'i', value: binary('+', ident('i'), 1) }],
      },
      { op: 'return', value: ident('i') },
    ],
    expected: TURNS,
  },
  map: {
    steps: [
      { op: 'map', items, as: 'x', steps: [double], result: 'out' },
      { op: 'return', value: { $expr: 'member', object: ident('out'), property: 'length' } },
    ],
    expected: TURNS,
  },
  filter: {
    steps: [
      { op: 'filter', items, as: 'x', condition: binary('>=', ident('x'), TURNS / 2), result: 'out' },
      { op: 'return', value: { $expr: 'member', object: ident('out'), property: 'length' } },
    ],
    expected: TURNS / 2,
  },
  reduce: {
    steps: [
      {
        op: 'reduce',
        items,
        as: 'x',
        accumulator: 'sum',
        initial: 0,
        steps: [{ op: 'varSet', key: 'result', value: binary('+', ident('sum'), ident('x')) }],
        result: 'out',
      },
      { op: 'return', value: ident('out') },
    ],
    expected: (TURNS * (TURNS - 1)) / 2,
  },
}

const list = Array.from({ length: TURNS }, (_, i) => i)

async function ours(name: string): Promise<unknown> {
  const program = { mandate: 1, op: 'seq', steps: forms[name]!.steps }
  const { result, error } = await new AgentVM().run(program, { items: list }, { fuel: 10_000_000 })
  if (error !== undefined) throw new Error(error.message)
  return result
}

type Vars = Record<string, unknown>

/** An atom as simple interpreters run it: a promise of its own, raced with a timer that would end it. */
async function atom(work: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), 1_000)
  })
  try {
    return await Promise.race([(async () => work())(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** The same work with one awaited atom per turn, and nothing else: no fuel, no memory, no checks. */
const baselines: Readonly<Record<string, (vars: Vars) => Promise<unknown>>> = {
  while: async (vars) => {
    vars['i'] = 0
    while ((vars['i'] as number) < TURNS) await atom(() => (vars['i'] = (vars['i'] as number) + 1))
    return vars['i']
  },
  map: async (vars) => {
    const out: unknown[] = []
    for (const x of list) out.push(await atom(() => (vars['result'] = x * 2)))
    return out.length
  },
  filter: async (vars) => {
    const out: unknown[] = []
    for (const x of list) if (await atom(() => (vars['result'] = x >= TURNS / 2))) out.push(x)
    return out.length
  },
  reduce: async (vars) => {
    vars['sum'] = 0
    for (const x of list) vars['sum'] = await atom(() => (vars['sum'] as number) + x)
    return vars['sum']
  },
}

async function once(name: string, run: () => Promise<unknown>): Promise<number> {
  const start = process.threadCpuUsage()
  const value = await run()
  const { user, system } = process.threadCpuUsage(start)
  const { expected } = forms[name]!
  if (value !== expected) throw new Error(`${name} gives ${String(value)} instead of ${String(expected)}.`)
  return (user + system) / 1_000
}

async function measured(side: string): Promise<Figures> {
  const figures: Record<string, number> = {}
  const run = (name: string): Promise<unknown> => (side === 'mandate' ? ours(name) : baselines[name]!({}))
  for (const name of Object.keys(forms)) await once(name, () => run(name))
  const turns = side === 'mandate' ? 10 : 2
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
