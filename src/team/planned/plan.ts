import { MandateError, isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { readJson } from '../route.ts'
import type { NewTask } from '../tasks/task.ts'
import { TaskGraph } from '../tasks/task-graph.ts'

/** Constraints of a plan. */
export interface PlanRules {
  readonly workers: readonly string[]
  readonly maxTasks: number
}

/** Returns the JSON Schema of a plan, for the built-in planner. */
export function planSchema({ workers, maxTasks }: PlanRules): JsonObject {
  return {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        minItems: 1,
        maxItems: maxTasks,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'A short name of its own.' },
            description: { type: 'string', description: 'The whole task: its worker knows nothing else.' },
            worker: { type: 'string', enum: workers },
            blockedBy: {
              type: 'array',
              items: { type: 'string' },
              description: 'Ids of tasks it needs the results of.',
            },
            priority: { type: 'number', description: 'Higher ones begin first.' },
          },
          required: ['id', 'description', ...(workers.length > 1 ? ['worker'] : [])],
          additionalProperties: false,
        },
      },
    },
    required: ['tasks'],
    additionalProperties: false,
  }
}

/** Parses the tasks of a plan. Throws an error that a planner can act on. */
export function readPlan(answer: Json, { workers, maxTasks }: PlanRules): readonly NewTask[] {
  const value = typeof answer === 'string' ? jsonIn(answer) : answer
  const tasks: unknown = isRecord(value) ? value['tasks'] : value
  if (!Array.isArray(tasks)) throw bad('The plan is not JSON of the form { "tasks": [{ "id", "description" }] }.')
  if (tasks.length > maxTasks) throw bad(`The plan has ${tasks.length} tasks. At most ${maxTasks} are allowed.`)
  const graph = new TaskGraph(tasks as readonly NewTask[])
  const lost = graph.tasks.find(({ worker }) => worker !== undefined && !workers.includes(worker))
  if (lost === undefined) return tasks as readonly NewTask[]
  throw bad(`Task "${lost.id}" is for "${lost.worker!}", who is not there. Workers: ${workers.join(', ')}.`)
}

/** Extracts JSON from an answer: the whole text, a fenced block, or the text from the first bracket to the last. */
export function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1]
  const from = text.search(/[[{]/)
  const to = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))
  const candidates = [text, fenced, from < 0 ? undefined : text.slice(from, to + 1)]
  for (const one of candidates) {
    const value = one === undefined ? undefined : readJson(one)
    if (value !== undefined) return value
  }
  return undefined
}

function bad(message: string): MandateError {
  return new MandateError('OUTPUT_INVALID', message)
}
