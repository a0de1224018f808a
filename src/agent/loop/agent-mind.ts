import type { Json, Outcome } from '../../core/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, RunContext } from '../../run/index.ts'
import { capabilitiesOf, defaultOutputTokens } from '../../model/index.ts'
import type { PriceTable } from '../../model/index.ts'
import { specOf } from '../../tool/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { readForkInput } from '../session/fork-input.ts'
import type { AgentHost } from './agent-host.ts'
import { Loop } from './loop.ts'
import type { Stop } from './loop.ts'
import type { AgentInput, AgentOutput, AgentPins } from '../output/output-types.ts'
import { prepare } from './setup.ts'
import { takeTurn } from './turn.ts'
import { Handles } from '../transcript/result-handles.ts'
import { remember } from '../memory/session-memory.ts'
import { runOwn } from './custom-strategies.ts'

/** What a turn may write when no model says what it can. */
const OUTPUT_TOKENS = 4096

/** An agent as a mind: plan, act, reflect, turn after turn, until it is finished or may not go on. */
export function agentMind(spec: AgentSpec, host: AgentHost): Mind<AgentInput, AgentOutput> {
  let constant: AgentPins | undefined
  const models = [...spec.models, ...(spec.fallbackTool === undefined ? [] : [spec.fallbackTool])]
  return {
    kind: 'agent',
    name: spec.id,
    mandate: spec.mandate,
    resources: {
      tools: new Map(spec.tools.map((tool) => [tool.name, tool])),
      models: new Map(models.map((model) => [model.id, model])),
      memory: spec.memory,
      database: spec.database,
      prompts: spec.prompts,
      embedding: spec.embedding,
      memoryPolicy: spec.memoryPolicy,
    },
    pins: () => (constant ??= isConstant(spec) ? Object.freeze(pinsOf(spec, host)) : undefined) ?? pinsOf(spec, host),
    readEdit: readForkInput,
    start: (input, context) => run(spec, input, { context, prices: host.prices }),
  }
}

/** Whether every run of an agent pins the same: other agents may come to describe themselves otherwise. */
function isConstant({ agents, agentTypes }: AgentSpec): boolean {
  return agents.length === 0 && agentTypes.length === 0
}

function pinsOf(spec: AgentSpec, host: AgentHost): AgentPins {
  const { maxMessages, maxTokens, compact } = spec.history
  const contexts = spec.models.flatMap((model) => capabilitiesOf(model, host.prices).contextTokens ?? [])
  const outputs = spec.models.map((model) => defaultOutputTokens(model, host.prices))
  const most = outputs.length === 0 ? OUTPUT_TOKENS : Math.max(...outputs)
  return {
    systemPrompt: typeof spec.systemPrompt === 'string' ? spec.systemPrompt : null,
    tools: spec.tools.map(specOf),
    models: spec.models.map(({ id }) => id),
    selectsModel: spec.selectModel !== undefined,
    contextTokens: contexts.length === 0 ? null : Math.min(...contexts),
    maxTurns: spec.maxTurns,
    maxTokens: spec.maxTokens ?? most,
    ...(spec.maxTokens === undefined && most > OUTPUT_TOKENS ? { maxTokensFollow: true as const } : {}),
    ...(spec.models.length > 1 ? { passesOver: 'budget' as const } : {}),
    temperature: spec.temperature ?? null,
    ...(spec.toolChoice === undefined ? {} : { toolChoice: spec.toolChoice }),
    output: spec.output?.schema ?? null,
    history: {
      ...(maxMessages === undefined ? {} : { maxMessages }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(compact === undefined ? {} : { compact }),
    },
    agents: spec.agents.map((name) => ({ name, description: host.describe(name) })),
    ...(spec.agentTypes.length === 0
      ? {}
      : { spawns: spec.agentTypes.map((name) => ({ name, description: host.describe(name) })) }),
    deterministic: host.deterministic,
    // Messages about handles do not follow from the effects alone.
    derivesMessages: spec.toolResults === 'shown',
    toolResults: spec.toolResults,
  }
}

interface Running {
  readonly context: RunContext
  readonly prices: PriceTable
}

async function run(spec: AgentSpec, input: AgentInput, { context, prices }: Running): Promise<AgentOutput> {
  const pins = (context.pins as unknown as { mind: AgentPins }).mind
  const isLabelled = context.labels.length > 0
  const setup = await prepare({ spec, pins, input, context, prices })
  const handles = pins.toolResults === 'handles' ? new Handles(input.history) : undefined
  const loop = new Loop({ spec, pins, input, setup, prices, isLabelled, handles })
  if (spec.runner !== undefined) {
    const stop = await runOwn(loop, context)
    return conclude(loop, stop, context)
  }
  for (let turn = 1; turn <= pins.maxTurns; turn++) {
    const stop =
      limitStop(context.step()) ?? (await context.task(`turn:${turn}`, (strand) => takeTurn(loop, strand, turn)))
    if (stop !== undefined) return conclude(loop, stop, context)
  }
  const message = `The agent did not finish within ${pins.maxTurns} turns. Raise \`maxTurns\` to give it more.`
  return conclude(loop, { status: 'max_turns', code: 'STEPS_EXHAUSTED', message }, context)
}

function limitStop(outcome: Outcome | undefined): Stop | undefined {
  return outcome?.status === 'failed' ? { status: 'failed', ...outcome.error } : undefined
}

async function conclude(loop: Loop, stop: Stop, context: RunContext): Promise<AgentOutput> {
  if (stop.status === 'completed' && loop.spec.memory !== undefined) await remember(loop, context)
  // Why a run stopped may be told in the words of what it withheld.
  if (stop.status !== 'completed' && loop.handles !== undefined) context.admit(loop.handles.labels)
  const output = loop.output(stop)
  if (stop.status === 'completed' || stop.status === 'cancelled') return output
  throw new MindStop(stop.code, stop.message, output, stop.info as Json | undefined)
}
