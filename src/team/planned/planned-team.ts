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
  /** For the planner, the verifier and the synthesiser that come with the team. */
  readonly model?: AgentConfig['model']
  /** Those who do the tasks. */
  readonly workers: readonly Member[]
  /** Makes the plan: JSON of the form `{ tasks: [{ id, description, worker, blockedBy, priority }] }`. */
  readonly planner?: Member | undefined
  /** Looks at each result and answers `{ approved, reason }`; `true` for the one that comes with the team. What cannot be read rejects. */
  readonly verifier?: Member | boolean | undefined
  /** Writes the answer out of the results. */
  readonly synthesiser?: Member | undefined
  /** Tasks of a plan, and of the run as a whole; 20 when absent. */
  readonly maxTasks?: number | undefined
  /** Tasks at once; 3 when absent. */
  readonly maxWorkers?: number | undefined
  /** How often a task is given out again after its result was rejected, or its worker timed out, was killed or broke; 2 when absent. So often a plan that cannot be used is asked for again, too. */
  readonly maxRetries?: number | undefined
  /** How long a worker, and the verifier, may take for a task; 2 minutes when absent. Waiting for people does not count. */
  readonly workerTimeoutMs?: number | undefined
  /** What a worker may spend on one attempt at a task, out of the team's budget. */
  readonly workerBudget?: BudgetLimits | undefined
}

const OPTIONS: FieldNames<PlannedTeamOptions> = {
  ...TEAM_OPTIONS,
  model: true,
  workers: true,
  planner: true,
  verifier: true,
  synthesiser: true,
  maxTasks: true,
  maxWorkers: true,
  maxRetries: true,
  workerTimeoutMs: true,
  workerBudget: true,
}

const NUMBERS = { maxTasks: 'count+', maxWorkers: 'count+', maxRetries: 'count', workerTimeoutMs: 'count+' } as const

/**
 * Plan, work side by side, verify, put together: a planner divides the goal into tasks, workers do those that nothing blocks, a verifier looks at each
 * result, and a synthesiser writes the answer. Everything is bounded: tasks, workers at once, attempts, time. Gives the agents of the team, itself first,
 * for a service.
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

/** Who has a role: who was given, or an agent of the team's own. Only a verifier may be missing. */
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
