import { canonical, failed, frozenCopy, newId } from '../../core/index.ts'
import { inScope, redactJson } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { Json, Label, Outcome } from '../../core/index.ts'
import { describeLimit } from '../../gate/index.ts'
import type { Effect, LimitHit } from '../../gate/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { listenForEnd } from './end-listeners.ts'
import { findTool } from '../kernel/registry.ts'
import { budgetView } from './budget-view.ts'
import { fuelTap } from './fuel.ts'
import type { RecordOptions, RunContext } from './mind.ts'
import { checkEffect, perform } from '../effect/perform.ts'
import { REFUSED_STEP_NOTE } from '../lifecycle/prior-interruptions.ts'
import { countSteps } from './step-count.ts'
import { inTime } from './strategy-time.ts'
import type { Task } from './task.ts'
import { diverge } from './divergence.ts'
import { recordDecision } from './record-decision.ts'

/** The context of one task of a run. Its functions are own properties, because minds destructure it. */
export class TaskContext implements RunContext {
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  readonly depth: number
  readonly identity: RunContext['identity']
  readonly signal: AbortSignal
  readonly pins: Json
  readonly resources: RunContext['resources']
  readonly admit: RunContext['admit']
  readonly perform: RunContext['perform']
  readonly task: RunContext['task']
  readonly record: RunContext['record']
  readonly isRecorded: RunContext['isRecorded']
  readonly inTime: RunContext['inTime']
  readonly stored: RunContext['stored']
  readonly append: RunContext['append']
  readonly steering: RunContext['steering']
  readonly step: RunContext['step']
  readonly now: RunContext['now']
  readonly random: RunContext['random']
  readonly newId: RunContext['newId']
  readonly emit: RunContext['emit']
  readonly #run: ActiveRun

  constructor(run: ActiveRun, task: Task) {
    this.#run = run
    this.runId = run.id
    this.sessionId = run.start.sessionId
    this.agentId = run.start.name
    this.depth = run.start.depth
    this.identity = run.start.identity
    this.signal = run.signal
    this.pins = run.start.pins
    this.resources = run.resources
    // Assigned through constants: V8 allocates closures that are assigned directly to properties in the old generation, where they would be kept for
    // the whole run.
    const admit: RunContext['admit'] = (labels) => run.shown.add(labels)
    const ask = <R>(effect: Effect): Promise<Outcome<R>> => performChecked(run, task, effect) as Promise<Outcome<R>>
    const open: RunContext['task'] = (name, work) => work(new TaskContext(run, task.child(name)))
    const recordOne: RunContext['record'] = (name, decide, options) => record(run, task, { name, decide, options })
    const appendOne: RunContext['append'] = (message) =>
      task.isClosed ? undefined : append(run, task.key('message'), message)
    const hear: RunContext['steering'] = () => steering(run, task.key('steer'))
    const count: RunContext['step'] = () => step(run, task)
    const now: RunContext['now'] = () => run.delivery.now
    const random: RunContext['random'] = () => task.random.next()
    const name: RunContext['newId'] = (prefix) => newId(prefix, { ...run.host.clock, now }, task.random)
    const emit: RunContext['emit'] = (type, data, key) =>
      run.delivery.replaying || run.isReplay ? undefined : run.emit(type, data, key)
    this.admit = admit
    this.perform = ask
    this.task = open
    this.record = recordOne
    this.isRecorded = (what) => run.fold.notes.has(task.peek(what))
    this.inTime = (what, work) => (run.isReplay ? work : inTime(run, what, work))
    this.stored = () => stored(run)
    this.append = appendOne
    this.steering = hear
    this.step = count
    this.now = now
    this.random = random
    this.newId = name
    this.emit = emit
  }

  get fuel(): RunContext['fuel'] {
    return fuelTap(this.#run)
  }

  get budget(): RunContext['budget'] {
    return budgetView(this.#run.budget)
  }

  get labels(): readonly Label[] {
    return this.#run.shown.all
  }

  onDrop(stop: () => void): void {
    this.#run.onClose(stop)
  }

  onEnd(told: Parameters<RunContext['onEnd']>[0]): void {
    listenForEnd(this.#run, told)
  }
}

function performChecked(run: ActiveRun, task: Task, effect: Effect): Promise<Outcome<Json>> {
  try {
    checkEffect(effect)
    return perform(run, task, effect.kind === 'tool' ? standIn(run, effect) : effect)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Turns a tool call that is really a question or a wait into one. If the tool refuses the input, the call stays a call, and the gate refuses it. */
function standIn(run: ActiveRun, effect: Effect): Effect {
  const tool = findTool(run.resources, run.host.registry, effect.name)
  if (tool?.standsFor === undefined) return effect
  const checked = tool.validate(effect.input)
  if (checked instanceof Promise || !checked.valid) return effect
  return { ...effect, ...tool.standsFor(checked.value, run.delivery.now) }
}

function record<T extends Json | void>(run: ActiveRun, task: Task, asked: Deciding<T>): Promise<T> {
  if (run.ended || task.isClosed) return new Promise(() => {})
  const { name, decide, options } = asked
  const child = task.child(name)
  run.asked.add(child.path)
  const strategy = { name, decide: () => decide(new TaskContext(run, child)), options }
  return recordDecision<T>(run, child, strategy)
}

interface Deciding<T> {
  readonly name: string
  readonly decide: (context: RunContext) => T | Promise<T>
  readonly options: RecordOptions | undefined
}

/** Waits until everything is stored. Failures of the store end the segment elsewhere. */
async function stored(run: ActiveRun): Promise<void> {
  if (!run.isReplay && !run.delivery.replaying && !run.ended) await run.writer.flush().catch(() => {})
}

/** The redactor of a message that was recorded earlier, without what the run has learned since. */
function recordedBy({ vault, host, start }: ActiveRun): Redactor {
  return vault?.recorded ?? inScope(host.redactor, start.sessionId)
}

function append(run: ActiveRun, key: string, message: Json): void {
  const known = run.fold.messages.get(key)
  const said = (): string => canonical(redactJson(message, recordedBy(run)))
  run.asked.add(key)
  if (known !== undefined) {
    const before = canonical(known.message)
    if (before !== said()) diverge(run, key, before, said())
  } else if (run.isReplay) run.onExtra(key, said())
  else if (!run.ended) {
    const data = { message: frozenCopy(message) }
    run.pendingEntries.hold(() => void run.writer.add('message-append', key, data))
  }
}

/** The steering messages of a turn: a recorded turn gets its recorded ones, only a new turn takes those that have arrived since. */
function steering(run: ActiveRun, key: string): readonly Json[] {
  const known = run.fold.messages.get(key)
  run.asked.add(key)
  if (known !== undefined) return known.message as readonly Json[]
  if (run.isReplay || run.delivery.replaying || run.steers.length === 0 || run.ended) return []
  const taken = run.steers.splice(0)
  const entry = run.writer.add(
    'message-append',
    key,
    { message: taken.map(({ message }) => message) },
    taken.map(({ id }) => id),
  )
  return entry.data.message as readonly Json[]
}

/** Counts a step. A re-executed step has its recorded result, regardless of what parallel runs have counted since. */
function step(run: ActiveRun, task: Task): Outcome | undefined {
  const key = task.key('#step')
  const refused = run.prior.refusedSteps.get(key) ?? overSteps(run)
  if (refused !== undefined) {
    if (!run.prior.refusedSteps.has(key) && !run.ended) {
      const data = { name: REFUSED_STEP_NOTE, value: { key, hit: refused } as unknown as Json }
      run.pendingEntries.hold(() => void run.writer.add('note', undefined, data))
    }
    return failed('LIMIT_EXCEEDED', describeLimit(refused), refused)
  }
  countSteps(run, task, 1)
  return undefined
}

/** The limit that forbids another step. Time is left out, because it is checked for the next effect anyway. */
function overSteps(run: ActiveRun): LimitHit | undefined {
  if (run.isReplay || run.delivery.replaying || run.steps < run.stepsCounted) return undefined
  const hit = run.budget.check({ steps: 1 })
  return hit?.unit === 'steps' ? hit : undefined
}
