import { newId } from '../../core/index.ts'
import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import type { Inspection } from '../../vm/index.ts'
import { EXIT, exitCodeOfCode, exitCodeOfSignal } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withService } from '../host.ts'
import { untilInterrupted } from '../interrupt.ts'
import { hanging } from '../terminal/layout.ts'
import { noteWaiting } from '../progress.ts'
import { note, paint, print, printAnswer } from '../output.ts'
import { loadHost, loadProgram } from '../program-files.ts'
import { need, readJson, readBudget, readNumber } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'
import { hint } from '../help/own-command.ts'

/** Higher than the library's default: an interactive user waits for the command and can interrupt it. */
const FUEL = 100_000

/** Runs a program or a script from a file; the second word is its arguments as JSON. */
export async function runProgramFile(flags: Flags, words: readonly string[]): Promise<number> {
  const { program, source } = await loadProgram(words[0]!)
  const loaded = await loadHost(flags.file)
  const text = flags.input ?? words.slice(1).join(' ')
  const args = readJson(text === '' ? '{}' : text, 'The argument of the program') as object
  const fuel = flags.fuel === undefined ? FUEL : readNumber(flags.fuel, '--fuel')
  const budget = readBudget(flags.budget)
  const { runProgram } = await import('../../vm/index.ts')
  return withService(flags, loaded, (service) => {
    const runId = newId('run', kernelOf(service).clock, kernelOf(service).random)
    return finishProgram(flags, service, {
      runId,
      result: runProgram(service, program, args, { fuel, budget, source, runId }),
    })
  })
}

interface Spent {
  readonly result?: unknown
  readonly fuelUsed?: number
  readonly memoryPeak?: number
  readonly warnings?: readonly string[]
}

interface Running {
  readonly runId: string
  readonly result: Promise<RunOutcome>
}

/** Shows the result of a program run and the resources it used. */
export function finishProgram(flags: Flags, service: AgentService, running: Running): Promise<number> {
  return finishRun(flags, service, running, (output) => {
    const spent = (output ?? {}) as Spent
    for (const warning of spent.warnings ?? []) note(paint('yellow', `warning: ${warning}`))
    const { fuelUsed, memoryPeak = 0 } = spent
    const used =
      fuelUsed === undefined ? '' : `, fuel ${fuelUsed.toFixed(2)}, memory ${Math.ceil(memoryPeak / 1024)} KB`
    // A program of the package itself, such as a review, returns its result directly.
    return { result: fuelUsed === undefined ? output : spent.result, used }
  })
}

/** Waits for a run, shows its result, and lists the next commands if it is suspended. */
export async function finishRun(
  flags: Flags,
  service: AgentService,
  { runId, result }: Running,
  read: (output: unknown) => { readonly result: unknown; readonly used: string } = (output) => ({
    result: output,
    used: '',
  }),
): Promise<number> {
  const { ended: outcome, signal } = await untilInterrupted(service, runId, result)
  const { result: value, used } = read('output' in outcome ? outcome.output : undefined)
  if (!flags.jsonl) printAnswer(flags, outcome, () => (outcome.state === 'completed' ? shown(value) : ''))
  note(paint('dim', `${outcome.state}${used}, run ${outcome.run}`))
  if (outcome.state === 'failed') note(`${paint('red', `error[${outcome.error.code}]`)} ${outcome.error.message}`)
  if (outcome.state === 'suspended') await showPending(service, outcome.run)
  return signal !== undefined && outcome.state === 'suspended' ? exitCodeOfSignal(signal) : exitCodeOfOutcome(outcome)
}

async function showPending(service: AgentService, run: string): Promise<void> {
  for (const { id, reason } of await service.approvals(run)) noteWaiting(id, reason)
  hint(`continue with: mandate resume ${run}`)
}

function exitCodeOfOutcome(outcome: RunOutcome): number {
  if (outcome.state === 'completed') return EXIT.ok
  if (outcome.state === 'suspended') return EXIT.suspended
  return outcome.state === 'failed' ? exitCodeOfCode(outcome.error.code) : EXIT.failed
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
}

export const inspectCommand: Command = {
  async run(flags, words) {
    const { program } = await loadProgram(need(words, 0, usageOf('inspect')))
    const { inspect } = await import('../../vm/index.ts')
    const found = inspect(program)
    print(flags, found, () => inspected(found))
    return EXIT.ok
  },
}

function inspected({ effects, tools, sinks, agents, open, nodes, depth }: Inspection): string {
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))
  const reached = effects.map(
    ({ op, target, risk, path }) => `${op}${target === undefined ? '' : ` ${target}`} (${risk ?? 'exec'}, ${path})`,
  )
  const rows = [
    ['effects', list(reached)],
    ['tools', list(tools)],
    ['agents', list(agents)],
    ['sinks', list(sinks)],
    ['open', list(open)],
    ['size', `${nodes} nodes, ${depth} deep`],
  ]
  return rows.map(([name, value]) => hanging(name!.padEnd(9), value!)).join('\n')
}
