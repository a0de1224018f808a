import { MandateError, codeOf, describeOutcome, errorInfo, failed, ok, utf8Bytes } from '../../core/index.ts'
import type { EffectLabels, Failed, Json, JsonObject, Outcome } from '../../core/index.ts'
import type { Effect, IntentLookup } from '../../gate/index.ts'
import type { RunContext } from '../../run/index.ts'
import { wakeTime } from '../../vm/index.ts'
import type { CellHost, CellRequest } from '../../vm/index.ts'
import type { Drafts } from '../graphs/drafts.ts'
import { GraphCalls } from '../graphs/graph-calls.ts'
import type { CallRecord } from '../session/cell-result.ts'
import type { ReplPolicy } from '../session/policy.ts'
import { NO_CALLS } from '../session/session-state.ts'
import type { Counters } from '../session/session-state.ts'
import { CONTEXT_KIND, contextCall } from './context-call.ts'
import { itemsOf } from './call-input.ts'
import { notGranted } from './grants.ts'
import type { Grants } from './grants.ts'
import { mergedLabels } from './call-labels.ts'
import { modelQuery } from './model-query.ts'
import type { PlannedCall } from './planned-call.ts'
import { rlmQuery } from './rlm-query.ts'
import type { RlmParts } from './rlm-query.ts'
import { agentQuery, graphRun, plainTool, programRun, toolCall } from './run-calls.ts'

/** Dependencies and limits of the calls of a cell. */
interface CallParts extends Grants {
  readonly context: RunContext
  readonly policy: ReplPolicy
  readonly counters: Counters
  /** The default model of `model_query`. */
  readonly model?: string | undefined
  /** The agent that `rlm_query` starts. */
  readonly rlm?: string | undefined
  readonly drafts: Drafts
  /** The intents declared for the calls of the cell. */
  readonly intents: IntentLookup
  /** The application state, which tools read from `metadata.state` of their context. */
  readonly appState?: unknown
  /** Registers in this process a graph that was reviewed and registered in another one. */
  readonly restoreGraph: (graph: string) => Promise<void>
  /** The content that `context` reads when it is read in parts instead of being plain data. */
  readonly contextRef?: string | undefined
  /** What `show_vars` prints. */
  readonly variables: () => string
}

/** The fields of the policy that limit a kind of call. */
const LIMITS = {
  model: 'maxModelCalls',
  agent: 'maxAgentCalls',
  tool: 'maxToolCalls',
  graph: 'maxGraphCalls',
  definition: 'maxGraphDefinitions',
  context: 'maxContextCalls',
} as const

type Counted = keyof typeof LIMITS

type Read = (input: Json) => PlannedCall

/** Performs the calls of a cell, counts them against the policy and records their results. */
export class CellCalls implements CellHost {
  readonly records: CallRecord[] = []
  finalAnswer: string | undefined
  readonly #parts: CallParts
  readonly #counts: { -readonly [C in keyof Counters]: number }
  readonly #graphs: GraphCalls
  readonly #lines: string[] = []
  #given = 0

  constructor(parts: CallParts) {
    this.#parts = parts
    this.#counts = { ...NO_CALLS, ...parts.counters }
    this.#graphs = new GraphCalls(parts.drafts, parts.policy, parts)
  }

  get counters(): Counters {
    return { ...this.#counts }
  }

  get stdout(): string {
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`
  }

  /** Bytes of everything printed, answered and emitted so far. */
  get givenBytes(): number {
    return this.#given
  }

  now(): number {
    return this.#parts.context.now()
  }

  random(): number {
    return this.#parts.context.random()
  }

  print(_level: string, text: string): void {
    this.#give(utf8Bytes(text) + 1)
    this.#lines.push(text)
    this.#parts.context.emit('cell-output', { text })
  }

  /** Counts the output of the running cell and throws when it exceeds `maxOutputBytes`. */
  #give(bytes: number): void {
    const { maxOutputBytes } = this.#parts.policy
    if (this.#given + bytes > maxOutputBytes)
      throw new MandateError('LIMIT_EXCEEDED', outputLimit(maxOutputBytes), { info: { limit: 'maxOutputBytes' } })
    this.#given += bytes
  }

  call(name: string, args: readonly Json[]): Json | undefined {
    if (name === 'show_vars') this.print('log', this.#parts.variables())
    else if (name === 'answer') this.#answer(args)
    else this.#emit(args[0], args[1])
    return undefined
  }

  #answer([value, ...more]: readonly Json[]): void {
    if (more.length > 0)
      throw new MandateError('INPUT_INVALID', 'answer takes one value, unlike print: answer(`Total: ${total}`).')
    if (value === undefined)
      throw new MandateError('INPUT_INVALID', 'answer takes a text, or data that is given as JSON: answer(`…`).')
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    this.#give(utf8Bytes(text))
    this.finalAnswer = text
  }

  #emit(name: Json | undefined, data: Json | undefined): void {
    if (typeof name !== 'string')
      throw new MandateError('INPUT_INVALID', "emit takes a name: emit('progress', { done: 3 }).")
    const id = this.#nextId()
    const detail = data ?? null
    this.#give(utf8Bytes(name) + utf8Bytes(JSON.stringify(detail)))
    this.#add({ id, kind: 'emit', name, status: 'ok', detail, elapsedMs: 0 }, 'completed')
  }

  async perform(request: CellRequest): Promise<Outcome> {
    const { kind, name, input, labels } = request
    try {
      if (kind === 'timer') return await this.#wait(name, input)
      if (kind === CONTEXT_KIND)
        return await this.#one((given) => contextCall(name, given, this.#parts.contextRef), input, labels)
      if (kind === 'tool') return await this.#one((given) => this.#named(name, given), input, labels)
      const single = name.replace(/_batched$/, '')
      const read = this.#reader(single)
      return name === single ? await this.#one(read, input, labels) : await this.#batch(name, read, input, labels)
    } catch (error) {
      // The error of a graph function may contain names of drafts, so it carries their labels.
      const told = name.startsWith('graph_') ? this.#parts.drafts.labels : []
      return { ...refusal(error), ...(told.length === 0 ? {} : { labels: told }) }
    }
  }

  #reader(name: string): Read {
    if (name === 'model_query') return (input) => modelQuery(input, this.#parts.model)
    if (name === 'agent_query') return (input) => this.#granted(agentQuery(input))
    if (name === 'tool_call') return (input) => toolCall(input, (tool, given) => this.#named(tool, given))
    if (name === 'graph_run') return (input) => graphRun(input, this.#parts)
    if (name === 'rlm_query') return (input) => rlmQuery(input, this.#rlm())
    if (name.startsWith('graph_')) return (input) => this.#graphs.plan(name, input) ?? unknownFunction(name)
    return unknownFunction(name)
  }

  #rlm(): RlmParts {
    const { context, policy, model, rlm } = this.#parts
    return { agent: rlm, model, isDeepest: isTooDeep(context, policy), plainChars: policy.plainChars }
  }

  /** Plans a call of `tools.<name>`. Grants are checked on each call, because a variable may hold the function from an earlier cell that had more grants. */
  #named(name: string, input: Json): PlannedCall {
    return this.#parts.programs.has(name) ? programRun(name, input) : this.#granted(plainTool(name, input))
  }

  /** Throws if the cell is not granted the tool or agent of the call. */
  #granted(call: PlannedCall): PlannedCall {
    const { kind, name } = call
    const refused = notGranted(this.#parts, kind, name)
    if (refused === undefined) return call
    throw new MandateError(kind === 'tool' ? 'TOOL_UNKNOWN' : 'NOT_FOUND', refused)
  }

  #wait(name: string, input: Json): Promise<Outcome> {
    const { context } = this.#parts
    const until = wakeTime(name, name === 'sleep' ? { ms: input } : { time: input }, context.now())
    return context.perform({ kind: 'sleep', name, input: { until }, key: name, origin: 'cell' })
  }

  async #one(read: Read, input: Json, labels: EffectLabels | undefined): Promise<Outcome> {
    const planned = read(input)
    this.#count(planned)
    return this.#make(planned, this.#start(planned), this.#parts.context, labels)
  }

  /**
   * Performs a batched call. All items are parsed and counted before the first one runs, so a limit that rejects one rejects the whole batch. Each item has
   * its own result, in the order of the list.
   */
  async #batch(name: string, read: Read, input: Json, labels: EffectLabels | undefined): Promise<Outcome> {
    const { context, policy } = this.#parts
    const results: Json[] = []
    const plans = itemsOf(name, input).flatMap((item, index) => {
      const planned = readItem(read, item)
      results.push('error' in planned ? { ok: false, error: planned.error } : null)
      if ('error' in planned) return []
      this.#count(planned)
      return [{ planned, index }]
    })
    const started = plans.map(({ planned, index }) => ({ planned, index, id: this.#start(planned) }))
    let next = 0
    let fatal: Outcome | undefined
    // Every item carries the labels of the whole batch.
    const all = mergedLabels(labels)
    const told = new Set<string>()
    const work = async (): Promise<void> => {
      while (next < started.length && fatal === undefined) {
        const { planned, index, id } = started[next++]!
        const outcome = await context.task(name, (own) => this.#make(planned, id, own, all))
        if (outcome.status === 'failed' && outcome.fatal === true) fatal = outcome
        if (outcome.status === 'ok' || outcome.status === 'failed')
          for (const label of outcome.labels ?? []) told.add(label)
        results[index] =
          outcome.status === 'ok'
            ? { ok: true, value: outcome.value as Json }
            : { ok: false, error: { code: codeOf(outcome), message: describeFailure(outcome) } }
      }
    }
    await Promise.all(Array.from({ length: Math.min(policy.maxConcurrency, started.length) }, work))
    return fatal ?? { ...ok(results), ...(told.size === 0 ? {} : { labels: [...told].sort() }) }
  }

  async #make(
    planned: PlannedCall,
    id: string,
    context: RunContext,
    labels: EffectLabels | undefined,
  ): Promise<Outcome> {
    const began = context.now()
    const { policy } = this.#parts
    const outcome: Outcome =
      planned.isRun === true && isTooDeep(context, policy)
        ? { ...failed('LIMIT_EXCEEDED', depthLimit(policy.maxDepth), { limit: 'maxDepth' }), fatal: true }
        : await planned
            .perform((effect) => ask(context, this.#declared(planned, this.#withState(effect))), labels)
            .catch(refusal)
    const elapsedMs = context.now() - began
    const { kind, name } = planned
    if (outcome.status !== 'ok') {
      const detail = { error: { code: codeOf(outcome), message: describeFailure(outcome) } }
      this.#add({ id, kind, name, status: 'failed', detail, elapsedMs }, 'completed')
      return outcome
    }
    if (planned.defines === true) this.#counts.definition += 1
    this.#add({ id, kind, name, status: 'ok', detail: planned.detail(outcome.value as Json), elapsedMs }, 'completed')
    return outcome
  }

  #withState(effect: Effect): Effect {
    const { appState } = this.#parts
    if (appState === undefined || effect.kind !== 'tool') return effect
    return { ...effect, carry: { metadata: { state: appState } } }
  }

  /** Adds the declared intent to an effect: the one declared for the effect's name, or else for the function that the cell called. */
  #declared({ name, calledAs = name }: PlannedCall, effect: Effect): Effect {
    const { intents } = this.#parts
    const own = intents(effect.name)
    if (own.intent !== undefined) return { ...effect, ...own }
    const { intent, intentProblem } = intents(calledAs)
    if (intent !== undefined) return { ...effect, intent: { ...intent, toolName: effect.name } }
    return intentProblem === undefined ? effect : { ...effect, intentProblem }
  }

  #count({ kind, isUncounted, defines }: PlannedCall): void {
    if (defines === true) this.#checkLimit('definition')
    if (isUncounted === true) return
    const counted: Counted = kind === 'cell' ? 'agent' : kind === 'program' ? 'tool' : (kind as Counted)
    this.#checkLimit(counted)
    this.#counts[counted] += 1
  }

  #checkLimit(counted: Counted): void {
    const limit = LIMITS[counted]
    const allowed = this.#parts.policy[limit]
    if (this.#counts[counted] < allowed) return
    const what = counted === 'definition' ? 'definitions of graphs' : `${counted} calls`
    throw new MandateError('LIMIT_EXCEEDED', `The session has made ${allowed} ${what}: \`${limit}\` allows no more.`, {
      info: { limit, allowed },
    })
  }

  #nextId(): string {
    this.#counts.calls += 1
    return `call-${this.#counts.calls}`
  }

  #start({ kind, name }: PlannedCall): string {
    const id = this.#nextId()
    this.#tell({ id, kind, name, status: 'ok', detail: null, elapsedMs: 0 }, 'started')
    return id
  }

  #add(record: CallRecord, phase: 'completed'): void {
    this.records.push(record)
    this.#tell(record, phase)
  }

  #tell(record: CallRecord, phase: 'started' | 'completed'): void {
    this.#parts.context.emit('cell-call', { session: this.#parts.context.sessionId, phase, record })
  }
}

/** Parses one item of a batch. Returns an error as data if the item is invalid; limits still throw. */
function readItem(read: Read, item: Json): PlannedCall | { readonly error: JsonObject } {
  try {
    return read(item)
  } catch (error) {
    const { code, message } = errorInfo(error)
    if (code === 'LIMIT_EXCEEDED') throw error
    return { error: { code, message } }
  }
}

function outputLimit(allowed: number): string {
  return `The cell gives more than ${allowed} bytes of output: \`maxOutputBytes\`. Print less, or keep it in a variable.`
}

function depthLimit(allowed: number): string {
  return `Runs may stand ${allowed} deep in one another: \`maxDepth\`.`
}

/** Effect keys reserve `/` and `#`. */
function keyOf(name: string): string {
  return name.replaceAll(/[/#]/g, '_')
}

/** Whether a child run would exceed the maximum depth. */
function isTooDeep({ depth }: RunContext, { maxDepth }: ReplPolicy): boolean {
  return depth + 1 > maxDepth
}

function unknownFunction(name: string): never {
  throw new MandateError('NOT_FOUND', `There is no function ${name} in this session.`)
}

/** Performs an effect of a call. A limit of the whole run tree ends the cell; a limit that a child run exceeded on its own does not. */
async function ask(context: RunContext, effect: Effect): Promise<Outcome<Json>> {
  const outcome = await context.perform({ key: keyOf(effect.name), origin: 'cell', ...effect })
  if (outcome.status === 'denied' && outcome.code === 'LIMIT_EXCEEDED' && outcome.rule.startsWith('budget/'))
    return { ...failed('LIMIT_EXCEEDED', outcome.reason), fatal: true }
  if (outcome.status !== 'failed' || outcome.error.code !== 'LIMIT_EXCEEDED') return outcome
  const { child } = (outcome.error.info ?? {}) as { readonly child?: unknown }
  return child === undefined ? { ...outcome, fatal: true } : outcome
}

function refusal(error: unknown): Failed {
  const info = errorInfo(error)
  return { status: 'failed', error: info, ...(info.code === 'LIMIT_EXCEEDED' ? { fatal: true } : {}) }
}

function describeFailure(outcome: Exclude<Outcome, { status: 'ok' }>): string {
  return outcome.status === 'failed' ? outcome.error.message : describeOutcome(outcome)
}
