import { MandateError, checkCount, checkFields, checkId } from '../../core/index.ts'
import { errorInfo, newId, onAbort } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, Json, Label } from '../../core/index.ts'
import { isEnded, readStart } from '../../journal/index.ts'
import type { Identity, PendingItem } from '../../journal/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Kernel, RunOutcome } from '../../run/index.ts'
import { asContext, isContextLike } from '../context/context.ts'
import type { Context, ContextFacts } from '../context/context.ts'
import { cellChain } from '../mind/cell-chain.ts'
import { CELL_MIND_OPTIONS } from '../mind/cell-mind.ts'
import type { CellMind, CellMindOptions } from '../mind/cell-mind.ts'
import { cellsOf } from '../mind/register-cells.ts'
import type { NamedCells, SessionCapabilities } from '../mind/register-cells.ts'
import { stateAfter } from '../mind/stored-variables.ts'
import { observation } from '../driver/observation.ts'
import { toolSignatures } from '../driver/tool-signatures.ts'
import type { CellError, CellResult, PendingCall } from './cell-result.ts'
import { NO_RESULT, cellRunId, endOf, errorOf, outputOf, erasedSession, usedElsewhere } from './cell-runs.ts'
import { readPolicy } from './policy.ts'
import type { ReplPolicy } from './policy.ts'
import { SessionBudget } from './session-budget.ts'
import { SessionInputs } from './session-inputs.ts'
import type { CellInput, CellOutput } from './session-state.ts'

/** Options of a session. */
export interface ReplOptions extends Omit<CellMindOptions, 'script' | 'policy'> {
  /** Id of the session to continue or create; a new id when absent. */
  readonly sessionId?: string | undefined
  /** The name under which its cells are registered with the service; `cells` when absent. */
  readonly name?: string | undefined
  readonly policy?: Partial<ReplPolicy> | undefined
  /** Budget of all cells of the session together, also after a restart. `depth` and `memory` apply to each cell separately. */
  readonly budget?: BudgetLimits | undefined
  readonly identity?: Identity | undefined
  /** Application state, which tools read from `metadata.state` of their context. Cells cannot read it. */
  readonly appState?: unknown
  /**
   * The content of `context`: data, or a large input that is read in parts (`contextOf`). In a new process, such an input must be passed again with the same
   * content.
   */
  readonly context?: Json | Context | ContextSource | undefined
  /** The content of `state`. */
  readonly state?: Json | undefined
}

const { script: _script, policy: _policy, ...CAPABILITIES } = CELL_MIND_OPTIONS

const OPTIONS: FieldNames<ReplOptions> = {
  ...CAPABILITIES,
  sessionId: true,
  name: 'text',
  policy: 'object',
  budget: 'object',
  identity: 'object',
  appState: true,
  context: true,
  state: true,
}

interface EvalCellOptions {
  /** Labels of the source, if it has any. Everything that the cell does carries these labels. */
  readonly labels?: readonly Label[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** An evaluated cell. */
interface EvaluatedCell {
  /** The run of the cell. Pass it to `fork`. */
  readonly run: string
  readonly cell: number
  readonly source: string
  readonly isFailed: boolean
}

/** Access of the host to the variables of a session. */
interface ReplVariables {
  /** Returns the value as data. A value that is not data is returned as text. */
  get(name: string): Promise<Json | undefined>
  /** Sets a variable, from the next cell on. */
  set(name: string, value: Json, options?: { readonly labels?: readonly Label[] }): void
  names(): Promise<readonly string[]>
}

/**
 * A session of cells: scripts evaluated one after another over variables that persist. Every effect of a cell passes the gate; every cell is a run with its
 * own journal.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { ReplSession } from 'mandate/repl'
 * const service = new AgentService()
 * const session = await ReplSession.open(service)
 * await session.evalCell('let total = 40')
 * const { value } = await session.evalCell('total += 2')
 * console.log(value) // 42
 * await service.stop()
 * ```
 */
export class ReplSession {
  readonly id: string
  readonly name: string
  readonly variables: ReplVariables
  readonly #parts: SessionParts
  readonly #kernel: Kernel
  readonly #identity: Identity | undefined
  readonly #budget: SessionBudget
  #policy: ReplPolicy
  #head: string | undefined
  #place = 0
  #open: { readonly run: string; readonly cell: number } | undefined
  #running: { readonly runId: string; readonly settled: Promise<void> } | undefined
  #isClosed = false
  #closed: { readonly mind: CellMind; readonly given: SessionCapabilities } | undefined
  #isOpening = false
  readonly #inputs: SessionInputs

  private constructor(parts: SessionParts) {
    this.#parts = parts
    this.id = parts.id
    this.name = parts.cells.name
    this.#kernel = parts.kernel
    this.#policy = parts.policy
    this.#inputs = new SessionInputs(parts.kernel, parts.id)
    this.#identity = parts.options.identity
    this.#budget = new SessionBudget(parts.options.budget)
    this.variables = {
      get: (name) => this.#get(name),
      set: (name, value, options) => this.#inputs.setVariable(name, value, options?.labels),
      names: async () => (await this.#cells())?.names ?? [],
    }
  }

  /** Opens a session: a new one, or one whose cells are in the store, regardless of the process that evaluated them. */
  static async open(host: object, options: ReplOptions = {}): Promise<ReplSession> {
    checkFields(options, 'an option of `ReplSession.open`', OPTIONS)
    const kernel = kernelOf(host)
    const { sessionId, name = 'cells', policy, context, state, mandate, tools, model, models, rlm, labels } = options
    const id =
      sessionId === undefined ? newId('session', kernel.clock, kernel.random) : checkId(sessionId, 'The session id')
    const cells = cellsOf(host, name)
    const parts = { id, kernel, cells, options, policy: readPolicy(policy) }
    cells.give(id, { mandate, tools, model, models, rlm, labels })
    const session = new ReplSession(parts)
    if (options.appState !== undefined) session.setAppState(options.appState)
    if (sessionId !== undefined) await session.#find()
    if (isContextLike(context)) await session.#inputs.attach(asContext(context), session.#head)
    else if (context !== undefined) session.setContext(context)
    if (state !== undefined) session.setState(state)
    return session
  }

  get policy(): ReplPolicy {
    return this.#policy
  }

  /** Changes the policy from the next cell on. Counts are kept. */
  setPolicy(policy: Partial<ReplPolicy>): void {
    this.#policy = readPolicy(policy, this.#policy)
  }

  /** Changes the capabilities of this session from the next cell on. Others are kept, as are variables, counts and drafts. */
  setCapabilities(capabilities: SessionCapabilities): void {
    checkFields(capabilities, 'a capability of cells', CAPABILITIES)
    this.#parts.cells.give(this.id, capabilities)
  }

  get #mind(): CellMind {
    return this.#closed?.mind ?? this.#parts.cells.mindOf(this.id)!
  }

  /** Leaves everything that is kept for a closed session to this object, which can still be read and forked. */
  #release(): void {
    const { cells } = this.#parts
    this.#closed = { mind: this.#mind, given: cells.givenTo(this.id) }
    cells.forget(this.id)
    this.#inputs.release()
  }

  /** Sets the application state, which tools read from `metadata.state` of their context. */
  setAppState(state: unknown): void {
    this.#parts.cells.appStates.set(this.id, state)
  }

  get appState(): unknown {
    return this.#parts.cells.appStates.get(this.id)
  }

  /** Returns the tools of cells as typed function signatures, for the prompt of a model that writes cells. */
  describe(): string {
    const tools = [...this.#mind.tools().values()]
    return toolSignatures(tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })))
  }

  /** Formats a result for a model, shortened to `shownChars` of the policy. */
  shown(result: CellResult): string {
    return observation(result, this.#policy.shownChars)
  }

  /** Sets `context` from the next cell on: data, or a large input that is read in parts and has its own labels. */
  setContext(value: Json | Context | ContextSource, options: { readonly labels?: readonly Label[] } = {}): void {
    this.#inputs.setContext(value, options.labels)
  }

  /** The recorded facts about the large input that is the `context` of the session, whether or not this process has opened it; undefined without one. */
  async contextFacts(): Promise<ContextFacts | undefined> {
    return this.#inputs.factsAfter(this.#head)
  }

  /** Sets `state` from the next cell on. */
  setState(value: Json, options: { readonly labels?: readonly Label[] } = {}): void {
    this.#inputs.setSlot('state', value, options.labels)
  }

  /** Sets `messages` from the next cell on. */
  setMessages(value: Json, options: { readonly labels?: readonly Label[] } = {}): void {
    this.#inputs.setSlot('messages', value, options.labels)
  }

  /**
   * Evaluates a cell. Errors are part of the result, along with everything produced before them. A cell that waits for a person has the status `waiting`: no
   * other cell is evaluated until it ends.
   */
  async evalCell(source: string, options: EvalCellOptions = {}): Promise<CellResult> {
    checkFields(options, 'an option of `evalCell`', { signal: true, labels: true })
    if (typeof source !== 'string') throw new MandateError('INPUT_INVALID', 'A cell is a text.')
    return this.#begin({ source }, options)
  }

  /** Whether a cell has started and not ended, because it waits for a person or was interrupted by a crash. `resume` continues it. */
  get isWaiting(): boolean {
    return this.#open !== undefined
  }

  /** Continues a cell that was suspended or interrupted by a crash. Completed effects are not repeated. */
  async resume(): Promise<CellResult> {
    const open = this.#open
    if (open === undefined) throw new MandateError('RUN_STATE', 'No cell of this session is waiting.')
    const began = this.#kernel.clock.now()
    return this.#settle(open, await this.#kernel.resume(open.run), began)
  }

  /** Cancels the running or waiting cell. The session remains open. */
  async cancel(reason = 'cancelled'): Promise<void> {
    if (this.#running !== undefined) return this.#kernel.cancel(this.#running.runId, reason)
    const open = this.#open
    if (open === undefined) return
    await this.#kernel.cancel(open.run, reason)
    await this.resume()
  }

  /** Whether the session was closed. A closed session can still be read and forked. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Closes the session permanently, also after a restart: cancels a running or waiting cell and rejects further ones. The journals are kept. */
  async close(): Promise<void> {
    while (this.#running !== undefined || this.#open !== undefined) {
      const running = this.#running
      await this.cancel('the session was closed')
      await running?.settled
    }
    if (this.#isClosed) return
    if (this.#place > 0) await this.#begin({ source: '', op: 'close' })
    this.#isClosed = true
    this.#release()
  }

  /** Returns the evaluated cells that were not undone, oldest first. */
  async cells(): Promise<readonly EvaluatedCell[]> {
    const found: EvaluatedCell[] = []
    if (this.#head === undefined) return found
    for await (const { run, cell, source, output } of cellChain(this.#kernel.journal, this.#head))
      found.push({ run, cell, source, isFailed: output.error !== undefined })
    return found.toReversed()
  }

  /**
   * Restores the variables to their values before the last cells. The undo is recorded, so it persists after a restart. External effects of the cells,
   * their counts, and what the host has set (`context`, `state`, `messages`) are not undone.
   */
  async undo(cells = 1): Promise<void> {
    checkCount(cells, 'The number of cells to undo', 1)
    const all = (await this.cells()).toReversed()
    if (cells > all.length)
      throw new MandateError('INPUT_INVALID', `Session "${this.id}" has ${all.length} cells that can be undone.`)
    await this.#begin({ source: '', op: 'undo', from: all[cells]?.run ?? null, slotsFrom: this.#head! })
  }

  /** Creates a session that starts with the variables after a cell: the last one, or the cell of the given run. */
  async fork(
    options: { readonly at?: string | undefined; readonly sessionId?: string | undefined } = {},
  ): Promise<ReplSession> {
    checkFields(options, 'an option of `fork`', { at: true, sessionId: true })
    const { at = this.#head, sessionId } = options
    const kernel = this.#kernel
    const id =
      sessionId === undefined ? newId('session', kernel.clock, kernel.random) : checkId(sessionId, 'The session id')
    const { cells } = this.#parts
    const fork = new ReplSession({ ...this.#parts, id, policy: this.#policy })
    await fork.#find()
    if (fork.#place > 0) throw new MandateError('DUPLICATE', `There is a session "${id}" already. Fork to another id.`)
    if (options.at !== undefined) await this.#checkCell(options.at)
    fork.#head = at
    // Values set by the host since the last cell do not belong to an earlier cell.
    if (options.at === undefined) fork.#inputs.takeFrom(this.#inputs)
    cells.give(id, this.#closed?.given ?? cells.givenTo(this.id))
    this.#inputs.shareContext(id)
    const { spent } = this.#budget
    fork.#budget.add(spent)
    if (at !== undefined) await fork.#begin({ source: '', op: 'fork', ...(this.#budget.isLimited ? { spent } : {}) })
    return fork
  }

  /** Throws unless the run is a cell that has ended. */
  async #checkCell(run: string): Promise<void> {
    const start = await readStart(this.#kernel.journal, run)
    if (start?.mind !== 'cell')
      throw new MandateError('NOT_FOUND', `There is no cell of run "${run}". \`cells()\` lists those of the session.`)
    await stateAfter(this.#kernel.journal, run)
  }

  async #begin(cell: CellInput, { signal, labels }: EvalCellOptions = {}): Promise<CellResult> {
    this.#checkFree()
    // Opened after the cell has started, so that `cancel()` directly after `evalCell()` finds the cell.
    if (this.#inputs.hasNewContext) {
      this.#isOpening = true
      try {
        await this.#inputs.openContext()
      } finally {
        this.#isOpening = false
      }
    }
    const began = this.#kernel.clock.now()
    const place = this.#place + 1
    const set = this.#inputs.changes
    const input = {
      ...cell,
      ...(this.#head === undefined ? {} : { base: this.#head }),
      place,
      policy: { ...this.#policy },
      ...(Object.keys(set).length === 0 ? {} : { set }),
    } as unknown as Json
    const handle = this.#kernel.begin({
      kind: 'cell',
      name: this.name,
      input,
      runId: cellRunId(this.name, this.id, place),
      sessionId: this.id,
      budget: this.#budget.left(),
      identity: this.#identity,
      labels,
    })
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    this.#running = { runId: handle.runId, settled }
    const over = onAbort(signal, () => handle.abort('aborted by the caller'))
    try {
      const outcome = await handle.outcome.catch((error: unknown) => {
        throw errorInfo(error).code === 'DUPLICATE' ? usedElsewhere(this.id, handle.runId) : error
      })
      this.#inputs.clear()
      this.#place = place
      return await this.#settle({ run: handle.runId, cell: place }, outcome, began)
    } finally {
      this.#running = undefined
      over()
      settle()
    }
  }

  #checkFree(): void {
    if (this.#isClosed)
      throw new MandateError('RUN_STATE', `Session "${this.id}" was closed. Fork it, or open another one.`)
    if (this.#running !== undefined || this.#isOpening)
      throw new MandateError('RUN_STATE', `Session "${this.id}" is evaluating a cell. One cell is evaluated at a time.`)
    if (this.#open !== undefined)
      throw new MandateError(
        'RUN_STATE',
        `A cell of session "${this.id}" waits (run "${this.#open.run}"). Answer what it waits for and call \`resume()\`, or \`cancel()\` it.`,
      )
  }

  async #settle(
    cell: { readonly run: string; readonly cell: number },
    outcome: RunOutcome,
    began: number,
  ): Promise<CellResult> {
    const elapsedMs = this.#kernel.clock.now() - began
    if (outcome.state === 'suspended') {
      this.#open = cell
      const pending = await this.#pending(outcome.pending)
      return { ...NO_RESULT, ...cell, status: 'waiting', pending, elapsedMs }
    }
    this.#open = undefined
    if (this.#budget.isLimited) this.#budget.count((await endOf(this.#kernel.journal, cell.run))!)
    const output = outputOf(outcome.output)
    if (output?.session !== undefined) this.#head = cell.run
    const { session: _session, error, ...given } = output ?? ({} as Partial<CellOutput>)
    const told = errorOf(outcome, error as CellError | undefined, this.#policy)
    return {
      ...NO_RESULT,
      ...given,
      ...cell,
      status: outcome.state,
      ...(told === undefined ? {} : { error: this.#budget.explain(told) }),
      ...(outcome.labels === undefined ? {} : { labels: outcome.labels }),
      elapsedMs,
    }
  }

  async #pending(items: readonly PendingItem[]): Promise<readonly PendingCall[]> {
    const found = await Promise.all(
      items.flatMap(({ run }) => (run === undefined ? [] : [this.#kernel.approvals(run)])),
    )
    const requests = new Map(found.flat().map((request) => [request.id, request]))
    return items.map((item) => {
      const request = item.approvalId === undefined ? undefined : requests.get(item.approvalId)
      if (request === undefined) return item
      const { text, input, name } = request
      return { ...item, text, name, input }
    })
  }

  /** Loads the state of a stored session. */
  async #find(): Promise<void> {
    const runs = await this.#kernel.journal.list({ sessionId: this.id, parent: null, name: this.name })
    const cells = runs.filter(({ mind }) => mind === 'cell')
    if (cells[0]?.erased === true) throw erasedSession(this.id)
    for (const { run, state } of cells) {
      const start = await readStart(this.#kernel.journal, run)
      // A fork of a cell has its session and place, and is a run of its own.
      if (start?.forkOf !== undefined) continue
      const { place = 0, base, set, spent, op } = (start?.input ?? {}) as Partial<CellInput>
      this.#isClosed ||= op === 'close' && state === 'completed'
      const end = isEnded(state) ? await endOf(this.#kernel.journal, run) : undefined
      if (spent !== undefined) this.#budget.add(spent)
      if (end !== undefined) this.#budget.count(end)
      if (place <= this.#place) continue
      this.#place = place
      this.#open = isEnded(state) ? undefined : { run, cell: place }
      this.#inputs.openFacts = isEnded(state) ? undefined : set?.contextFacts
      this.#head = outputOf(end?.output ?? null)?.session === undefined ? base : run
    }
  }

  async #cells(): Promise<Awaited<ReturnType<CellMind['read']>> | undefined> {
    return this.#head === undefined ? undefined : this.#mind.read(this.#head)
  }

  async #get(name: string): Promise<Json | undefined> {
    const set = this.#inputs.changes.variables
    if (set !== undefined && Object.hasOwn(set, name)) return set[name]
    return (await this.#cells())?.get(name)
  }
}

interface SessionParts {
  readonly id: string
  readonly kernel: Kernel
  readonly cells: NamedCells
  readonly options: ReplOptions
  readonly policy: ReplPolicy
}
