import type { Json, JsonObject, Outcome } from '../../core/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Mind, RunContext } from '../../run/index.ts'
import { capabilitiesOf, defaultOutputTokens } from '../../model/index.ts'
import { specOf } from '../../tool/index.ts'
import { callableNames } from '../config/callable.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { readForkInput } from '../session/fork-input.ts'
import type { AgentHost } from './agent-host.ts'
import { Loop } from './loop.ts'
import type { Stop } from './loop.ts'
import type { AgentInput, AgentOutput, AgentPins, CallableMind } from '../output/output-types.ts'
import { prepare } from './setup.ts'
import { takeTurn } from './turn.ts'
import { Handles } from '../transcript/result-handles.ts'
import { remember } from '../memory/session-memory.ts'
import { runOwn } from './custom-strategies.ts'

/** The output of a turn if no model declares its limit. */
const OUTPUT_TOKENS = 4096

/** An agent as a mind: plans, acts and reflects, turn after turn, until it is finished or a limit ends it. */
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
    needs: (pins, input) => needsOf(pins, input, host),
    readEdit: readForkInput,
    repeated: withoutHistory,
    start: (input, context) => run(spec, input, { context, host }),
  }
}

/** Returns the input without its history. When a session starts the same run again, its history already contains that run. */
function withoutHistory(input: Json): Json {
  const { history: _history, ...rest } = input as JsonObject
  return rest
}

/** Whether all runs of an agent have the same pins. This is not the case if it calls others by name, because their descriptions may change. */
function isConstant(spec: AgentSpec): boolean {
  return callableNames(spec).length === 0
}

/** Describes graphs or programs for the model of an agent. */
function mindsOf(names: readonly string[], kind: 'graph' | 'program', host: AgentHost): readonly CallableMind[] {
  return names.map((name) => {
    const { description = '', inputSchema = ANY_OBJECT, outputSchema } = host.facts(kind, name)
    return { name, description, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) }
  })
}

const ANY_OBJECT: Json = { type: 'object' }

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
    ...(spec.maxTokens === undefined ? { maxTokensFollow: true as const } : {}),
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
    ...(spec.graphs.length === 0 ? {} : { graphs: mindsOf(spec.graphs, 'graph', host) }),
    ...(spec.programs.length === 0 ? {} : { programs: mindsOf(spec.programs, 'program', host) }),
    ...(spec.agentTypes.length === 0
      ? {}
      : { spawns: spec.agentTypes.map((name) => ({ name, description: host.describe(name) })) }),
    deterministic: host.deterministic,
    // Messages about handles cannot be derived from the effects alone.
    derivesMessages: spec.toolResults === 'shown',
    toolResults: spec.toolResults,
  }
}

/** What a run needs to continue: any one of its models, and all of the tools that the model was offered. */
function needsOf(all: Json, input: Json, host: AgentHost): ReturnType<NonNullable<Mind['needs']>> {
  const {
    tools,
    models,
    agents,
    graphs = [],
    programs = [],
    spawns = [],
  } = (all as unknown as { readonly mind: AgentPins }).mind
  const { model: wished } = (input ?? {}) as Partial<AgentInput>
  // The model of one run may be that of another agent.
  const anyModel = wished === undefined ? models : host.model(wished) === undefined ? [wished, ...models] : []
  return [
    ...tools.map(({ name }) => ({ kind: 'tool' as const, anyOf: [name] })),
    ...(anyModel.length === 0 ? [] : [{ kind: 'model' as const, anyOf: anyModel }]),
    ...[...agents, ...spawns].map(({ name }) => ({ kind: 'agent' as const, anyOf: [name] })),
    ...graphs.map(({ name }) => ({ kind: 'graph' as const, anyOf: [name] })),
    ...programs.map(({ name }) => ({ kind: 'program' as const, anyOf: [name] })),
  ]
}

interface Running {
  readonly context: RunContext
  readonly host: AgentHost
}

async function run(spec: AgentSpec, input: AgentInput, { context, host }: Running): Promise<AgentOutput> {
  const { prices } = host
  const pins = (context.pins as unknown as { mind: AgentPins }).mind
  const isLabelled = context.labels.length > 0
  const setup = await prepare({ spec, pins, input, context, host, prices })
  const { cells } = setup
  if (cells !== undefined && host.kernel !== undefined) {
    const { kernel } = host
    context.onDrop(() => cells.release(context.runId, kernel))
  }
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
  // The reason of a stop may quote what was withheld.
  if (stop.status !== 'completed' && loop.handles !== undefined) context.admit(loop.handles.labels)
  const output = loop.output(stop)
  if (stop.status === 'completed' || stop.status === 'cancelled') return output
  throw new MindStop(stop.code, stop.message, output, stop.info as Json | undefined)
}
