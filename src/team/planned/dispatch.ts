import { codeOf, describeOutcome, isRecord } from '../../core/index.ts'
import type { ErrorCode, Json, Outcome } from '../../core/index.ts'
import type { AgentOutput } from '../../agent/index.ts'
import { textOf } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { callMember } from '../member-call.ts'
import type { Task, TaskPatch } from '../tasks/task.ts'
import type { TaskGraph } from '../tasks/task-graph.ts'
import { verifyPrompt, workPrompt } from './prompts.ts'
import type { Scene } from './run-planned.ts'
import { TEAM_NOTE } from './team-event.ts'
import type { TeamEvent } from './team-event.ts'
import { readVerdict } from './verdict.ts'

/** Errors after which a task is retried. */
const RETRIED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TIMEOUT',
  'KILLED',
  'MODEL_FAILED',
  'MODEL_TIMEOUT',
  'MIND_FAILED',
  'NO_PROGRESS',
  'STEPS_EXHAUSTED',
  'OUTPUT_INVALID',
  'OUTPUT_TRUNCATED',
])

/** Why an attempt at a task failed. */
interface Setback {
  readonly code: ErrorCode
  readonly reason: string
}

/** Runs tasks on workers in parallel, as far as dependencies allow, until each is done or failed. */
export class Dispatch {
  readonly graph: TaskGraph
  /** Messages that people sent during the run. */
  readonly notes: string[] = []
  /** Error code of the last task that failed. */
  lastCode: ErrorCode = 'MIND_FAILED'
  readonly #scene: Scene
  #told = 0

  constructor(scene: Scene, graph: TaskGraph) {
    this.#scene = scene
    this.graph = graph
  }

  async run(): Promise<void> {
    const { settings } = this.#scene
    const running = new Map<string, Promise<unknown>>()
    for (;;) {
      await this.#hear()
      for (const task of this.graph.claimReady(settings.maxWorkers - running.size))
        running.set(
          task.id,
          this.#attempt(task).finally(() => running.delete(task.id)),
        )
      await this.#tell()
      if (running.size === 0) return
      await Promise.race(running.values())
    }
  }

  /** Makes one attempt at a task, in a strand of its own. */
  async #attempt(task: Task): Promise<void> {
    const { context } = this.#scene
    const setback = await context.task(`task:${task.id}`, (strand) => this.#work(strand, task))
    if (setback === undefined) this.graph.completeTask(task.id)
    else this.#setBack(task, setback)
    await this.#tell()
  }

  async #work(strand: RunContext, task: Task): Promise<Setback | undefined> {
    const { settings, goal, input } = this.#scene
    const { workers, verifier, workerTimeoutMs: timeoutMs, workerBudget: allot } = settings
    const refused = strand.step()
    if (refused !== undefined) return setbackOf(refused)
    const needed = task.blockedBy.flatMap((id) => this.graph.task(id) ?? [])
    const prompt = workPrompt({ goal, task, needed, notes: this.notes })
    const member = task.worker ?? workers[0]!
    const worked = await callMember(strand, { member, key: 'work', input: input(prompt), timeoutMs, allot })
    if (worked.status !== 'ok') return setbackOf(worked)
    this.graph.submitResult(task.id, answerIn(worked.value))
    await this.#tell()
    if (verifier === null) return undefined
    const question = input(verifyPrompt(goal, this.graph.task(task.id)!))
    const verified = await callMember(strand, { member: verifier, key: 'verify', input: question, timeoutMs })
    if (verified.status !== 'ok') return setbackOf(verified)
    const { approved, reason } = readVerdict(answerIn(verified.value))
    return approved ? undefined : { code: 'OUTPUT_INVALID', reason: `The verifier rejected it: ${reason}` }
  }

  /** Requeues a task, or fails it for good together with all tasks that need its result. */
  #setBack({ id, attempts }: Task, { code, reason }: Setback): void {
    const { graph } = this
    if (RETRIED.has(code) && attempts <= this.#scene.settings.maxRetries) {
      graph.rejectTask(id, reason)
      graph.requeueTask(id)
      return
    }
    this.lastCode = code
    graph.failTask(id, attempts === 1 ? reason : `After ${attempts} attempts: ${reason}`)
    graph.markBlockedTasksAsFailed()
  }

  /** Journals the events of the graph since the last call. */
  async #tell(): Promise<void> {
    const events = this.graph.events.slice(this.#told)
    this.#told += events.length
    await Promise.all(events.map((event) => this.#record({ type: 'tasks', ...event })))
  }

  #record(event: TeamEvent): Promise<unknown> {
    return this.#scene.context.record(TEAM_NOTE, () => event as unknown as Json)
  }

  /** Reads what was sent to the run: changes of the graph, and notes for workers. */
  async #hear(): Promise<void> {
    for (const said of this.#scene.context.steering()) {
      const change = readChange(said)
      if (typeof change === 'string') this.notes.push(change)
      else await this.#change(change)
    }
  }

  async #change({ patches, expectedVersion }: SentChange): Promise<void> {
    const { maxTasks, workers } = this.#scene.settings
    const added = patches.filter((patch) => isRecord(patch) && patch.op === 'add').length
    const lost = patches.map(workerOf).find((id) => id !== undefined && !workers.includes(id))
    if (added + this.graph.tasks.length > maxTasks)
      return void (await this.#record({ type: 'refused', problem: `The team may have ${maxTasks} tasks at most.` }))
    if (lost !== undefined)
      return void (await this.#record({ type: 'refused', problem: `There is no worker "${lost}" in this team.` }))
    const { status, ...rest } = this.graph.change(patches, expectedVersion ?? this.graph.version)
    if (status !== 'changed') await this.#record({ type: status, ...rest } as TeamEvent)
  }
}

interface SentChange {
  /** When absent, the change applies to the version at the time it is read. */
  readonly expectedVersion: number | undefined
  readonly patches: readonly TaskPatch[]
}

/** Parses what was sent: a change of the graph, or a note. */
function readChange(said: Json): SentChange | string {
  if (typeof said === 'string') return said
  if (isRecord(said) && Array.isArray(said['patches'])) {
    const { expectedVersion, patches } = said
    const version = expectedVersion === undefined ? undefined : Number(expectedVersion)
    return { expectedVersion: version, patches: patches as unknown as readonly TaskPatch[] }
  }
  return isRecord(said) && Array.isArray(said['content']) ? textOf(said as unknown as Message) : JSON.stringify(said)
}

function workerOf(patch: TaskPatch): string | undefined {
  if (!isRecord(patch)) return undefined
  if (patch.op === 'add') return patch.task?.worker
  return patch.op === 'update' ? patch.changes?.worker : undefined
}

function answerIn({ result, text }: AgentOutput): Json {
  return result ?? text
}

function setbackOf(outcome: Exclude<Outcome, { status: 'ok' }> | Outcome): Setback {
  if (outcome.status === 'ok') return { code: 'INTERNAL', reason: '' }
  return { code: codeOf(outcome), reason: describeOutcome(outcome) }
}
