import type { Json } from '../../core/index.ts'
import type { Task } from '../tasks/task.ts'
import type { PlanRules } from './plan.ts'

/** Instructions of the built-in members. */
export const INSTRUCTIONS = {
  planner: `You plan the work of a team. Divide the goal into tasks that can be done side by side where possible; name in \`blockedBy\` what a task needs the results of. Write each task so that someone who knows nothing else can do it. Use as few tasks as the goal needs. Answer with JSON.`,
  verifier: `You check the result of a task. Approve it only if it does what the task asks for and nothing in it is made up. Otherwise say what is wrong, so that the worker can put it right. Answer with JSON: {"approved": true or false, "reason": "…"}.`,
  synthesiser: `You write the answer of a team. You are given a goal and what came of each task. Answer the goal from these results alone; where a task failed, say what is missing.`,
} as const

interface Planning extends PlanRules {
  readonly goal: string
  readonly describe: (worker: string) => string
  /** What was wrong with the previous plan. */
  readonly problem?: string | undefined
}

export function planPrompt({ goal, workers, maxTasks, describe, problem }: Planning): string {
  const list = workers.map((id) => (describe(id) === '' ? `- ${id}` : `- ${id}: ${describe(id)}`))
  const again = problem === undefined ? '' : `\n\nYour last plan cannot be used: ${problem} Write another one.`
  return `Goal:\n${goal}\n\nWorkers:\n${list.join('\n')}\n\nPlan at most ${maxTasks} tasks: {"tasks": [{"id", "description", "worker", "blockedBy", "priority"}]}.${again}`
}

interface Working {
  readonly goal: string
  readonly task: Task
  /** The tasks that it depends on, with their results. */
  readonly needed: readonly Task[]
  /** Messages that people sent during the run. */
  readonly notes: readonly string[]
}

export function workPrompt({ goal, task, needed, notes }: Working): string {
  const parts = [`The goal of the team:\n${goal}`, `Your task:\n${task.description}`]
  for (const { id, result } of needed) parts.push(`Result of "${id}", which you need:\n${textOfResult(result)}`)
  if (notes.length > 0) parts.push(`Mind this as well:\n${notes.join('\n')}`)
  if (task.result !== undefined) parts.push(`Your last result was:\n${textOfResult(task.result)}`)
  if (task.reason !== undefined) parts.push(`It did not do: ${task.reason}`)
  return parts.join('\n\n')
}

export function verifyPrompt(goal: string, task: Task): string {
  return `The goal of the team:\n${goal}\n\nThe task:\n${task.description}\n\nThe result:\n${textOfResult(task.result)}`
}

export function synthesisPrompt(goal: string, tasks: readonly Task[], notes: readonly string[]): string {
  const parts = tasks.map(({ id, description, status, result, reason = '' }) =>
    status === 'done'
      ? `Task "${id}": ${description}\nResult:\n${textOfResult(result)}`
      : `Task "${id}": ${description}\nThis task failed: ${reason}`,
  )
  const said = notes.length === 0 ? [] : [`Mind this as well:\n${notes.join('\n')}`]
  return [`Goal:\n${goal}`, ...parts, ...said].join('\n\n')
}

function textOfResult(result: Json | undefined): string {
  if (result === undefined) return '(none)'
  return typeof result === 'string' ? result : JSON.stringify(result)
}
