import { errorInfo } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { AgentInput, RunnerInput } from '../../agent/index.ts'
import { textOf, userMessage } from '../../model/index.ts'
import { MindStop } from '../../run/index.ts'
import type { RunContext } from '../../run/index.ts'
import { answer, callMember, outputOf } from '../member-call.ts'
import type { NewTask } from '../tasks/task.ts'
import { TaskGraph } from '../tasks/task-graph.ts'
import { Dispatch } from './dispatch.ts'
import { readPlan } from './plan.ts'
import { planPrompt, synthesisPrompt } from './prompts.ts'
import { TEAM_NOTE } from './team-event.ts'
import type { TeamEvent } from './team-event.ts'

/** Settings of a planned team's run. They are journaled, so that a resumed run uses the same ones. */
export type PlannedSettings = {
  readonly workers: readonly string[]
  readonly planner: string
  readonly verifier: string | null
  readonly synthesiser: string
  readonly maxTasks: number
  readonly maxWorkers: number
  readonly maxRetries: number
  readonly workerTimeoutMs: number
  readonly workerBudget?: JsonObject
}

interface Planned {
  readonly settings: PlannedSettings
  readonly describe: (worker: string) => string
}

/** What all steps of a run share. */
export interface Scene {
  readonly settings: PlannedSettings
  readonly context: RunContext
  readonly goal: string
  /** Makes the input of a member that receives only a text; images and files of the goal are attached. */
  readonly input: (text: string) => AgentInput
}

/** Runs a planned team: plans, works, verifies and combines. */
export async function runPlanned(
  { settings: now, describe }: Planned,
  context: RunContext,
  input: RunnerInput,
): Promise<{ readonly text: string; readonly result?: Json }> {
  const settings = await context.record('settings', () => now)
  const last = input.messages.at(-1)
  const goal = last === undefined ? '' : textOf(last)
  const media = (last?.content ?? []).filter(({ type }) => type === 'image' || type === 'file')
  const scene: Scene = {
    settings,
    context,
    goal,
    input: (text) => ({
      prompt: userMessage(media.length === 0 ? text : [{ type: 'text', text }, ...media]),
      history: [],
      context: input.context,
    }),
  }
  const tasks = await plan(scene, describe, input.messages.slice(0, -1))
  await context.record(TEAM_NOTE, () => ({ type: 'plan', tasks }) satisfies TeamEvent)
  const dispatch = new Dispatch(scene, new TaskGraph(tasks))
  await dispatch.run()
  return synthesise(scene, dispatch, input.speak)
}

/** Requests a plan. A plan that cannot be used is requested again, with the error. */
async function plan(
  { settings, context, goal, input }: Scene,
  describe: Planned['describe'],
  history: AgentInput['history'],
): Promise<readonly NewTask[]> {
  const { planner, maxRetries, workerTimeoutMs: timeoutMs } = settings
  let problem: string | undefined
  for (let attempt = 0; attempt <= maxRetries; attempt++) {
    const given = { ...input(planPrompt({ ...settings, goal, describe, problem })), history }
    const { result, text } = outputOf(
      planner,
      await callMember(context, { member: planner, key: 'plan', input: given, timeoutMs }),
    )
    try {
      return readPlan(result ?? text, settings)
    } catch (error) {
      problem = errorInfo(error).message
    }
  }
  throw new MindStop('OUTPUT_INVALID', `"${planner}" made no plan that can be used: ${problem!}`, null, {
    member: planner,
  })
}

/** Writes the answer from the tasks that are done. Ends the run with an error if there are none. */
async function synthesise(
  { settings, context, goal, input }: Scene,
  { graph, notes, lastCode }: Dispatch,
  speak: RunnerInput['speak'],
) {
  const { synthesiser, workerTimeoutMs: timeoutMs } = settings
  const failed = graph.tasks.filter(({ status }) => status === 'failed')
  if (failed.length === graph.tasks.length) {
    const why = failed.map(({ id, reason = '' }) => `"${id}": ${reason}`).join(' ')
    throw new MindStop(lastCode, `No task of the team was done. ${why}`, null, { tasks: failed.map(({ id }) => id) })
  }
  const prompt = synthesisPrompt(goal, graph.tasks, notes)
  const call = { member: synthesiser, key: 'synthesise', input: input(prompt), timeoutMs, speak }
  return answer(context, outputOf(synthesiser, await callMember(context, call)))
}
