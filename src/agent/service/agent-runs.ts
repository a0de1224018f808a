import { checkModel, modelsOf } from '../config/models.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Model } from '../../model/index.ts'
import { checkToolChoice } from '../config/tool-choice.ts'
import { fileRoom } from '../session/run-files.ts'
import type { FileRoom } from '../session/run-files.ts'
import { checkNumbers, checkFields, checkId } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import type { Identity } from '../../journal/index.ts'
import { FORK_OPTIONS } from '../../run/index.ts'
import type { ForkOptions } from '../../run/index.ts'
import type { AgentResult } from '../output/result-types.ts'
import { AgentRun, refusedRun } from '../session/agent-run.ts'
import { checkResumeOptions, checkRunOptions, readInput, readPlace } from '../session/run-options.ts'
import type { Prompt, ResumeOptions, RunOptions } from '../session/run-options.ts'
import { AgentSession } from '../session/session.ts'
import type { SessionOptions, SessionRun } from '../session/session.ts'
import type { ServiceHost } from './service-host.ts'
import { historyOf, newestRun } from './session-history.ts'
import type { StoredSession } from './session-history.ts'
import { checkReach } from './service-upkeep.ts'

const ABORTED = 'aborted by the caller'

type Parts = ConstructorParameters<typeof AgentSession>[1]

export interface RunOnceOptions extends SessionOptions {
  readonly prompt?: Prompt | undefined
}

/** Creates a session, in the name of `options.identity` or of the service. */
export function openSession(host: ServiceHost, agentId: string, options: SessionOptions): AgentSession<Json> {
  checkRunOptions(options)
  const { identity = host.identity } = options
  host.checkRun(agentId, identity)
  // `null` is not the same as absent: it is refused like any other invalid id.
  const id = checkId(options.sessionId === undefined ? host.newId('session') : options.sessionId, 'The session id')
  return new AgentSession(id, {
    options,
    events: host.events,
    agent: () => specOf(host, agentId),
    newRunId: () => host.newId('run'),
    start: (prompt, run) => begin(host, agentId, prompt, { ...run, sessionId: id }),
    // The session started its runs itself, so reading them needs no further check.
    conversation: (runId) => host.observer.conversation(runId),
    cancel: (runId, reason) => host.kernel.cancel(runId, reason, identity),
    interrupt: (runId) => host.kernel.interrupt(runId),
    stored: goesOn(host, agentId, options) ? storedRuns(host, { agentId, sessionId: id, by: identity }) : undefined,
  })
}

/** Whether a session goes on from its runs in the journal. An agent with a memory is told what that recalls of them. */
function goesOn(host: ServiceHost, agentId: string, { sessionId, history }: RunOptions): boolean {
  return sessionId !== undefined && history === undefined && host.agent(agentId).memory === undefined
}

function storedRuns(host: ServiceHost, session: StoredSession): Parts['stored'] {
  return { newest: () => newestRun(host, session), historyOf: (runId) => historyOf(host, runId) }
}

/** Starts a run, in the name of `options.identity` or of the service. In a given session it continues the conversation, unless the caller says what was said before. */
export function startRun(host: ServiceHost, agentId: string, prompt: Prompt, options: RunOptions): AgentRun<Json> {
  if (goesOn(host, agentId, options)) {
    const { runId: given, ...session } = options
    return handle(host, given, (runId) => openSession(host, agentId, session).run(prompt, { runId }))
  }
  // The id of a run is that of its session as well, where there is no other: one that the caller chose may be that of a session.
  const { sessionId = options.runId } = options
  return handle(host, options.runId, (runId) => {
    const begun = begin(host, agentId, prompt, { ...options, sessionId, runId })
    return new AgentRun(runId, {
      events: host.events,
      result: begun.result,
      agent: () => specOf(host, agentId),
      begun: () => host.kernel.stored(runId),
      abort: (reason) => begun.abort(reason),
      cancel: (reason) => host.kernel.cancel(runId, reason, options.identity),
    })
  })
}

/** Starts a run in a session of its own. */
export function startOnce(host: ServiceHost, agentId: string, options: RunOnceOptions): AgentRun<Json> {
  const { prompt, ...session } = options
  return handle(host, undefined, (runId) => openSession(host, agentId, session).run(prompt, { runId }))
}

/** Continues a run, in the name of `options.identity` or of the service. */
export function resumeRun(host: ServiceHost, runId: string, options: ResumeOptions): AgentRun<Json> {
  const cancel = (reason?: string): Promise<void> => host.kernel.cancel(runId, reason, options.identity)
  let agentId: string | undefined
  const begun = Promise.withResolvers<void>()
  const result = resumed(host, runId, options, { onFound: (name) => (agentId = name), onBegun: begun.resolve })
  return new AgentRun(runId, {
    events: host.events,
    result,
    agent: () => specOf(host, agentId),
    begun: () => Promise.race([begun.promise, result]),
    abort: (reason) => void cancel(reason).catch(() => {}),
    cancel,
  })
}

/** Forks a run with the rights of `by`. The fork continues in the name of `options.identity`, or of the run it comes from. */
export async function forkRun(
  host: ServiceHost,
  runId: string,
  options: ForkOptions | undefined,
  by: Identity,
): Promise<string> {
  checkFields(options, 'an option of `fork`', FORK_OPTIONS)
  checkNumbers(options, 'an option of `fork`', { at: 'count' }, 'INPUT_INVALID')
  if (options?.runId !== undefined) checkId(options.runId, 'The run id')
  await host.checkRead(runId, by)
  await host.kernel.authorize(by, 'run-agent', runId)
  const model = modelIn(options?.edit)
  if (model !== undefined) checkModel(model, modelsFor(host, by))
  return host.kernel.fork(runId, options)
}

async function resumed(
  host: ServiceHost,
  runId: string,
  options: ResumeOptions,
  { onFound, onBegun }: { readonly onFound: (id?: string) => void; readonly onBegun: () => void },
): Promise<AgentResult<Json>> {
  checkResumeOptions(options)
  const { kernel } = host
  const { identity = host.identity, budget } = options
  await kernel.authorize(identity, 'run-agent', runId)
  await host.checkRead(runId, identity)
  const name = (await kernel.journal.summary(runId))?.name
  onFound(name)
  if (name !== undefined) host.onDemand.check(name)
  return host.observer.follow(runId, {
    options,
    by: identity,
    abort: () => void kernel.cancel(runId, ABORTED, identity).catch(() => {}),
    outcome: async () => {
      const { outcome } = await kernel.resuming(runId, { budget, identity })
      onBegun()
      return outcome
    },
  })
}

function begin(host: ServiceHost, agentId: string, prompt: Prompt, options: RunOptions): SessionRun {
  checkRunOptions(options)
  const { identity = host.identity } = options
  const leftMs = host.checkRun(agentId, identity)
  const agent = host.agent(agentId)
  checkReach(agent, [...host.specs.keys()], host.kernel.registry)
  checkToolChoice(options.toolChoice, agent, 'INPUT_INVALID')
  if (options.model !== undefined) checkModel(options.model, modelsFor(host, identity))
  const input = readInput(prompt, agent.taskPrompt, options, roomOf(host)) as unknown as Json
  const place = readPlace(options)
  const budget = leftMs === undefined ? place.budget : lowestLimits({ timeMs: leftMs }, place.budget)
  const { deterministic } = host.options
  const seed = deterministic === undefined ? undefined : String(deterministic.seed)
  const spec = { kind: 'agent' as const, name: agentId, input, identity, seed, ...place, budget }
  const started = host.kernel.begin(spec)
  const { runId } = started
  const abort = (reason?: string): void => started.abort(reason)
  const following = { options, by: identity, agentId, abort: () => abort(ABORTED), outcome: () => started.outcome }
  return { runId, result: host.observer.follow(runId, following), abort }
}

/** The models of all agents that an identity may run. */
function modelsFor(host: ServiceHost, by: Identity): readonly Model[] {
  return modelsOf([...host.specs.values()].filter(({ id }) => host.isOpenTo(id, by)))
}

/** The model that replaces those of a fork, if its edit names one. */
function modelIn(edit: ForkOptions['edit']): unknown {
  const input = edit !== undefined && 'input' in edit ? edit.input : undefined
  return (input as { readonly model?: unknown } | null | undefined)?.model
}

function roomOf({ kernel }: ServiceHost): FileRoom {
  return fileRoom(kernel.journal, kernel.limits)
}

/** Starts a run and returns its handle. An error before the start rejects when the handle is awaited; it is not thrown at once. */
function handle(
  host: ServiceHost,
  given: string | undefined,
  start: (runId: string) => AgentRun<Json>,
): AgentRun<Json> {
  // `null` is not the same as absent: it is refused like any other invalid id.
  const runId = given === undefined ? host.newId('run') : given
  try {
    return start(runId)
  } catch (error) {
    return refusedRun(runId, host.events, error)
  }
}

function specOf(host: ServiceHost, agentId: string | undefined): AgentSpec | undefined {
  return agentId === undefined ? undefined : host.specs.get(agentId)
}
