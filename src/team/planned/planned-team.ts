import { budgetLimits, checkFields, checkNumbers, toPlain } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, JsonObject } from '../../core/index.ts'
import type { AgentConfig } from '../../agent/index.ts'
import { TEAM_OPTIONS, idOf, invalid, readMembers, teamAgent } from '../members.ts'
import type { Member, TeamOptions } from '../members.ts'
import { planSchema } from './plan.ts'
import { INSTRUCTIONS } from './prompts.ts'
import { runPlanned } from './run-planned.ts'
import type { PlannedSettings } from './run-planned.ts'
import { VERDICT_SCHEMA } from './verdict.ts'

interface PlannedTeamOptions extends TeamOptions {
  /** Model of the built-in planner, verifier and synthesiser. */
  readonly model?: AgentConfig['model']
  /** The members that do the tasks. */
  readonly workers: readonly Member[]
  /** Makes the plan: JSON of the form `{ tasks: [{ id, description, worker, blockedBy, priority }] }`. */
  readonly planner?: Member | undefined
  /** Checks each result and answers `{ approved, reason }`; `true` selects the built-in verifier. A verdict that cannot be parsed rejects. */
  readonly verifier?: Member | boolean | undefined
  /** Writes the answer from the results. */
  readonly synthesiser?: Member | undefined
  /** Maximum number of tasks, of a plan and of the whole run; 20 when absent. */
  readonly maxTasks?: number | undefined
  /** Maximum number of tasks at the same time; 3 when absent. */
  readonly maxWorkers?: number | undefined
  /**
   * Number of retries of a task whose result was rejected, or whose worker timed out, was killed or failed; 2 when absent. Also the number of retries of a plan
   * that cannot be used.
   */
  readonly maxRetries?: number | undefined
  /** Timeout of each call of a worker, the verifier, the planner or the synthesiser; 2 minutes when absent. Waiting for people does not count. */
  readonly workerTimeoutMs?: number | undefined
  /** The part of the team's budget that a worker may spend on one attempt at a task. */
  readonly workerBudget?: BudgetLimits | undefined
}

const OPTIONS: FieldNames<PlannedTeamOptions> = {
  ...TEAM_OPTIONS,
  model: 'text|object',
  workers: 'list',
  planner: 'text|object',
  verifier: true,
  synthesiser: 'text|object',
  maxTasks: true,
  maxWorkers: true,
  maxRetries: true,
  workerTimeoutMs: true,
  workerBudget: 'object',
}

const NUMBERS = { maxTasks: 'count+', maxWorkers: 'count+', maxRetries: 'count', workerTimeoutMs: 'count+' } as const

/**
 * Makes a team that plans, works in parallel, verifies and combines. A planner divides the goal into tasks, workers do the tasks whose dependencies are done, a
 * verifier checks each result, and a synthesiser writes the answer. Tasks, concurrency, attempts and time are limited. Returns the agents of the team, the team
 * itself first, for a service.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { plannedTeam } from 'mandate/team'
 * const model = scripted(['{"tasks":[{"id":"facts","description":"Find three facts about snow."}]}', 'Snow is white, cold and wet.'])
 * const workers = [{ id: 'researcher', model: scripted(['White, cold, wet.'], { name: 'researcher' }) }]
 * const service = new AgentService({ agents: plannedTeam({ id: 'desk', model, workers }) })
 * const { text } = await service.run('desk', 'Tell me about snow.')
 * ```
 */
export function plannedTeam(options: PlannedTeamOptions): readonly AgentConfig[] {
  checkFields(options, 'an option of `plannedTeam`', OPTIONS)
  checkNumbers(options, 'an option of `plannedTeam`', NUMBERS)
  const { id, maxTasks = 20, maxWorkers = 3, maxRetries = 2, workerTimeoutMs = 120_000, workerBudget } = options
  const workers = readMembers(options.workers, 'workers')
  const rules = { workers: workers.ids, maxTasks }
  const planner = roleOf(options, 'planner', planSchema(rules))
  const verifier = roleOf(options, 'verifier', VERDICT_SCHEMA)
  const synthesiser = roleOf(options, 'synthesiser', undefined)
  const settings: PlannedSettings = {
    ...rules,
    planner: idOf(planner!, 'planner'),
    verifier: verifier === undefined ? null : idOf(verifier, 'verifier'),
    synthesiser: idOf(synthesiser!, 'synthesiser'),
    maxWorkers,
    maxRetries,
    workerTimeoutMs,
    ...(workerBudget === undefined ? {} : { workerBudget: toPlain(budgetLimits(workerBudget)).value as JsonObject }),
  }
  const roles = [planner, verifier, synthesiser].filter((role) => role !== undefined)
  const configs = roles.filter((role) => typeof role !== 'string')
  const ids = [...new Set([...workers.ids, ...roles.map((role) => idOf(role, 'roles'))])]
  const { describe } = workers
  const team = teamAgent({ ...options, id }, ids, (context, _spec, _prompt, input) =>
    runPlanned({ settings, describe }, context, input),
  )
  return [team, ...workers.configs, ...configs]
}

/** Returns the member that has a role: the given one, or a built-in agent. Only the verifier is optional. */
function roleOf(
  options: PlannedTeamOptions,
  role: keyof typeof INSTRUCTIONS,
  output: AgentConfig['output'],
): Member | undefined {
  const given = options[role]
  if (typeof given === 'string' || (typeof given === 'object' && given !== null)) return given
  if (role === 'verifier' && given !== true) return undefined
  if (options.model === undefined)
    throw invalid(`\`${role}\` is missing. Give an agent, or a \`model\` for the ready one`)
  const { id, model } = options
  return {
    id: `${id}.${role}`,
    instructions: INSTRUCTIONS[role],
    model,
    ...(output === undefined ? {} : { output }),
  }
}
