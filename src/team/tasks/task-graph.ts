import { MandateError, frozenCopy } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { NewTask, Task, TaskChange, TaskEvent, TaskMove, TaskPatch } from './task.ts'
import { applyMoves, isTerminal, patchProblem, taskProblem } from './task-rules.ts'

/**
 * Tasks that depend on each other. Every change makes a new version and an event; whoever changes it names the version they know, and gets a conflict
 * when that is not the last one. The events alone give the graph again.
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

  /** Throws when the tasks break a rule: at least one, ids of their own, known dependencies, none on itself, no circle. */
  constructor(tasks: readonly NewTask[]) {
    const problem = tasks.map(taskProblem).find((one) => one !== undefined)
    const applied = applyMoves(new Map(), problem === undefined ? tasks.map((task) => ({ op: 'add', task })) : [])
    if ('problem' in applied) throw new MandateError('INPUT_INVALID', problem ?? applied.problem)
    this.#tasks = applied.tasks
  }

  /** The graph that these events led to. Throws when an event is missing, or does not follow from those before it. */
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

  /** In the order in which they were added. */
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

  /** Adds, changes and removes tasks that no worker has, all of it or nothing. */
  change(patches: readonly TaskPatch[], expectedVersion: number): TaskChange {
    const problem = patches.map(patchProblem).find((one) => one !== undefined)
    if (problem !== undefined) return { status: 'refused', problem }
    return this.#apply('patch', patches, expectedVersion)
  }

  /** Takes up to so many tasks that nothing blocks: the highest priority first, then the oldest. */
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

  /** Keeps what a worker gave. The task stays in progress until it is completed, given back or failed. */
  submitResult(id: string, result: Json): TaskChange {
    return this.#apply('submit', [move(id, { status: 'in_progress', result })], this.#version)
  }

  /** The result is good. */
  completeTask(id: string): TaskChange {
    return this.#apply('complete', [move(id, { status: 'done' })], this.#version)
  }

  /** The result is not good: the task is put aside. */
  rejectTask(id: string, reason: string): TaskChange {
    return this.#apply('reject', [move(id, { status: 'deferred', reason })], this.#version)
  }

  /** A task that was put aside can be taken again. */
  requeueTask(id: string): TaskChange {
    return this.#apply('requeue', [move(id, { status: 'pending' })], this.#version)
  }

  failTask(id: string, reason: string): TaskChange {
    return this.#apply('fail', [move(id, { status: 'failed', reason })], this.#version)
  }

  /** Fails what depends on a failed task, and what depends on that. Gives the ids. */
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
