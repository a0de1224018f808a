// The cost of label tracking, in a separate process: `node bench/sides/vm/labelled.ts <off | on | labelled>`. Prints one line of JSON: milliseconds of CPU
// time of the thread for each program.
import { scriptBuiltins } from '../../../src/vm/builtins/index.ts'
import { compileProgram } from '../../../src/vm/compile/compile.ts'
import type { Language } from '../../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { createMachine } from '../../../src/vm/machine/machine.ts'
import type { VmResult } from '../../../src/vm/machine/result.ts'
import { script } from '../../../src/vm/script/index.ts'
import { generate } from '../../../test/differential/generator.ts'
import { programs } from './programs.ts'

const OTHERS = 300
const BATCH_MS = 300
const LEAST = 6

/** Where each program reads an untrusted value that does not change its result. */
const TAINTS: Readonly<Record<string, readonly [string, string]>> = {
  fib25: ['fib(25)', 'fib(args.v + 25)'],
  loop1e6: ['let sum = 0', 'let sum = args.v'],
  array1e5: ['list.push(i)', 'list.push(i + args.v)'],
  string1e5: ["let text = ''", "let text = '' + (args.v || '')"],
  object1e5: ['{ a: 0,', '{ a: args.v,'],
}

const mode = process.argv[2] ?? 'off'
const language: Language =
  mode === 'off' ? scriptLanguage : (await import('../../../src/vm/labels/index.ts')).withLabels(scriptLanguage)

function run(source: string, fuel = 10_000_000): Promise<VmResult> {
  const compiled = compileProgram(script(source), { language, builtins: scriptBuiltins })
  const argsLabels = mode === 'labelled' ? ['untrusted:web'] : undefined
  return createMachine(compiled, { args: { v: 0 }, limits: { fuel }, argsLabels }).run()
}

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

async function measureProgram(name: string): Promise<number> {
  const { source, expected } = programs[name]!
  const [from, to] = TAINTS[name]!
  const text = `return ${mode === 'labelled' ? source.replace(from, to) : source}`
  const times: number[] = []
  const start = threadCpu()
  while (times.length < LEAST || threadCpu() - start < BATCH_MS) {
    const before = threadCpu()
    const { result, error } = await run(text)
    times.push(threadCpu() - before)
    if (result !== expected) throw new Error(`${name} gives ${JSON.stringify(error ?? result)}.`)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}

// A long-lived process has run other programs.
for (let seed = 0; seed < OTHERS; seed++) {
  try {
    await run(generate(seed).source, 1_000)
  } catch {
    // Some are refused.
  }
}
const figures: Record<string, number> = {}
for (const name of Object.keys(TAINTS)) await measureProgram(name)
for (const name of Object.keys(TAINTS)) figures[name] = await measureProgram(name)
console.log(JSON.stringify(figures))
