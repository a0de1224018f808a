import { ERROR_CODES, checkFields, joinLabels, sha256, utf8Bytes } from '../../core/index.ts'
import type { BudgetLimits, ErrorCode, FieldNames, Json, JsonObject, Label } from '../../core/index.ts'
import { lostValues } from '../../redact/index.ts'
import { intentsOfCode, parseIntents } from '../../gate/index.ts'
import type { IntentLookup, Mandate } from '../../gate/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Model } from '../../model/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, Registry, RunContext } from '../../run/index.ts'
import { toolsFrom } from '../../tool/index.ts'
import type { Tool, ToolLike } from '../../tool/index.ts'
import {
  CellSession,
  NO_WALL_MS,
  VM_PINS,
  WAITING_CLOCK,
  checkVmPins,
  fuelOf,
  openingComments,
  untilDropped,
  withoutMeasures,
} from '../../vm/index.ts'
import type { CellEnd } from '../../vm/index.ts'
import { CellCalls } from '../calls/cell-calls.ts'
import { graphRegistry, graphReviews } from '../../graph/index.ts'
import type { Blueprint } from '../../graph/index.ts'
import { Drafts } from '../graphs/drafts.ts'
import { graphTools } from '../graphs/graph-tools.ts'
import { contextMembers } from '../calls/context-call.ts'
import { isContextPart } from '../context/context.ts'
import type { ContextFacts } from '../context/context.ts'
import { openContexts } from '../context/open-contexts.ts'
import { readPolicy } from '../session/policy.ts'
import type { ReplPolicy } from '../session/policy.ts'
import { INSTANT_NAMES, RESERVED, SET_NAMES } from '../session/reserved-names.ts'
import { DRAFTS } from '../session/reserved-names.ts'
import type { SlotName } from '../session/reserved-names.ts'
import { NO_CALLS } from '../session/session-state.ts'
import type { CellInput, CellOutput, Counters, SessionState } from '../session/session-state.ts'
import { cellHistory } from './cell-chain.ts'
import { readEdit, readInput, vmPins } from './cell-input.ts'
import { OPERATIONS_PER_FUEL, withinOutput, withoutTimes } from './cell-output.ts'
import { functionsOf, storedFunctions, toolsOf } from './cell-functions.ts'
import type { LiveSessions } from './live-sessions.ts'
import { NO_VARIABLES, shownVariables } from './shown-variables.ts'
import { NOTHING_STORED, endAfter, loadVariables, stateAfter, storeVariables } from './stored-variables.ts'
import type { Slot, StoredIndex } from './stored-variables.ts'

/** Tools, models, agents and limits of cells. */
export interface CellMindOptions {
  /** Applied below the mandates of the host and of every parent. */
  readonly mandate?: Mandate | undefined
  /** Tools of only these cells, in any accepted shape. Cells call them, and those of the host, as `tools.name(input)`. */
  readonly tools?: readonly ToolLike[] | undefined
  /** The default model of `model_query`: a name or a model. */
  readonly model?: string | Model | undefined
  /** Models of only these cells, by the names that cells use. */
  readonly models?: Readonly<Record<string, Model>> | undefined
  /**
   * The agent that `rlm_query` starts as a child run, usually in code mode. It reads its input as its own `context`. If absent, `rlm_query` calls the model.
   */
  readonly rlm?: string | undefined
  /**
   * The source of the only cell that this mind evaluates, with the input of the call as `context`. For nodes of graphs and other callers. The result is the
   * answer of the cell, or its value.
   */
  readonly script?: string | undefined
  /** Limits of these cells. Sessions have their own policy. */
  readonly policy?: Partial<ReplPolicy> | undefined
  /** When labels are tracked per value: if a mandate has flow rules (`rules`, the default), always, or never. */
  readonly labels?: 'rules' | 'always' | 'never' | undefined
}

export const CELL_MIND_OPTIONS: FieldNames<CellMindOptions> = {
  mandate: 'object',
  tools: 'list',
  model: 'text|object',
  models: 'object',
  rlm: 'text',
  script: 'text',
  policy: 'object',
  labels: 'text',
}

/** A mind that evaluates cells. */
export interface CellMind extends Mind {
  /** Reads the session as it was after the run of a cell. */
  read(run: string): Promise<CellSession>
  /** Frees what is kept in memory for the cells of an agent's run. */
  release(run: string): void
  /** Tools that cells call, by name. */
  tools(): ReadonlyMap<string, Tool>
}

/** Name of a model that was passed without one. */
const OWN_MODEL = 'model'

/** The cache of the last context, when it is empty. */
const NO_CONTEXT = { run: '', value: null as Json }

/** Fuel used when the policy does not limit operations. */
const ENDLESS_FUEL = 1e9
/** Maximum bytes of one call. Larger than the output limit of a cell. */
const CALL_BYTES = 16 * 1024 * 1024

interface Started {
  readonly cells: CellSession
  readonly index: StoredIndex
  readonly state: SessionState
  readonly slots: ReadonlyMap<SlotName, Slot>
}

/** Creates a mind for cells: each run evaluates one cell on the variables left by the previous run. */
export function cellMind(
  name: string,
  parts: {
    readonly registry: Registry
    readonly journal: Journal
    readonly service: object
    readonly live: LiveSessions
    readonly appStates: ReadonlyMap<string, unknown>
  },
  options: CellMindOptions = {},
): CellMind {
  checkFields(options, 'an option of a session of cells', CELL_MIND_OPTIONS)
  const own = new Map(toolsFrom((options.tools ?? []) as never).map((tool: Tool) => [tool.name, tool]))
  const { model } = options
  const models = new Map(Object.entries(options.models ?? {}))
  if (typeof model === 'object') models.set(OWN_MODEL, model)
  const restoreGraph = async (graph: string): Promise<void> => {
    if (parts.registry.mind('graph', graph) === undefined) await graphReviews(parts.service).restore()
  }
  const findGraph = (graph: string): Blueprint | undefined => graphRegistry(parts.service).blueprint(graph)
  const policy = readPolicy(options.policy)
  const host = {
    ...parts,
    policy,
    own,
    given: { ...NO_CONTEXT },
    ...{ restoreGraph, findGraph },
    rlm: options.rlm,
    isScript: options.script !== undefined,
    model: typeof model === 'object' ? OWN_MODEL : model,
  }
  const ownPins: Json = options.script === undefined ? VM_PINS : { ...VM_PINS, hash: sha256(options.script) }
  return {
    kind: 'cell',
    name,
    ...(options.mandate === undefined ? {} : { mandate: options.mandate }),
    followsLabels: options.labels ?? 'rules',
    limits: (input) => timeLimit(host.isScript ? policy : readPolicy(readInput(input).policy, policy)),
    resources: {
      tools: new Map([...graphTools(parts.service), ...openContexts(parts.registry).tools, ...own]),
      models,
    },
    pins: () => ownPins,
    checkPins: (pins) => checkVmPins(vmPins(pins)),
    compared: (output, pins) => withoutTimes(withoutMeasures(output, vmPins(pins))),
    readEdit,
    read: (run) => readSession(host, run),
    release: (run) => {
      host.live.release(run)
      if (host.given.run === run) Object.assign(host.given, NO_CONTEXT)
    },
    tools: () => new Map([...parts.registry.tools, ...own]),
    start: async (input, context) => {
      const { script } = options
      if (script === undefined) return new CellRun(host, readInput(input), context).run()
      return scriptResult(await new CellRun(host, { source: script, set: { context: input } }, context).run())
    },
  }
}

interface CellMindHost {
  readonly registry: Registry
  readonly journal: Journal
  /** Default policy, used for fields that the input of a cell does not set. */
  readonly policy: ReplPolicy
  readonly model: string | undefined
  readonly rlm: string | undefined
  /** Whether the source comes from the host. */
  readonly isScript: boolean
  readonly restoreGraph: (graph: string) => Promise<void>
  readonly findGraph: (graph: string) => Blueprint | undefined
  readonly own: ReadonlyMap<string, Tool>
  readonly live: LiveSessions
  /** Cache of the context of the last run that had one, so that its cells do not read it again. */
  readonly given: { run: string; value: Json }
  /** Application state by session, which tools read from `metadata.state` of their context. */
  readonly appStates: ReadonlyMap<string, unknown>
}

function timeLimit({ timeoutMs }: ReplPolicy): BudgetLimits {
  return timeoutMs === 0 ? {} : { timeMs: timeoutMs }
}

/** Returns the result of a mind with a `script`. */
function scriptResult(output: Json): Json {
  const { finalAnswer, value } = output as Partial<CellOutput>
  return finalAnswer ?? value ?? null
}

async function readSession(host: CellMindHost, run: string): Promise<CellSession> {
  const { live, journal } = host
  const known = await live.peek(run)
  if (known !== undefined) return known.cells
  const { end, state } = await endAfter(journal, run)
  if (state.variables === null) return new CellSession(RESERVED)
  const { index, content } = await loadVariables(journal, state.variables)
  const { followsLabels } = index.session
  const functions = storedFunctions(host, index)
  const options = { reserved: RESERVED, followsLabels, labels: [], functions, calls: INSTANT_NAMES }
  const cells = CellSession.read(index.session, content, options)
  live.put(end, { cells, state, index })
  return cells
}

/** One run of one cell. */
class CellRun {
  readonly #host: CellMindHost
  readonly #input: CellInput
  readonly #context: RunContext
  readonly #policy: ReplPolicy
  readonly #followsLabels: boolean
  /** Labels of the input of the run. */
  readonly #given: readonly Label[]

  constructor(host: CellMindHost, input: CellInput, context: RunContext) {
    this.#host = host
    this.#input = input
    this.#context = context
    this.#given = context.labels
    this.#policy = readPolicy(input.policy, host.policy)
    this.#followsLabels = (context.pins as { readonly labels?: Json }).labels === 'fine'
  }

  async run(): Promise<Json> {
    const started = await this.#begin()
    const { op } = this.#input
    const { counters } = started.state
    if (op !== undefined) return this.#conclude(started, { ...NOTHING, counters })
    const refused = this.#refusal(counters)
    const after = { ...counters, cells: counters.cells + 1 }
    if (refused !== undefined) {
      const counted = refused.limit === 'maxIterations' ? counters : after
      return this.#conclude(started, {
        ...NOTHING,
        counters: counted,
        error: { code: 'LIMIT_EXCEEDED', message: refused.message, info: { limit: refused.limit } },
      })
    }
    return this.#evaluate(started, after)
  }

  /** Whether another cell can follow: none follows the only cell of a script, or the end of a session. */
  get #isFollowed(): boolean {
    return !this.#host.isScript && this.#input.op !== 'close'
  }

  #refusal({ cells }: Counters): { readonly limit: string; readonly message: string } | undefined {
    const { maxIterations, maxScriptBytes } = this.#policy
    if (cells >= maxIterations)
      return {
        limit: 'maxIterations',
        message: `The session has had ${cells} cells: \`maxIterations\` allows no more.`,
      }
    const bytes = utf8Bytes(this.#input.source)
    return bytes <= maxScriptBytes
      ? undefined
      : {
          limit: 'maxScriptBytes',
          message: `The cell has ${bytes} bytes: \`maxScriptBytes\` allows ${maxScriptBytes}.`,
        }
  }

  async #evaluate(started: Started, counters: Counters): Promise<Json> {
    const { cells } = started
    const context = this.#context
    const policy = this.#policy
    const contextRef = await this.#fill(started, counters)
    const before = cells.uses('show_vars', this.#input.source) ? shownVariables(cells) : NO_VARIABLES
    const { model, rlm, restoreGraph, findGraph } = this.#host
    const drafts = new Drafts(started.slots.get(DRAFTS)?.value, policy.generatedGraphsRequireReview)
    const tools = toolsOf(this.#host, this.#context, this.#input)
    const agents = this.#input.agents && new Set(this.#input.agents)
    const graphs = new Set(this.#input.graphs)
    const programs = new Set(this.#input.programs)
    const calls = new CellCalls({
      ...{ context, policy, counters, rlm, drafts, restoreGraph, findGraph, contextRef },
      ...{ tools, agents, graphs, programs },
      appState: this.#host.appStates.get(context.sessionId),
      model: this.#input.model ?? model,
      variables: () => {
        context.admit(before.labels)
        return before.text
      },
      intents: this.#intents(),
    })
    const end = await cells.run(this.#input.source, {
      host: calls,
      functions: functionsOf(programs.size === 0 ? tools : new Set([...tools, ...programs])),
      calls: INSTANT_NAMES,
      labels: this.#host.isScript ? [] : this.#given,
      limits: {
        fuel: policy.maxOperations === 0 ? ENDLESS_FUEL : policy.maxOperations / OPERATIONS_PER_FUEL,
        memoryBytes: Math.min(policy.maxMemoryBytes, context.fuel.memoryMax ?? Number.POSITIVE_INFINITY),
        outputBytes: CALL_BYTES,
        wallMs: NO_WALL_MS,
        parallelCalls: policy.maxConcurrency,
      },
      pool: fuelOf(vmPins(context.pins), context.fuel),
      signal: untilDropped(context),
      clock: WAITING_CLOCK,
    })
    context.fuel.held(end.memoryPeak)
    // Output and errors of a cell may depend on everything that it could read, including from earlier cells.
    context.admit(end.reached)
    const slots = withDrafts(started.slots, drafts)
    return this.#conclude(
      { ...started, slots },
      { ...withinOutput(end, calls, policy), calls, counters: calls.counters },
    )
  }

  /** Collects the intents declared in the opening comments of the cell and in the reply that contained it. */
  #intents(): IntentLookup {
    const { source, intents } = this.#input
    const own = parseIntents(openingComments(source))
    return intentsOfCode({
      intents: [...(intents?.intents ?? []), ...own.intents],
      problems: [...(intents?.problems ?? []), ...own.problems],
    })
  }

  /**
   * Sets the reserved data variables before every cell, so that changes by a cell do not persist. Returns the reference that `context` reads if it is read in
   * parts.
   */
  async #fill({ cells, slots }: Started, counters: Counters): Promise<string | undefined> {
    const { runId, sessionId, depth } = this.#context
    for (const name of SET_NAMES) {
      const slot = slots.get(name)
      cells.fill(name, slot?.value, slot?.labels)
    }
    const { contextFrom } = this.#input
    if (contextFrom !== undefined) cells.fill('context', await this.#contextOf(contextFrom), this.#context.labels)
    cells.fill('run', { id: runId, session: sessionId, cell: counters.cells, depth })
    cells.fillList(
      'history',
      cells.uses('history', this.#input.source) ? await cellHistory(this.#host.journal, this.#input.base) : [],
    )
    const context = slots.get('context')
    if (context?.isHandle !== true) return undefined
    const facts = context.value as unknown as ContextFacts
    cells.fillFunctions('context', contextMembers(facts), context.labels)
    return facts.ref
  }

  /** Reads the context that was passed to a run. Cells share it instead of copying it. */
  async #contextOf(run: string): Promise<Json> {
    const { given, journal } = this.#host
    if (given.run !== run) {
      const start = await readStart(journal, run)
      given.value = (start?.input as { readonly context?: Json } | undefined)?.context ?? null
      given.run = run
    }
    return given.value
  }

  /** Restores the session after the previous run and applies what the host has set since. */
  async #begin(): Promise<Started> {
    const { base, set, contextFrom } = this.#input
    const started = base === undefined ? this.#empty() : await this.#after(base)
    const labels = joinLabels(set?.labels, this.#given)
    for (const [name, value] of Object.entries(set?.variables ?? {})) started.cells.set(name, value, labels)
    const slots = new Map<SlotName, Slot>(started.slots)
    const kept = await this.#keptSlots()
    for (const name of SET_NAMES) {
      const slot = kept?.get(name)
      if (slot !== undefined) slots.set(name, slot)
      const value = set?.[name]
      if (value !== undefined) slots.set(name, { value, labels })
    }
    const given = contextFrom === undefined ? set?.context : await this.#contextOf(contextFrom)
    const facts = set?.contextFacts ?? (await this.#partFacts(given))
    // The facts about a context are derived from it and carry its labels.
    if (facts !== undefined)
      slots.set('context', { value: facts, labels: joinLabels(labels, facts.labels), isHandle: true })
    // Without tracking per value, everything carries all labels of the session, including those from when values were tracked.
    const { index } = started
    const ofSlots = [...slots.values()].map((slot) => slot.labels)
    if (!this.#followsLabels) this.#context.admit(joinLabels(index.labels, index.session.labels, labels, ...ofSlots))
    return { ...started, slots }
  }

  /** What the host had set in the session, where the variables are those of an earlier cell. */
  async #keptSlots(): Promise<ReadonlyMap<SlotName, Slot> | undefined> {
    const { slotsFrom } = this.#input
    if (slotsFrom === undefined) return undefined
    const { variables } = await stateAfter(this.#host.journal, slotsFrom)
    return variables === null ? undefined : (await loadVariables(this.#host.journal, variables)).index.slots
  }

  /** Returns the facts of a part of the session's context that is passed to a cell as its `context`, so that cells of `rlm_query` can read it in parts. */
  async #partFacts(given: Json | undefined): Promise<ContextFacts | undefined> {
    if (!isContextPart(given)) return undefined
    const contexts = openContexts(this.#host.registry)
    const facts = await this.#context.record('context', () => contexts.factsOf(this.#context.sessionId, given))
    return facts ?? undefined
  }

  #empty(): Started {
    const cells = new CellSession(RESERVED, this.#followsLabels)
    return { cells, index: NOTHING_STORED, state: { counters: NO_CALLS, variables: null }, slots: new Map() }
  }

  async #after(base: string): Promise<Started> {
    const { live, journal } = this.#host
    const { from = base, op } = this.#input
    // A fork must not change the session that it starts from.
    const known = from === base && op !== 'fork' ? await live.take(base) : undefined
    if (known !== undefined && known.cells.followsLabels === this.#followsLabels)
      return { ...known, slots: known.index.slots }
    const { counters } = await stateAfter(journal, base)
    const variables = from === null ? null : (await stateAfter(journal, from)).variables
    const state = { counters, variables }
    if (variables === null) return { ...this.#empty(), state }
    const { index, content } = await loadVariables(journal, variables)
    const cells = CellSession.read(index.session, content, {
      reserved: RESERVED,
      followsLabels: this.#followsLabels,
      labels: index.labels,
      functions: storedFunctions(this.#host, index, this.#context),
      calls: INSTANT_NAMES,
    })
    return { cells, index, state, slots: index.slots }
  }

  /** Stores changed variables and returns the output of the run. */
  async #conclude(started: Started, end: Concluded): Promise<Json> {
    const context = this.#context
    const { live } = this.#host
    const { cells, state: before } = started
    const labels: readonly Label[] = this.#followsLabels ? [] : context.labels
    const { index, isChanged, isKept } = await storeVariables(context, started.index, {
      cells,
      labels,
      slots: started.slots,
    })
    const state: SessionState = { counters: end.counters, variables: isChanged ? context.runId : before.variables }
    const owner = this.#input.contextFrom
    // Only when the end of the run is stored: until then this process can lose the run, and another one can finish it with other values.
    if (isKept && this.#isFollowed) context.onEnd((last) => live.put(last, { cells, state, index, owner }))
    const { calls, error, value, shown, changed, fuelUsed } = end
    const lost = this.#host.isScript ? undefined : lostValues('The source of the cell', this.#input.source)
    const warnings = lost === undefined ? end.warnings : [lost, ...end.warnings]
    const output: CellOutput = {
      run: context.runId,
      stdout: calls?.stdout ?? '',
      ...(value === undefined ? {} : { value }),
      ...(shown === undefined ? {} : { shown }),
      variablesChanged: changed,
      calls: calls?.records ?? [],
      ...(calls?.finalAnswer === undefined ? {} : { finalAnswer: calls.finalAnswer }),
      ...(error === undefined ? {} : { error: JSON.parse(JSON.stringify(error)) as JsonObject }),
      fuelUsed,
      warnings,
      session: state,
    }
    if (error === undefined) return output
    const code = (ERROR_CODES as readonly string[]).includes(error.code) ? (error.code as ErrorCode) : 'MIND_FAILED'
    const info = error.info === undefined ? undefined : (JSON.parse(JSON.stringify(error.info)) as Json)
    throw new MindStop(code, error.message, output, info)
  }
}

/** Returns the slots of a session with the current drafts. */
function withDrafts(slots: Started['slots'], { stored }: Drafts): Started['slots'] {
  const before = slots.get(DRAFTS)?.value
  const isSame = before === stored || (before === undefined && Object.keys(stored).length === 0)
  return isSame ? slots : new Map([...slots, [DRAFTS, { value: stored, labels: [] }]])
}

interface Concluded extends Pick<CellEnd, 'value' | 'shown' | 'error' | 'changed' | 'fuelUsed' | 'warnings'> {
  readonly calls?: CellCalls | undefined
  readonly counters: Counters
}

const NOTHING: Omit<Concluded, 'counters'> = { value: undefined, changed: [], fuelUsed: 0, warnings: [] }
