import { Agent, definitionOf } from '../agent/index.ts'
import type { AgentConfig, Prompt } from '../agent/index.ts'
import { MandateError, budgetLimits, checkFields, checkId, checkNumbers, idFrom, isRecord } from '../core/index.ts'
import type { BudgetLimits, FieldNames, Json } from '../core/index.ts'
import type { Cassette, GivenModel } from '../model/index.ts'
import { compileCheck } from './check.ts'
import type { Check, EvalCheck } from './check.ts'

/** A task for an agent, with the checks of its result. */
export interface EvalTask {
  /** Id in reports and baselines; derived from the input when absent. */
  readonly id?: string | undefined
  /** The prompt. */
  readonly input: Exclude<Prompt, undefined>
  /** The value that checks compare with, as `expected`. */
  readonly expected?: Json | undefined
  readonly checks?: readonly EvalCheck[] | undefined
  /** Number of attempts; overrides the suite's number. */
  readonly repeat?: number | undefined
  readonly tags?: readonly string[] | undefined
  /** Facts for hooks and sub-agents, as `context` of a run. */
  readonly context?: Json | undefined
}

/** How much worse than its baseline a figure may be, as a factor: 1.2 allows an increase of 20 %. */
export interface EvalTolerance {
  readonly steps?: number | undefined
  readonly tokens?: number | undefined
  readonly cost?: number | undefined
  readonly durationMs?: number | undefined
}

/** A variant of a benchmark: a partial configuration of the agent, or the id of another agent. */
export type EvalVariant = Partial<AgentConfig> | string

/** A suite of tasks for one agent. */
export interface EvalSuite {
  readonly name: string
  /** The agent: its configuration, an `Agent`, or its id in the given service. */
  readonly agent?: string | AgentConfig | Agent | undefined
  readonly tasks: readonly EvalTask[]
  /** Checks of every task, before its own. */
  readonly checks?: readonly EvalCheck[] | undefined
  /** Attempts per task; 1 when absent. */
  readonly repeat?: number | undefined
  /** Attempts at the same time; 1 when absent. */
  readonly concurrency?: number | undefined
  /** Recordings of models and tools: a folder, or a function that opens the cassette of an attempt by its name. */
  readonly cassettes?: string | URL | ((name: string) => Cassette) | undefined
  /** Returns the part of a recorded request that is matched, for requests in which other parts (dates, ids) change from run to run. */
  readonly matchOn?: ((request: Json, name: string) => Json) | undefined
  /** The model that judges, for checks with `judge`. */
  readonly judge?: GivenModel | string | undefined
  /** How calls that need an approval are answered. When absent, the attempt ends with the status `await_user`. */
  readonly approvals?: 'approve' | 'reject' | undefined
  /** Limits of each attempt. */
  readonly budget?: BudgetLimits | undefined
  /** The required success rate. When absent, 1 for tasks without a baseline, and none for the others. */
  readonly threshold?: number | undefined
  readonly tolerance?: EvalTolerance | undefined
  /** The variants that `benchmark` compares, by name. */
  readonly variants?: Readonly<Record<string, EvalVariant>> | undefined
}

const EVAL_SUITE: FieldNames<EvalSuite> = {
  name: 'text',
  agent: 'text|object',
  tasks: true,
  checks: true,
  repeat: true,
  concurrency: true,
  cassettes: true,
  matchOn: 'function',
  judge: true,
  approvals: true,
  budget: 'object',
  threshold: true,
  tolerance: true,
  variants: true,
}

const EVAL_TASK: FieldNames<EvalTask> = {
  id: true,
  input: 'text|object',
  expected: true,
  checks: true,
  repeat: true,
  tags: 'list',
  context: true,
}

const EVAL_TOLERANCE: FieldNames<EvalTolerance> = { steps: true, tokens: true, cost: true, durationMs: true }

/** A task that is ready to run: with an id and compiled checks. */
export interface ReadyTask extends Omit<EvalTask, 'checks'> {
  readonly id: string
  readonly checks: readonly Check[]
}

/**
 * Validates a suite of evals and returns it, for modules that export one: `export default defineEval({ … })`.
 *
 * @example
 * ```ts
 * import { defineEval } from 'mandate/evals'
 * import { scripted } from 'mandate/model'
 * export const suite = defineEval({
 *   name: 'weather',
 *   agent: { id: 'weather', model: scripted(['It is grey.']) },
 *   tasks: [{ id: 'oslo', input: 'How is Oslo?', checks: ["text.includes('grey')", 'steps <= 2'] }],
 * })
 * ```
 */
export function defineEval(suite: EvalSuite): EvalSuite {
  checkFields(suite, 'a field of an eval', EVAL_SUITE)
  if (!isRecord(suite)) throw invalid('An eval is an object, such as { name, agent, tasks: [...] }.')
  if (typeof suite.name !== 'string' || suite.name.trim() === '') throw invalid('An eval needs a `name`.')
  checkNumbers(suite, 'a field of an eval', { repeat: 'count+', concurrency: 'count+', threshold: 'share' })
  checkFields(suite.tolerance, 'a field of `tolerance`', EVAL_TOLERANCE)
  checkNumbers(suite.tolerance, 'a field of `tolerance`', {
    steps: 'amount+',
    tokens: 'amount+',
    cost: 'amount+',
    durationMs: 'amount+',
  })
  if (suite.budget !== undefined) budgetLimits(suite.budget)
  if (suite.approvals !== undefined && suite.approvals !== 'approve' && suite.approvals !== 'reject')
    throw invalid("`approvals` is 'approve' or 'reject'. Leave it out to let such attempts wait.")
  readyTasks(suite)
  return suite
}

/** Returns the tasks of a suite, with ids and compiled checks; only those with one of the tags, if tags are given. */
export function readyTasks(suite: EvalSuite, tags: readonly string[] = []): readonly ReadyTask[] {
  if (!Array.isArray(suite.tasks) || suite.tasks.length === 0) throw invalid(`The eval "${suite.name}" has no tasks.`)
  const shared = checksOf(suite.checks, '`checks` of the eval')
  const seen = new Set<string>()
  const tasks = suite.tasks.map((task, at) => readyTask(task, at, shared, seen))
  if (tags.length === 0) return tasks
  const chosen = tasks.filter((task) => task.tags?.some((tag) => tags.includes(tag)))
  if (chosen.length > 0) return chosen
  const known = [...new Set(tasks.flatMap((task) => task.tags ?? []))].join(', ') || 'none'
  throw new MandateError(
    'INPUT_INVALID',
    `No task has the tag ${tags.join(' or ')}. Tags of "${suite.name}": ${known}.`,
  )
}

function readyTask(task: EvalTask, at: number, shared: readonly Check[], seen: Set<string>): ReadyTask {
  checkFields(task, 'a field of a task', EVAL_TASK)
  checkNumbers(task, 'a field of a task', { repeat: 'count+' })
  const { input } = task
  if (typeof input !== 'string' && !isRecord(input))
    throw invalid(`Task ${at + 1} has no \`input\`. Give what the agent is told: a text, or a message.`)
  const id = checkId(task.id ?? (typeof input === 'string' ? idFrom(input) : `task-${at + 1}`), 'The id of a task')
  if (seen.has(id)) throw invalid(`Two tasks have the id "${id}". Give one of them another \`id\`.`)
  seen.add(id)
  const checks = [...shared, ...checksOf(task.checks, `\`checks\` of task "${id}"`)]
  if (checks.length === 0)
    throw invalid(`Task "${id}" has no checks, so that it could not fail. Add one, such as "status == 'completed'".`)
  return { ...task, id, checks }
}

function checksOf(checks: readonly EvalCheck[] | undefined, where: string): readonly Check[] {
  if (checks === undefined) return []
  if (!Array.isArray(checks)) throw invalid(`${where} is no list.`)
  return (checks as readonly EvalCheck[]).map((check) => compileCheck(check, where))
}

/** Returns the configuration of a suite's agent, or its id. */
export function agentOf({ name, agent }: EvalSuite): string | AgentConfig {
  if (agent === undefined) throw invalid(`The eval "${name}" names no agent. Add \`agent\`.`)
  if (!(agent instanceof Agent)) return agent
  const definition = definitionOf(agent)
  if (definition !== undefined) return definition.config
  throw invalid(`The agent of the eval "${name}" lives in a service. Give its id, and the service as an option.`)
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
