import { AssertionError } from 'node:assert'
import { AgentService } from '../agent/index.ts'
import type { AgentConfig, AgentResult, AgentRun, Prompt, RunOptions, ServiceOptions } from '../agent/index.ts'
import { MandateError } from '../core/index.ts'
import { readAll } from '../journal/index.ts'
import type { Entry, Journal } from '../journal/index.ts'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../memory/index.ts'
import { scripted } from '../model/index.ts'
import type { ScriptedModel, ScriptedStep } from '../model/index.ts'
import { defineTool, toolsFrom } from '../tool/index.ts'
import { captureEvents } from './event-capture.ts'
import type { EventCapture } from './event-capture.ts'
import { fakeClock } from './fake-clock.ts'
import type { FakeClock } from './fake-clock.ts'
import { OutsideWork } from './outside-work.ts'

/** Options of an agent under test: script, seed, clock and clients. */
export interface TestAgentOptions extends Omit<ServiceOptions, 'deterministic' | 'clock' | 'agents'> {
  /** Steps of the scripted model; omitted when the agent has a model of its own (a cassette). */
  readonly script?: readonly ScriptedStep[] | ScriptedStep | undefined
  /** The same seed gives the same ids and the same journal, byte for byte. */
  readonly seed?: string | number | undefined
  readonly clock?: FakeClock | undefined
  /**
   * `auto` (default): when the run is idle and no tool or model is running, time advances to the next timer, so that no test waits for a backoff. `manual`: the
   * test advances time, also while a tool hangs.
   */
  readonly time?: 'auto' | 'manual' | undefined
  /** Adds an in-process memory, database and prompt store to an agent that has none. */
  readonly clients?: boolean | undefined
  /** Other agents of the same service. */
  readonly others?: readonly AgentConfig[] | undefined
}

/** An agent under test, with its service, journal, clock and events. */
export interface TestAgent {
  readonly agentId: string
  readonly service: AgentService
  readonly journal: Journal
  readonly clock: FakeClock
  /** All events since the first run. */
  readonly events: EventCapture
  /** The scripted model with the requests it received; absent when the agent has its own. */
  readonly model: ScriptedModel | undefined
  /** Runs a task until it completes, fails, or waits for a person. */
  run(prompt?: Prompt, options?: RunOptions): Promise<AgentResult>
  start(prompt?: Prompt, options?: RunOptions): AgentRun
  /** Continues a run. Recorded effects are not repeated. */
  resume(runId?: string): Promise<AgentResult>
  /** Returns the names of the tools that were executed, in order: in the last run, or in the given one. */
  actions(runId?: string): Promise<readonly string[]>
  /** Rejects unless exactly these tools were executed, in this order. */
  expectActions(expected: readonly string[], runId?: string): Promise<void>
  entries(runId?: string): Promise<readonly Entry[]>
  stop(): Promise<void>
}

/** 1 January 2026 UTC: an arbitrary, fixed start. */
const START = 1_767_225_600_000

/**
 * Sets up an agent for tests: scripted model, in-memory journal, fake clock, deterministic ids, capture of all events.
 *
 * @example
 * ```ts
 * import { defineTool } from 'mandate'
 * import { testAgent } from 'mandate/testing'
 * const clock = defineTool({ name: 'clock', risk: 'read', run: () => 'noon' })
 * const bench = testAgent({ tools: [clock] }, { script: [{ toolCalls: [{ name: 'clock' }] }, 'It is noon.'] })
 * const result = await bench.run('What time is it?')
 * console.log(result.text) // It is noon.
 * await bench.expectActions(['clock'])
 * bench.events.expectSequence(['run-start', 'step-start', 'run-end'])
 * ```
 */
export function testAgent(config: AgentConfig, options: TestAgentOptions = {}): TestAgent {
  const { script, seed = 'test', clock = fakeClock(START, 1), time = 'auto', clients, others = [], ...rest } = options
  const model = script === undefined ? undefined : scripted(script, { clock })
  if (model !== undefined && (config.model ?? config.models) !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'The agent has a model and a script. Give one of them: `script` makes the model.',
    )
  const outside = new OutsideWork()
  const known = { ...(clients === true ? inProcess(clock) : {}), ...config, ...(model === undefined ? {} : { model }) }
  const service = new AgentService({
    ...rest,
    tools: toolsFrom(rest.tools ?? []).map((tool) => outside.watchTool(tool)),
    deterministic: { seed, clock },
    agents: others.map((other) => outside.watchConfig(other)),
  })
  const agentId = service.register(outside.watchConfig({ ...known, id: config.id ?? config.name ?? 'agent' })).id
  let lastRun: string | undefined
  const start = (prompt?: Prompt, run?: RunOptions): AgentRun => {
    const started = service.run(agentId, prompt, run)
    lastRun = started.id
    return started
  }
  const wait = async <T>(begin: () => Promise<T>): Promise<T> => {
    await loadValidator()
    return time === 'auto' ? clock.runUntil(begin(), () => outside.isUnderWay) : begin()
  }
  const entries = (runId = named(lastRun)): Promise<readonly Entry[]> => readAll(service.journal, runId)
  const actions = async (runId?: string): Promise<readonly string[]> => (await entries(runId)).flatMap(toolIn)
  return {
    agentId,
    service,
    journal: service.journal,
    clock,
    events: captureEvents(service),
    model,
    start,
    run: (prompt, run) => wait(() => start(prompt, run)),
    resume: (runId = named(lastRun)) => wait(() => service.resume(runId)),
    actions,
    expectActions: async (expected, runId) => assertActions(await actions(runId), expected),
    entries,
    stop: async () => void (await service.stop()),
  }
}

/** Loads the validator before the run: its lazy loading takes real time, and could make two runs differ. */
async function loadValidator(): Promise<void> {
  await defineTool({ name: 'first', inputSchema: { type: 'object' }, run: () => null }).validate({})
}

function inProcess(clock: FakeClock): Pick<AgentConfig, 'memoryClient' | 'databaseClient' | 'promptStore'> {
  return { memoryClient: inMemory(), databaseClient: inMemoryDatabase(), promptStore: inMemoryPrompts({ clock }) }
}

function named(runId: string | undefined): string {
  if (runId === undefined)
    throw new MandateError('RUN_STATE', 'Nothing has been run yet. Call `run` first, or name a run.')
  return runId
}

function toolIn({ type, data }: Entry): readonly string[] {
  return type === 'effect-start' && data?.kind === 'tool' ? [data.name] : []
}

function assertActions(actual: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((name, i) => actual[i] !== name)
  if (at < 0 && actual.length === expected.length) return
  const first = at < 0 ? expected.length : at
  const message = `Action ${first + 1} should be ${shown(expected[first])} and is ${shown(actual[first])}. All actions: ${actual.join(', ') || 'none'}.`
  throw new AssertionError({ message, actual, expected, operator: 'actions' })
}

/** Untyped callers may pass something other than names, such as whole actions. */
function shown(action: unknown): string {
  if (action === undefined) return 'absent'
  return typeof action === 'string' ? action : `${JSON.stringify(action)}, which is no name of a tool,`
}
