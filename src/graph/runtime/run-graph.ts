import { MandateError, checkFields, onAbort, toPlain } from '../../core/index.ts'
import type { FieldNames, Json } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Kernel, RunOutcome, RunSpec } from '../../run/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { Graph } from '../builder/graph.ts'
import { streamRun } from './graph-stream.ts'
import type { GraphEvent, StreamMode } from './graph-stream.ts'
import { registeredGraph } from './nodes/registered-graphs.ts'
import { registerGraph } from './register-graph.ts'
import { checkInput } from './value-check.ts'

interface RunGraphOptions extends Pick<
  RunSpec,
  'runId' | 'sessionId' | 'budget' | 'durability' | 'seed' | 'labels' | 'source'
> {
  readonly identity?: Identity | undefined
  readonly signal?: AbortSignal | undefined
}

const OPTIONS: FieldNames<RunGraphOptions> = {
  runId: 'text',
  sessionId: 'text',
  budget: 'object',
  durability: 'text',
  seed: 'text',
  labels: 'texts',
  source: 'text',
  identity: 'object',
  signal: 'object',
}

/** A started run of a graph. */
export interface GraphRun<Output = Json> {
  readonly runId: string
  /** The outcome of this segment of the run: completed, failed, cancelled, or suspended with what it waits for. */
  readonly outcome: Promise<RunOutcome>
  /** The output of the completed run; throws if the run did not complete. */
  result(): Promise<Output>
  /** The events from now on, until this segment of the run is over. Call it at once to get all of them. */
  stream(options?: {
    readonly mode?: StreamMode | readonly StreamMode[] | undefined
  }): AsyncIterableIterator<GraphEvent>
  abort(reason?: string): void
}

/**
 * Runs a graph: one built with `defineGraph`, a blueprint, or a registered one by its name. The input is validated before anything is written.
 * Returns a handle at once.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { channel, defineGraph, runGraph } from 'mandate/graph'
 * const graph = defineGraph({ name: 'double', state: { n: channel.last<number>() }, input: ['n'] })
 *   .node('double', (state) => ({ n: state.n * 2 }))
 *   .start('double')
 * const run = runGraph(new AgentService(), graph, { n: 21 })
 * for await (const event of run.stream({ mode: ['updates', 'custom'] })) console.log(event)
 * const { n } = await run.result()
 * ```
 */
export function runGraph<Input, Output>(
  host: object,
  graph: Graph<Input, Output>,
  input: NoInfer<Input>,
  options?: RunGraphOptions,
): GraphRun<Output>
export function runGraph(host: object, graph: Blueprint | string, input?: object, options?: RunGraphOptions): GraphRun
export function runGraph(
  host: object,
  graph: Graph | Blueprint | string,
  input: unknown = {},
  options: RunGraphOptions = {},
): GraphRun {
  checkFields(options, 'an option of `runGraph`', OPTIONS)
  const kernel = kernelOf(host)
  const name = typeof graph === 'string' ? graph : registerGraph(host, graph)
  kernel.registry.requireMind('graph', name)
  const compiled = registeredGraph(kernel.registry, name)?.graph
  const { value, issues } = toPlain(input)
  if (issues.length > 0)
    throw new MandateError('INPUT_INVALID', `The input of graph "${name}" is not plain data: ${issues.join('; ')}.`)
  const { signal, durability = compiled?.blueprint.checkpoint, ...spec } = options
  if (compiled !== undefined) checkInput(compiled, value)
  const handle = kernel.begin({ kind: 'graph', name, input: value, durability, ...spec })
  return runHandle(kernel, { ...handle, signal })
}

/**
 * Continues a run of a graph after a crash or a suspension. Recorded results are not repeated.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { resumeGraph } from 'mandate/graph'
 * const service = new AgentService()
 * async function goOn(runId: string) {
 *   const run = resumeGraph(service, runId)
 *   for await (const event of run.stream({ mode: 'values' })) console.log(event)
 *   return run.outcome
 * }
 * ```
 */
export function resumeGraph(host: object, runId: string, options: { readonly signal?: AbortSignal } = {}): GraphRun {
  checkFields(options, 'an option of `resumeGraph`', { signal: true })
  const kernel = kernelOf(host)
  const abort = (reason = 'aborted by the caller'): void => void kernel.cancel(runId, reason).catch(() => {})
  return runHandle(kernel, { runId, outcome: kernel.resume(runId), abort, signal: options.signal })
}

interface Begun extends Pick<GraphRun, 'runId' | 'outcome' | 'abort'> {
  readonly signal?: AbortSignal | undefined
}

function runHandle(kernel: Kernel, { runId, outcome, abort, signal }: Begun): GraphRun {
  const over = onAbort(signal, () => abort('aborted by the caller'))
  outcome.then(over, over)
  return {
    runId,
    outcome,
    result: async () => outputOf(await outcome),
    stream: (options = {}) => {
      checkFields(options, 'an option of `stream`', { mode: true })
      return streamRun(kernel, { runId, outcome, mode: options.mode ?? 'updates' })
    },
    abort,
  }
}

function outputOf(outcome: RunOutcome): Json {
  if (outcome.state === 'completed') return outcome.output
  const { run } = outcome
  if (outcome.state === 'failed')
    throw new MandateError(outcome.error.code, outcome.error.message, { info: outcome.error.info })
  if (outcome.state === 'cancelled')
    throw new MandateError('CANCELLED', `Run "${run}" was cancelled: ${outcome.reason}`)
  const ids = outcome.pending.flatMap(({ approvalId }) => approvalId ?? []).join(', ')
  throw new MandateError(
    'RUN_STATE',
    `Run "${run}" is suspended (${outcome.reason})${ids === '' ? '' : ` and waits for ${ids}`}. Answer, then resume it with \`resumeGraph\`.`,
  )
}
