import { MandateError } from '../../core/index.ts'
import { textOf } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { specOf, toolsFrom } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { AgentSpec } from './config-types.ts'
import type { AgentRunContext } from './hooks.ts'
import type { Setup } from '../loop/loop.ts'
import type { AgentInput } from '../output/output-types.ts'

interface Hooking {
  readonly spec: AgentSpec
  readonly input: AgentInput
  readonly context: RunContext
  readonly systemPrompt: string
}

/** The results of hooks: texts to be journaled, and live objects. */
interface Brought {
  readonly systemPrompt: string
  readonly tools: readonly Tool[]
  readonly models: readonly Model[]
}

/** The settings after the hooks, from the journal and the registered models. */
interface Settled extends Pick<Setup, 'systemPrompt' | 'tools'> {
  readonly ids: readonly string[]
  readonly models: readonly Model[]
}

/**
 * Runs the hooks. They provide live objects, so they run in every segment; their first decisions (texts, names, schemas) are journaled and final. A
 * tool that is no longer provided is unknown to the gate; a hook that fails ends the run, but only the first time.
 */
export async function runHooks(hooking: Hooking): Promise<Settled> {
  const { spec, context } = hooking
  let brought: Brought | undefined
  let fault: unknown
  try {
    brought = await context.inTime('hooks', bring(hooking))
  } catch (error) {
    fault = error ?? new MandateError('MIND_FAILED', 'A hook failed without saying why.')
  }
  const decided = await context.record('hooks', () => {
    if (brought === undefined) throw fault
    return {
      systemPrompt: brought.systemPrompt,
      tools: brought.tools.map(specOf),
      models: brought.models.map(({ id }) => id),
    }
  })
  const { tools, models } = brought ?? { tools: spec.tools, models: spec.models }
  context.resources.tools = new Map(tools.map((tool) => [tool.name, tool]))
  context.resources.models = new Map([
    ...(context.resources.models ?? []),
    ...models.map((model) => [model.id, model] as const),
  ])
  return { systemPrompt: decided.systemPrompt, tools: decided.tools, ids: decided.models, models }
}

async function bring({ spec, input, systemPrompt }: Hooking): Promise<Brought> {
  const run: AgentRunContext = {
    userMessage: input.prompt === null ? '' : textOf(input.prompt),
    history: input.history,
    context: input.context,
    model: spec.models[0],
    tools: spec.tools,
    systemPrompt,
    toolRegistry: spec.toolRegistry,
  }
  for (const hook of spec.hooks) await hook(run)
  const needsModel = spec.planner === undefined && spec.runner === undefined
  if (run.model === undefined && needsModel)
    throw new MandateError('CONFIG_INVALID', 'A hook left the run without a model.')
  if (typeof run.systemPrompt !== 'string')
    throw new MandateError('CONFIG_INVALID', 'A hook made the system prompt something other than a text.')
  return {
    systemPrompt: run.systemPrompt,
    tools: toolsFrom(repack(spec, run)),
    models: withFirst(spec.models, run.model),
  }
}

/** The agent's packs from a registry with which a hook replaced its own. */
function repack({ toolRegistry, toolPacks, tools }: AgentSpec, run: AgentRunContext): readonly Tool[] {
  if (run.toolRegistry === toolRegistry || run.toolRegistry === undefined || toolPacks.length === 0) return run.tools
  const before = toolRegistry?.resolvePacks(toolPacks) ?? []
  const packed = run.toolRegistry.resolvePacks(toolPacks)
  const kept = run.tools.filter((tool) => !before.includes(tool) || !tools.includes(tool))
  return [...kept, ...packed.filter((tool) => !kept.includes(tool))]
}

function withFirst(models: readonly Model[], first: Model | undefined): readonly Model[] {
  return first === undefined ? models : [first, ...models.filter((model) => model !== first)]
}
