import { MandateError, canonical } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { systemMessage, textOf } from '../model/index.ts'
import type { Message, Model } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { specOf } from '../tool/index.ts'
import type { AgentSpec } from './config.ts'
import type { AgentRunContext } from './hooks.ts'
import type { Setup } from './loop.ts'
import { orderModels } from './models.ts'
import type { AgentInput, AgentPins } from './output-types.ts'

interface Preparation {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
}

/** Kickoff: hooks, choice of model, recalled memory. */
export async function prepare(preparation: Preparation): Promise<Setup> {
  const { spec, pins } = preparation
  const hooked = spec.hooks.length === 0 ? { systemPrompt: pins.systemPrompt, tools: pins.tools, models: spec.models } : await runHooks(preparation)
  const delegates = pins.agents.map((name) => ({ name, description: `Hands a task to the agent "${name}" and gives its answer.`, inputSchema: DELEGATE_INPUT }))
  const models = await orderModels({ ...preparation, models: hooked.models })
  return { ...hooked, models, tools: [...hooked.tools, ...delegates], recalled: await recall(preparation) }
}

const DELEGATE_INPUT: Json = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] }

/**
 * Hooks bring live objects, so they run in every segment; what they decided the first time (texts, names, schemas) is journaled and holds.
 * A tool that is no longer brought is unknown to the gate, which says so.
 */
async function runHooks({ spec, pins, input, context }: Preparation): Promise<Pick<Setup, 'systemPrompt' | 'tools' | 'models'>> {
  const run: AgentRunContext = {
    userMessage: input.prompt === null ? '' : textOf(input.prompt),
    history: input.history,
    context: input.context,
    model: spec.models[0],
    tools: spec.tools,
    systemPrompt: pins.systemPrompt,
    toolRegistry: spec.toolRegistry,
  }
  for (const hook of spec.hooks) await hook(run)
  if (run.model === undefined && spec.planner === undefined) throw new MandateError('CONFIG_INVALID', 'A hook left the run without a model.')
  const models: readonly Model[] = run.model === undefined || spec.models.includes(run.model) ? withFirst(spec.models, run.model) : [run.model, ...spec.models]
  context.resources.tools = new Map(run.tools.map((tool) => [tool.name, tool]))
  context.resources.models = new Map([...(context.resources.models ?? []), ...models.map((model) => [model.id, model] as const)])
  const decided = await context.record('hooks', () => ({ systemPrompt: run.systemPrompt, tools: run.tools.map(specOf), model: models[0]?.id ?? null }))
  return { ...decided, models: withFirst(models, models.find(({ id }) => id === decided.model)) }
}

function withFirst(models: readonly Model[], first: Model | undefined): readonly Model[] {
  return first === undefined ? models : [first, ...models.filter((model) => model !== first)]
}

/** How many remembered things a run begins with. */
const RECALLED_MAX = 20

async function recall({ spec, context }: Preparation): Promise<readonly Message[]> {
  if (spec.memory === undefined) return []
  const outcome = await context.perform<readonly Json[]>({
    kind: 'memory',
    name: 'memory',
    key: 'recall',
    input: { op: 'read', stream: context.sessionId, limit: RECALLED_MAX },
    origin: 'kickoff',
  })
  if (outcome.status !== 'ok' || outcome.value.length === 0) return []
  return [systemMessage(`Remembered from earlier in this session:\n${outcome.value.map((entry) => `- ${canonical(entry)}`).join('\n')}`)]
}
