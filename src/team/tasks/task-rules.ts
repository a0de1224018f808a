import { checkFields, isRecord, nameProblem } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { NewTask, Task, TaskChanges, TaskMove, TaskStatus } from './task.ts'

/** The allowed status transitions. Done and failed are final. */
const NEXT: { readonly [S in TaskStatus]: readonly TaskStatus[] } = {
  pending: ['in_progress', 'failed'],
  in_progress: ['in_progress', 'done', 'failed', 'deferred'],
  deferred: ['pending', 'failed'],
  done: [],
  failed: [],
}

const NEW_TASK: FieldNames<NewTask> = {
  id: true,
  description: true,
  worker: true,
  blockedBy: true,
  priority: true,
}
const CHANGES: FieldNames<TaskChanges> = { description: true, worker: true, blockedBy: true, priority: true }

type Tasks = ReadonlyMap<string, Task>

/** Whether the status of a task is final. */
export function isTerminal({ status }: Task): boolean {
  return NEXT[status].length === 0
}

/** Returns the tasks after some changes, or the rule that these would break. */
export function applyMoves(tasks: Tasks, moves: readonly TaskMove[]): { readonly tasks: Tasks } | { problem: string } {
  const next = new Map(tasks)
  for (const move of moves) {
    const problem = applyMove(next, move)
    if (problem !== undefined) return { problem }
  }
  const problem = brokenRule(next)
  return problem === undefined ? { tasks: next } : { problem }
}

function applyMove(tasks: Map<string, Task>, move: TaskMove): string | undefined {
  if (move.op === 'add') return addTask(tasks, move.task)
  const task = tasks.get(move.id)
  if (task === undefined) return `There is no task "${move.id}".`
  if (move.op === 'move') return moveTask(tasks, task, move.changes)
  if (task.status !== 'pending' && task.status !== 'deferred')
    return `Task "${task.id}" is ${task.status}: it can no longer be changed or removed.`
  if (move.op === 'update') {
    tasks.set(task.id, { ...task, ...move.changes })
    return undefined
  }
  const dependent = [...tasks.values()].find(({ blockedBy }) => blockedBy.includes(task.id))
  if (dependent !== undefined) return `Task "${task.id}" cannot be removed: "${dependent.id}" depends on it.`
  tasks.delete(task.id)
  return undefined
}

function addTask(tasks: Map<string, Task>, task: NewTask): string | undefined {
  if (tasks.has(task.id)) return `There are two tasks "${task.id}". Give each its own id.`
  tasks.set(task.id, { blockedBy: [], priority: 0, ...task, status: 'pending', attempts: 0 })
  return undefined
}

function moveTask(tasks: Map<string, Task>, task: Task, changes: Partial<Task>): string | undefined {
  const to = changes.status ?? task.status
  if (!NEXT[task.status].includes(to)) return `Task "${task.id}" is ${task.status} and cannot become ${to}.`
  const next = { ...task, ...changes }
  if (to === 'done' && next.result === undefined) return `Task "${task.id}" has no result: it cannot be done.`
  tasks.set(task.id, next)
  return undefined
}

/** Returns the first rule that is violated. */
function brokenRule(tasks: Tasks): string | undefined {
  if (tasks.size === 0) return 'There is no task. A graph has at least one.'
  for (const { id, blockedBy } of tasks.values()) {
    if (blockedBy.includes(id)) return `Task "${id}" depends on itself.`
    const unknown = blockedBy.find((other) => !tasks.has(other))
    if (unknown !== undefined) return `Task "${id}" depends on "${unknown}", which there is not.`
  }
  const cycle = cycleIn(tasks)
  return cycle === undefined ? undefined : `Tasks depend on each other in a circle: ${cycle.join(' → ')}.`
}

/** Returns a cycle, if there is one: removes tasks without remaining dependencies; what remains is in a cycle, or depends on one. */
function cycleIn(tasks: Tasks): readonly string[] | undefined {
  const left = new Map([...tasks].map(([id, { blockedBy }]) => [id, blockedBy]))
  for (let before = -1; before !== left.size;) {
    before = left.size
    for (const [id, blockedBy] of left) if (!blockedBy.some((other) => left.has(other))) left.delete(id)
  }
  const [first] = left.keys()
  if (first === undefined) return undefined
  const path = [first]
  for (;;) {
    const next = left.get(path.at(-1)!)!.find((other) => left.has(other))!
    const seen = path.indexOf(next)
    path.push(next)
    if (seen >= 0) return path.slice(seen)
  }
}

/** Returns what is wrong with a patch from outside, written by a model or a person. */
export function patchProblem(patch: unknown): string | undefined {
  if (!isRecord(patch)) return 'A patch is an object with an `op`: add, update or remove.'
  const { op } = patch as { readonly op?: unknown }
  if (op === 'add') return taskProblem((patch as { readonly task?: unknown }).task)
  if (op !== 'update' && op !== 'remove')
    return `The \`op\` of a patch is ${shown(op)}. Use one of: add, update, remove.`
  const { id, changes } = patch as { readonly id?: unknown; readonly changes?: unknown }
  if (typeof id !== 'string') return `A patch with \`op: "${op}"\` needs the \`id\` of a task.`
  return op === 'remove' ? undefined : fieldsProblem(changes, 'a field of a task that can be changed', CHANGES)
}

/** Returns what is wrong with a task from outside. */
export function taskProblem(task: unknown): string | undefined {
  const problem = fieldsProblem(task, 'a field of a task', NEW_TASK)
  if (problem !== undefined) return problem
  const { id, description } = task as { readonly id?: unknown; readonly description?: unknown }
  if (nameProblem(id) !== undefined) return `The \`id\` of a task ${nameProblem(id)!}.`
  return typeof description === 'string' && description.trim() !== ''
    ? undefined
    : `Task "${id as string}" has no \`description\`.`
}

function fieldsProblem(given: unknown, what: string, names: object): string | undefined {
  if (!isRecord(given))
    return `An object with ${Object.keys(names).join(', ')} is needed where there is ${shown(given)}.`
  try {
    checkFields(given, what, names as Readonly<Record<string, unknown>>)
  } catch (error) {
    return (error as Error).message
  }
  const { description, worker, blockedBy, priority } = given as { readonly [name: string]: unknown }
  if (description !== undefined && typeof description !== 'string') return '`description` of a task must be a text.'
  if (worker !== undefined && typeof worker !== 'string') return '`worker` of a task must be the id of a worker.'
  if (priority !== undefined && !Number.isFinite(priority)) return '`priority` of a task must be a number.'
  const isList = Array.isArray(blockedBy) && blockedBy.every((one) => typeof one === 'string')
  return blockedBy === undefined || isList ? undefined : '`blockedBy` of a task must be a list of ids of tasks.'
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? typeof value
}
