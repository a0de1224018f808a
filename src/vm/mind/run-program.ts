import { MandateError, canonical, checkFields, onAbort } from '../../core/index.ts'
import type { JsonObject, FieldNames } from '../../core/index.ts'
import type { Identity, Journal, RunEventBus } from '../../journal/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { RunOutcome, RunSpec } from '../../run/index.ts'
import { readProgram } from '../atoms/program-source.ts'
import type { ProgramSource } from '../atoms/program-source.ts'
import { PROGRAM_MIND_OPTIONS, programMind } from './program-mind.ts'
import type { ProgramMindOptions } from './program-mind.ts'

/** The host of programs: an `AgentService` or a `Kernel`. */
interface ProgramHost {
  readonly journal: Journal
  readonly events: RunEventBus
}

interface RunProgramOptions
  extends ProgramMindOptions, Pick<RunSpec, 'runId' | 'sessionId' | 'budget' | 'durability' | 'seed' | 'source'> {
  readonly identity?: Identity | undefined
  readonly signal?: AbortSignal | undefined
}

/** All options. `registerProgram` accepts the same as `runProgram`. */
const OPTIONS: FieldNames<RunProgramOptions> = {
  ...PROGRAM_MIND_OPTIONS,
  runId: true,
  sessionId: true,
  budget: 'object',
  durability: 'text',
  seed: 'text',
  source: 'text',
  identity: 'object',
  signal: 'object',
}

const texts = new WeakMap<object, Map<string, string>>()

/**
 * Registers a program with a host, so that runs of it can be started, resumed and called as children. The same program can be registered again under its
 * name, a different one cannot. Returns the name.
 *
 * @example
 * ```ts
 * import { Kernel } from 'mandate/kit'
 * import { program, registerProgram, s } from 'mandate/vm'
 * const kernel = new Kernel()
 * const name = await registerProgram(kernel, program.take(s.object({})).return({ value: 1 }), { name: 'one' })
 * const outcome = await kernel.run({ kind: 'program', name, input: {} })
 * ```
 */
export async function registerProgram(
  host: ProgramHost,
  source: ProgramSource,
  options: ProgramMindOptions = {},
): Promise<string> {
  const { registry } = kernelOf(host)
  const program = readProgram(source, options.limits)
  const mind = programMind(program, registry, options)
  const known = texts.get(registry) ?? new Map<string, string>()
  texts.set(registry, known)
  const text = canonical(program)
  if (known.has(mind.name) && known.get(mind.name) !== text)
    throw new MandateError(
      'DUPLICATE',
      `Another program is registered as "${mind.name}". Give this one another \`name\`.`,
    )
  registry.registerMind(mind, { override: known.has(mind.name) })
  known.set(mind.name, text)
  return mind.name
}

/**
 * Runs a program under a kernel: all its effects pass the gate and are journaled, so that it can wait for a human, be resumed in another process, replayed,
 * forked and cancelled.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { program, runProgram, s } from 'mandate/vm'
 * const service = new AgentService()
 * const hello = program.take(s.object({ name: s.string })).return({ value: { hello: program.args('name') } })
 * const outcome = await runProgram(service, hello, { name: 'Ada' }, { fuel: 100 })
 * if (outcome.state === 'completed') console.log(outcome.output)
 * await service.stop()
 * ```
 */
export async function runProgram(
  host: ProgramHost,
  source: ProgramSource,
  args: object = {},
  options: RunProgramOptions = {},
): Promise<RunOutcome> {
  checkFields(options, 'an option of a program', OPTIONS)
  const kernel = kernelOf(host)
  const { runId, sessionId, budget, durability, seed, source: file, identity, signal, ...mind } = options
  const name = await registerProgram(host, source, mind)
  const handle = kernel.begin({
    kind: 'program',
    name,
    input: args as JsonObject,
    ...{ runId, sessionId, budget, durability, seed, source: file, identity },
  })
  const over = onAbort(signal, () => handle.abort('aborted by the caller'))
  return handle.outcome.finally(over)
}
