import type { Json, Outcome } from '../../../src/core/index.ts'
import { scriptBuiltins } from '../../../src/vm/builtins/index.ts'
import { compileProgram } from '../../../src/vm/compile/compile.ts'
import type { Compiled } from '../../../src/vm/compile/compile.ts'
import type { Language } from '../../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { withLabels } from '../../../src/vm/labels/index.ts'
import { createMachine } from '../../../src/vm/machine/machine.ts'
import { script } from '../../../src/vm/script/index.ts'
import { DATA_ATOMS } from '../../../src/vm/atoms/set/data-atoms.ts'
import { specsOf } from '../../../src/vm/atoms/set/specs.ts'
import { TIMER_KIND } from '../../../src/vm/port.ts'
import type { AtomSpec, VmRequest } from '../../../src/vm/port.ts'
import { generateProgram } from './program-generator.ts'
import { generateScript } from './script-generator.ts'
import { CLEAN, cleanParts, untrusted, violation } from './pairs.ts'
import type { Shown, SinkCall } from './pairs.ts'

/** What generated programs can call. */
const tool = (name: string): { kind: string; name: string } => ({ kind: 'tool', name })
const TOOLS = { tools: { web: tool('web'), clean: tool('clean'), sink: tool('sink') } }
const LIMITS = { fuel: 300, wallMs: 20_000, memoryBytes: 16 * 1024 * 1024 }

export function compileLabelled(source: string): Compiled {
  return compileIn(withLabels(scriptLanguage), source)
}

export function compileIn(language: Language, source: string): Compiled {
  return compileProgram(script(source), { language, builtins: scriptBuiltins, capabilities: TOOLS })
}

const ATOMS: ReadonlyMap<string, AtomSpec> = new Map<string, AtomSpec>([
  ...['web', 'clean', 'sink', 'part'].map((op): [string, AtomSpec] => [op, { op, cost: 1 }]),
  ...specsOf(new Map(DATA_ATOMS.map((atom) => [atom.op, atom]))),
])

/** A JSON program in a language; it has the atoms of a run, and some that touch the world. */
export function compileProgramIn(language: Language, program: Json): Compiled {
  return compileProgram(program, { language, builtins: scriptBuiltins, atoms: ATOMS })
}

type Kind = 'scripts' | 'programs'

/** One script with two things that the untrusted side says. */
export async function trySource(source: string, one: Json, other: Json): Promise<string | undefined> {
  const compiled = compileLabelled(source)
  return violation(await show(compiled, one), await show(compiled, other))
}

/** Executions of each program. Most of the work is to make one ready; any two of them are a pair. */
const EXECUTIONS = 4
const PAIRS_PER_PROGRAM: number = (EXECUTIONS * (EXECUTIONS - 1)) / 2

interface Tried {
  readonly text: string
  readonly isRefused: boolean
  readonly cleanParts: number
  readonly found: string | undefined
}

/** What an observer could tell two executions of the program of a seed apart by. Nothing, if it is refused. */
async function tryProgram(kind: Kind, seed: number): Promise<Tried> {
  const text = kind === 'scripts' ? generateScript(seed) : JSON.stringify(generateProgram(seed), undefined, 1)
  let compiled: Compiled
  try {
    compiled = kind === 'scripts' ? compileLabelled(text) : compileProgramIn(withLabels(), JSON.parse(text) as Json)
  } catch {
    return { text, isRefused: true, cleanParts: 0, found: undefined }
  }
  const shown: Shown[] = []
  for (let i = 0; i < EXECUTIONS; i++) shown.push(await show(compiled, untrusted(EXECUTIONS * seed + i)))
  const found = shown.flatMap((one, i) => shown.slice(i + 1).map((other) => violation(one, other)))
  return { text, isRefused: false, cleanParts: cleanParts(shown[0]!), found: found.find((one) => one !== undefined) }
}

/** The pairs of many programs; what is wrong is told with the seed and the program. */
export async function tryPairs(kind: Kind, from: number, programs: number, most = 3): Promise<PairCounts> {
  const counts = { programs: 0, pairs: 0, cleanParts: 0, violations: [] as string[] }
  for (let seed = from; seed < from + programs && counts.violations.length < most; seed++) {
    const { text, isRefused, cleanParts: clean, found } = await tryProgram(kind, seed)
    if (isRefused) continue
    counts.programs += 1
    counts.pairs += PAIRS_PER_PROGRAM
    counts.cleanParts += clean
    if (found !== undefined) counts.violations.push(`${kind}, seed ${seed}: ${found}\n${text}`)
  }
  return counts
}

export interface PairCounts {
  readonly programs: number
  readonly pairs: number
  readonly cleanParts: number
  readonly violations: readonly string[]
}

/**
 * Waits in the time of the program: calls take none, and of all timers the one that is due first fires when nothing else goes on. So the
 * time that calls take, which labels do not follow, never decides what fires first.
 */
class Timers {
  #now = 0
  readonly #set: { readonly due: number; readonly fire: () => void }[] = []

  wait(ms: number): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#set.push({ due: this.#now + ms, fire: () => resolve({ status: 'ok', value: null }) })
      setImmediate(() => this.#next())
    })
  }

  #next(): void {
    const first = this.#set.reduce((one, other) => (other.due < one.due ? other : one))
    this.#set.splice(this.#set.indexOf(first), 1)
    this.#now = first.due
    first.fire()
  }
}

/** Runs a program with what the untrusted side says: its tool gives it, and its arguments are the same where that is asked for. */
export async function show(compiled: Compiled, said: Json, isArgument = false): Promise<Shown> {
  const calls: (SinkCall & { readonly id: number })[] = []
  const timers = new Timers()
  const perform = ({ id, kind, name, input, labels }: VmRequest): Outcome | Promise<Outcome> => {
    if (name === 'web') return { status: 'ok', value: said, labels: ['untrusted:web'] }
    if (name === 'part') {
      const { of } = input as { readonly of: string }
      return { status: 'ok', value: (said as Record<string, Json>)[of]!, labels: ['untrusted:web'] }
    }
    if (name === 'clean') return { status: 'ok', value: CLEAN }
    calls.push({ id, input, labels })
    if (kind === TIMER_KIND) return timers.wait(input as number)
    return { status: 'ok', value: null }
  }
  const { result, error, labels } = await createMachine(compiled, {
    ...(isArgument ? { args: said, argsLabels: ['untrusted:web'] } : { args: {} }),
    // Two executions that differ by nothing else must not differ by the time.
    ...{ limits: LIMITS, port: { perform }, now: () => 86_400_000 },
  }).run()
  const isWhole = error === undefined
  // As the program made them: timers go out before other calls.
  calls.sort((one, other) => one.id - other.id)
  return { calls, isWhole, result: isWhole ? { input: result ?? null, labels: labels ?? {} } : undefined }
}
