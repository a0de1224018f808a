import { MandateError, frozenCopy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { NewTask, Task, TaskChange, TaskEvent, TaskMove, TaskPatch } from './task.ts'
import { applyMoves, isTerminal, patchProblem, taskProblem } from './task-rules.ts'

/**
 * A graph of tasks with dependencies. Every change makes a new version and an event. A change names the version that it is based on, and is a conflict if that
 * version is stale. The graph can be rebuilt from its events alone.
 *
 * @example
 * ```ts
 * import { TaskGraph } from 'mandate/team'
 * const plan = [{ id: 'read', description: 'Read the notes.' }, { id: 'write', description: 'Write.', blockedBy: ['read'] }]
 * const graph = new TaskGraph(plan)
 * graph.change([{ op: 'update', id: 'write', changes: { priority: 5 } }], graph.version)
 * const same = TaskGraph.replay(plan, graph.events)
 * console.log(same.version === graph.version)
 * ```
 */
export class TaskGraph {
  #tasks: ReadonlyMap<string, Task>
  #version = 0
  readonly #events: TaskEvent[] = []

  /** Throws when the tasks break a rule: at least one task, unique ids, known dependencies, no cycle. */
  constructor(tasks: readonly NewTask[]) {
    const problem = tasks.map(taskProblem).find((one) => one !== undefined)
    const applied = applyMoves(new Map(), problem === undefined ? tasks.map((task) => ({ op: 'add', task })) : [])
    if ('problem' in applied) throw new MandateError('INPUT_INVALID', problem ?? applied.problem)
    this.#tasks = applied.tasks
  }

  /** Rebuilds the graph from its events. Throws when an event is missing, or does not follow from those before it. */
  static replay(initial: readonly NewTask[], events: readonly TaskEvent[]): TaskGraph {
    const graph = new TaskGraph(initial)
    for (const { version, action, patches } of events) {
      const change = graph.#apply(action, patches, version - 1)
      if (change.status === 'changed') continue
      const why = change.status === 'conflict' ? `the graph has version ${change.version}` : change.problem
      throw new MandateError('INPUT_INVALID', `The event with version ${version} cannot be replayed: ${why}.`)
    }
    return graph
  }

  get version(): number {
    return this.#version
  }

  /** In insertion order. */
  get tasks(): readonly Task[] {
    return [...this.#tasks.values()]
  }

  get events(): readonly TaskEvent[] {
    return [...this.#events]
  }

  /** Whether every task is done or failed. */
  get isSettled(): boolean {
    return this.tasks.every(isTerminal)
  }

  task(id: string): Task | undefined {
    return this.#tasks.get(id)
  }

  /** Adds, updates and removes tasks that no worker has, atomically. */
  change(patches: readonly TaskPatch[], expectedVersion: number): TaskChange {
    const problem = patches.map(patchProblem).find((one) => one !== undefined)
    if (problem !== undefined) return { status: 'refused', problem }
    return this.#apply('patch', patches, expectedVersion)
  }

  /** Claims up to `limit` tasks whose dependencies are done: the highest priority first, then the oldest. */
  claimReady(limit: number = Number.POSITIVE_INFINITY): readonly Task[] {
    const isDone = (id: string): boolean => this.#tasks.get(id)?.status === 'done'
    const ready = this.tasks
      .filter(({ status, blockedBy }) => status === 'pending' && blockedBy.every(isDone))
      .toSorted((one, other) => other.priority - one.priority)
      .slice(0, limit)
    if (ready.length === 0) return []
    const moves = ready.map(({ id, attempts }) => move(id, { status: 'in_progress', attempts: attempts + 1 }))
    this.#apply('claim', moves, this.#version)
    return ready.map(({ id }) => this.#tasks.get(id)!)
  }

  /** Stores the result of a worker. The task stays in progress until it is completed, rejected or failed. */
  submitResult(id: string, result: Json): TaskChange {
    return this.#apply('submit', [move(id, { status: 'in_progress', result })], this.#version)
  }

  /** Marks a task as done: its result was accepted. */
  completeTask(id: string): TaskChange {
    return this.#apply('complete', [move(id, { status: 'done' })], this.#version)
  }

  /** Defers a task whose result was rejected. */
  rejectTask(id: string, reason: string): TaskChange {
    return this.#apply('reject', [move(id, { status: 'deferred', reason })], this.#version)
  }

  /** Makes a deferred task available again. */
  requeueTask(id: string): TaskChange {
    return this.#apply('requeue', [move(id, { status: 'pending' })], this.#version)
  }

  failTask(id: string, reason: string): TaskChange {
    return this.#apply('fail', [move(id, { status: 'failed', reason })], this.#version)
  }

  /** Fails all tasks that depend on a failed one, directly or indirectly. Returns their ids. */
  markBlockedTasksAsFailed(): readonly string[] {
    const lost = new Map(this.tasks.flatMap(({ id, status }) => (status === 'failed' ? [[id, id]] : [])))
    const moves: TaskMove[] = []
    for (let before = -1; before !== moves.length;) {
      before = moves.length
      for (const task of this.tasks) {
        const cause = isTerminal(task) || lost.has(task.id) ? undefined : task.blockedBy.find((id) => lost.has(id))
        if (cause === undefined) continue
        lost.set(task.id, cause)
        moves.push(move(task.id, { status: 'failed', reason: `It depends on "${cause}", which failed.` }))
      }
    }
    if (moves.length > 0) this.#apply('fail-blocked', moves, this.#version)
    return moves.map((one) => (one as { readonly id: string }).id)
  }

  #apply(action: TaskEvent['action'], patches: readonly TaskMove[], expectedVersion: number): TaskChange {
    if (expectedVersion !== this.#version) return { status: 'conflict', expectedVersion, version: this.#version }
    const applied = applyMoves(this.#tasks, patches)
    if ('problem' in applied) return { status: 'refused', problem: applied.problem }
    this.#tasks = applied.tasks
    this.#version += 1
    const event = frozenCopy({ version: this.#version, action, patches }) as TaskEvent
    this.#events.push(event)
    return { status: 'changed', version: this.#version, event }
  }
}

type Moved = Extract<TaskMove, { op: 'move' }>

function move(id: string, changes: Moved['changes']): Moved {
  return { op: 'move', id, changes }
}
