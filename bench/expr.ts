import { compileExpr, parseCondition } from 'mandate/expr'
import { measure, measuredTable } from './harness.ts'
import type { Side } from './harness.ts'
import { load } from './peers/load.ts'
import type { Section } from './report.ts'

const TEXT = "a.b + c*2 > 10 && d == 'x'"
/** Several contexts, so that no side can cache a result. */
const CONTEXTS = Array.from({ length: 16 }, (_, i) => ({ a: { b: i }, c: (i * 7) % 11, d: i % 3 === 0 ? 'y' : 'x' }))
/** Other expressions that are evaluated first, as in any process with more than one rule. */
const OTHERS = ['a.b - c < 3 || d != "y"', '!(a.b >= 3) ? c : d', 'd.includes("x") && a.b <= c', '[c, 2].includes(a.b)']

type Evaluate = (context: (typeof CONTEXTS)[number]) => unknown

/** Measures one precompiled expression over plain objects: ours counts fuel and reads own members only. */
export async function expr(): Promise<Section> {
  for (const text of OTHERS) {
    const run = compileExpr(parseCondition(text))
    for (let i = 0; i < 20_000; i++) run(CONTEXTS[i % CONTEXTS.length]!)
  }
  const native: Evaluate = ({ a, c, d }) => a.b + c * 2 > 10 && d === 'x'
  const sides = [
    sideOf('mandate/expr', compileExpr(parseCondition(TEXT))),
    sideOf('a function of the language', native),
  ]
  const peer = await celSide()
  const measured = await measure({
    name: `The expression \`${TEXT}\``,
    unit: 'evaluation',
    count: 300_000,
    rounds: 11,
    sides: peer === undefined ? sides : [...sides, peer],
  })
  const cel = measured.sides.find(({ name }) => name === peer?.name)
  const goals = cel === undefined ? [] : [{ name: `${cel.name} takes longer, times`, measured: cel.ratio, atLeast: 3 }]
  return { tables: [measuredTable(measured)], goals }
}

/** CEL has a separate integer type, so its text has decimal points. */
async function celSide(): Promise<Side | undefined> {
  const name = '@marcbachmann/cel-js'
  try {
    const { parse } = await load<{ readonly parse: (text: string) => Evaluate }>(name)
    return sideOf(name, parse(`a.b + c * 2.0 > 10.0 && d == 'x'`))
  } catch {
    process.stdout.write(`${name} is not installed in bench/peers: left out.\n`)
    return undefined
  }
}

function sideOf(name: string, evaluate: Evaluate): Side {
  return {
    name,
    run: (count) => {
      let held = 0
      for (let i = 0; i < count; i++) if (evaluate(CONTEXTS[i & 15]!) === true) held++
      if (held === 0) throw new Error(`${name} does not evaluate the expression.`)
    },
  }
}
