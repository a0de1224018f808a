import type { Json, Outcome } from '../../../src/core/index.ts'
import { scriptBuiltins } from '../../../src/vm/builtins/index.ts'
import { compileProgram } from '../../../src/vm/compile/compile.ts'
import type { Compiled } from '../../../src/vm/compile/compile.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { joinTables } from '../../../src/vm/door.ts'
import { withLabels } from '../../../src/vm/labels/index.ts'
import { createMachine } from '../../../src/vm/machine/machine.ts'
import { promiseBuiltins } from '../../../src/vm/machine/promise-builtins.ts'
import { script } from '../../../src/vm/script/index.ts'
import { DATA_ATOMS } from '../../../src/vm/atoms/data-atoms.ts'
import type { AtomSpec } from '../../../src/vm/port.ts'
import { generateProgram } from './program-generator.ts'
import { generateScript } from './script-generator.ts'
import { CLEAN, cleanParts, untrusted, violation } from './pairs.ts'
import type { Shown, SinkCall } from './pairs.ts'

const builtins = joinTables(scriptBuiltins, promiseBuiltins)
const tool = (name: string): { kind: string; name: string } => ({ kind: 'tool', name })
const TOOLS = { tools: { web: tool('web'), clean: tool('clean'), sink: tool('sink') } }
const LIMITS = { fuel: 300, wallMs: 20_000, memoryBytes: 16 * 1024 * 1024 }

export function compileLabelled(source: string): Compiled {
  return compileProgram(script(source), { language: withLabels(scriptLanguage), builtins, capabilities: TOOLS })
}

const PUSH = DATA_ATOMS.find(({ op }) => op === 'push') as unknown as Pick<AtomSpec, 'inline'>
const ATOMS: ReadonlyMap<string, AtomSpec> = new Map<string, AtomSpec>([
  ...['web', 'clean', 'sink'].map((op): [string, AtomSpec] => [op, { op, cost: 1 }]),
  ['push', { op: 'push', cost: 1, inline: PUSH.inline }],
])

function compileProgramLabelled(program: Json): Compiled {
  return compileProgram(program, { language: withLabels(), builtins, atoms: ATOMS })
}

export type Kind = 'scripts' | 'programs'

/** One script with two things that the untrusted side says. */
export async function trySource(source: string, one: Json, other: Json): Promise<string | undefined> {
  const compiled = compileLabelled(source)
  return violation(await show(compiled, one), await show(compiled, other))
}

/** One pair: what an observer could tell two executions of the program of a seed apart by. Nothing, if it is refused. */
export async function tryPair(kind: Kind, seed: number): Promise<Pair> {
  const text = kind === 'scripts' ? generateScript(seed) : JSON.stringify(generateProgram(seed), undefined, 1)
  let compiled: Compiled
  try {
    compiled = kind === 'scripts' ? compileLabelled(text) : compileProgramLabelled(JSON.parse(text) as Json)
  } catch {
    return { text, isRefused: true, cleanParts: 0, found: undefined }
  }
  const one = await show(compiled, untrusted(2 * seed))
  const other = await show(compiled, untrusted(2 * seed + 1))
  return { text, isRefused: false, cleanParts: cleanParts(one), found: violation(one, other) }
}

interface Pair {
  readonly text: string
  readonly isRefused: boolean
  readonly cleanParts: number
  readonly found: string | undefined
}

/** Many pairs; what is wrong is told with the seed and the program. */
export async function tryPairs(kind: Kind, from: number, count: number, most = 3): Promise<PairCounts> {
  const counts = { ran: 0, cleanParts: 0, violations: [] as string[] }
  for (let seed = from; seed < from + count && counts.violations.length < most; seed++) {
    const { text, isRefused, cleanParts: clean, found } = await tryPair(kind, seed)
    if (isRefused) continue
    counts.ran += 1
    counts.cleanParts += clean
    if (found !== undefined) counts.violations.push(`${kind}, seed ${seed}: ${found}\n${text}`)
  }
  return counts
}

export interface PairCounts {
  readonly ran: number
  readonly cleanParts: number
  readonly violations: readonly string[]
}

/** Runs a program with what the untrusted side says. */
export async function show(compiled: Compiled, said: Json): Promise<Shown> {
  const calls: SinkCall[] = []
  const perform = ({ name, input, labels }: { name: string; input: Json; labels: SinkCall['labels'] }): Outcome => {
    if (name === 'web') return { status: 'ok', value: said, labels: ['untrusted:web'] }
    if (name === 'clean') return { status: 'ok', value: CLEAN }
    calls.push({ input, labels })
    return { status: 'ok', value: null }
  }
  const { result, error, labels } = await createMachine(compiled, { args: {}, limits: LIMITS, port: { perform } }).run()
  const isWhole = error === undefined
  return { calls, isWhole, result: isWhole ? { input: result ?? null, labels: labels ?? {} } : undefined }
}
