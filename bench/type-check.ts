import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../scripts/build-package.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 7
const TOOLS = 12
const root = join(import.meta.dirname, '..')
const user = join(root, '.cache', 'bench-types')

/** Figures of `tsc --extendedDiagnostics` that are compared. */
const FIGURES = ['Instantiations', 'Types', 'Lines', 'Memory used', 'Check time', 'Total time'] as const
type Diagnostics = Readonly<Record<(typeof FIGURES)[number], number>>

/**
 * The same project for both sides: a dozen tools with zod schemas, an agent with a typed answer, and code that reads its calls and its answer by their types.
 */
const schemas = Array.from(
  { length: TOOLS },
  (_, n) =>
    `const schema${n} = z.object({ id: z.string(), amount${n}: z.number(), tags: z.array(z.string()).optional() })`,
)
const answer =
  'const answer = z.object({ title: z.string(), steps: z.array(z.object({ text: z.string(), minutes: z.number() })) })'
const names = Array.from({ length: TOOLS }, (_, n) => `tool${n}`)

const withAi = [
  `import { Output, ToolLoopAgent, tool } from 'ai'`,
  `import type { InferAgentUIMessage, LanguageModel } from 'ai'`,
  `import { z } from 'zod'`,
  ...schemas,
  answer,
  ...names.map(
    (name, n) =>
      `const ${name} = tool({ description: 'x', inputSchema: schema${n}, execute: async ({ id, amount${n} }) => ({ id, sum: amount${n} }) })`,
  ),
  `declare const model: LanguageModel`,
  `const agent = new ToolLoopAgent({ model, tools: { ${names.join(', ')} }, output: Output.object({ schema: answer }) })`,
  `export type Message = InferAgentUIMessage<typeof agent>`,
  `const { output, toolCalls } = await agent.generate({ prompt: 'go' })`,
  `console.log(output.steps.map(({ minutes }) => minutes.toFixed()))`,
  `for (const call of toolCalls) if (!call.dynamic && call.toolName === 'tool3') console.log(call.input.amount3.toFixed())`,
  `const stream = await agent.stream({ prompt: 'go' })`,
  `for await (const partial of stream.partialOutputStream) console.log(partial.steps?.length)`,
]

const withOurs = [
  `import { Agent, defineTool } from 'mandate'`,
  `import type { Model } from 'mandate/model'`,
  `import { z } from 'zod'`,
  ...schemas,
  answer,
  ...names.map(
    (name, n) =>
      `const ${name} = defineTool({ name: '${name}', description: 'x', inputSchema: schema${n}, run: async ({ id, amount${n} }) => ({ id, sum: amount${n} }) })`,
  ),
  `declare const model: Model`,
  `const agent = new Agent({ model, tools: [${names.join(', ')}], output: answer })`,
  `const run = agent.run('go')`,
  `for await (const partial of run.partialOutputStream) console.log(partial.steps?.length)`,
  `const { result, pending } = await run`,
  `console.log(result?.steps.map(({ minutes }) => minutes.toFixed()))`,
  `for (const call of pending) if (call.kind === 'tool' && call.name === 'tool3') console.log(call.input.amount3.toFixed())`,
  `for await (const { type, data } of run)`,
  `  if (type === 'effect-start' && data.kind === 'tool' && data.name === 'tool3') console.log(data.input.amount3.toFixed())`,
]

const sides = [
  ['ai', withAi],
  ['mandate', withOurs],
] as const

function writeProject(name: string, lines: readonly string[]): void {
  const folder = join(user, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'main.ts'), `${lines.join('\n')}\n`)
  const compilerOptions = {
    ...{ target: 'ES2024', module: 'NodeNext', strict: true, skipLibCheck: true, noEmit: true, types: ['node'] },
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
}

/** Type-checks a project once. Throws for a type error, because the project would no longer be comparable. */
function check(name: string): Diagnostics {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [compiler, '-p', join(user, name), '--extendedDiagnostics']
  const said = execFileSync(process.execPath, args, { encoding: 'utf8' })
  const figure = (label: string): number => {
    const [, text, unit] = new RegExp(`^${label}:\\s+([\\d.]+)(K|s)?`, 'm').exec(said) ?? []
    if (text === undefined) throw new Error(`tsc does not say "${label}"`)
    return unit === 's' ? Number(text) * 1000 : unit === 'K' ? Number(text) / 1024 : Number(text)
  }
  return Object.fromEntries(FIGURES.map((label) => [label, figure(label)])) as Diagnostics
}

/** Measures the cost of the package's types for users who check their own code. */
export async function typeCheck(): Promise<Section> {
  await buildPackage(user)
  for (const [name, lines] of sides) writeProject(name, lines)
  const all = sides.map((): Diagnostics[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const order = [...sides.keys()]
    for (const side of round % 2 === 0 ? order : order.toReversed()) all[side]!.push(check(sides[side]![0]))
  }
  const middle = (side: number, label: (typeof FIGURES)[number]): number => median(all[side]!.map((one) => one[label]))
  const ratio = (label: (typeof FIGURES)[number]): number => middle(1, label) / middle(0, label)
  return {
    tables: [
      {
        title: 'Type-checking a project',
        note: `The same project with ${TOOLS} zod tools, a typed answer and typed calls, checked by tsc in fresh processes, in turns.`,
        columns: ['instantiations', 'types', 'lines', 'MB', 'ms check', 'ms in all'],
        rows: sides.map(([name], side) => [name, ...FIGURES.map((label) => middle(side, label))]),
      },
    ],
    goals: [
      { name: 'type instantiations beside ai 7', measured: ratio('Instantiations'), atMost: 1.2 },
      { name: 'time of type-checking beside ai 7', measured: ratio('Total time'), atMost: 1.2 },
    ],
  }
}
