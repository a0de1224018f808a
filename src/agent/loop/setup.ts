import { MandateError, codeOf, describeOutcome, freezeDeep } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { CODE_INTENT_INSTRUCTIONS, INTENT_INSTRUCTIONS } from '../../gate/index.ts'
import type { RenderedPrompt } from '../../memory/index.ts'
import type { Model, PriceTable, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import { cellHandling } from '../config/code-mode.ts'
import type { CellHandling, CodeMode } from '../config/code-mode.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { orderModels } from '../config/models.ts'
import { runHooks } from '../config/run-hooks.ts'
import { recallNote } from '../memory/agent-note.ts'
import { recall } from '../memory/session-memory.ts'
import type { AgentInput, AgentPins } from '../output/output-types.ts'
import { HANDLE_INSTRUCTIONS } from '../transcript/result-handles.ts'
import type { AgentHost } from './agent-host.ts'
import type { Setup } from './loop.ts'
import { spawnSpec } from './spawn.ts'

export interface Preparation {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly host: AgentHost
  readonly prices: PriceTable
}

/** Prepares a run: prompt, hooks, model selection, recalled memory. */
export async function prepare(preparation: Preparation): Promise<Setup> {
  const { spec, pins } = preparation
  const { intent } = preparation.context.pins as { readonly intent?: true | 'hidden' }
  const intentRequired = intent !== undefined
  const own = pins.systemPrompt ?? (await renderPrompt(preparation))
  const { instructions: first } = preparation.input
  const systemPrompt = first === undefined ? own : own === '' ? first : `${first}\n\n${own}`
  const settled =
    spec.hooks.length === 0
      ? { systemPrompt, tools: pins.tools, ids: pins.models, models: spec.models }
      : await runHooks({ ...preparation, systemPrompt })
  const wished = wishedModel(preparation)
  const { cells, instructions, isThinking } =
    spec.mode === 'tools' ? NO_CELLS : await cellsFor(preparation, spec.mode, settled.tools)
  const isPlain = !intentRequired && pins.toolResults !== 'handles' && instructions === ''
  return {
    systemPrompt: isPlain
      ? settled.systemPrompt
      : withInstructions(settled.systemPrompt, {
          instructions,
          intents: !intentRequired ? undefined : cells === undefined ? INTENT_INSTRUCTIONS : CODE_INTENT_INSTRUCTIONS,
          handles: pins.toolResults === 'handles',
        }),
    cells,
    isThinking,
    callable: settled.tools,
    intentRequired,
    hidesIntents: intent === 'hidden',
    tools: cells === undefined ? offered(pins, settled.tools) : [],
    models: await orderModels({ ...preparation, ...settled, ...wished }),
    recalled: [...(await recallNote(preparation)), ...(spec.memory === undefined ? [] : await recall(preparation))],
  }
}

/** The model requested for this run, if there is one. */
function wishedModel({
  spec,
  input: { model: id },
  context,
  host,
}: Preparation): { readonly ids: readonly string[]; readonly models: readonly Model[] } | undefined {
  if (id === undefined) return undefined
  const model = spec.models.find((own) => own.id === id) ?? host.model(id)
  if (model !== undefined) context.resources.models = new Map([...(context.resources.models ?? []), [id, model]])
  return { ids: [id], models: model === undefined ? [] : [model] }
}

/** The tools offered to the model: its own, and one for each agent, graph and program that it may call. Frozen, because every request gets the same list. */
function offered(pins: AgentPins, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return freezeDeep([...tools, ...delegatesOf(pins), ...spawnSpec(pins)])
}

interface Cells {
  /** `undefined` if the run needs no cells. */
  readonly cells: CellHandling | undefined
  readonly instructions: string
  readonly isThinking: boolean
}

const NO_CELLS: Cells = { cells: undefined, instructions: '', isThinking: false }

/** The recorded prompt about cells at the start of a run. Runs of earlier releases have no template there. */
type ToldOfCells =
  | { readonly instructions: string; readonly template?: string; readonly version?: number }
  | { readonly plain: string }

/** Loads the code mode of a run. The instructions are recorded, so that a resumed run keeps its text in later releases. */
async function cellsFor(
  { spec, pins, input, context }: Preparation,
  mode: 'code' | CodeMode,
  tools: readonly ToolSpec[],
): Promise<Cells> {
  const handling = await cellHandling(mode)
  const { agents, spawns = [], graphs = [], programs = [], models } = pins
  const outputs = new Map(spec.tools.map(({ name, outputSchema }) => [name, outputSchema]))
  const typed = tools.map((tool) => ({ ...tool, outputSchema: outputs.get(tool.name) }))
  const scene = {
    ...{ tools: [...typed, ...programs], graphs, models },
    ...{ agents: [...agents, ...spawns], context: input.context, output: pins.output },
  }
  const told = (await context.record('cells', () => {
    const plain = handling.withoutCells(scene)
    return plain === undefined ? { instructions: handling.instructions(scene), ...handling.prompt } : { plain }
  })) as ToldOfCells
  return 'plain' in told
    ? { ...NO_CELLS, instructions: told.plain }
    : { cells: handling, instructions: told.instructions, isThinking: told.template !== undefined }
}

const DELEGATE_INPUT: Json = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The whole task: the other agent knows nothing else.' } },
  required: ['prompt'],
}

function delegatesOf({ agents, graphs = [], programs = [] }: AgentPins): readonly ToolSpec[] {
  const about = (what: string, description: string): string => (description === '' ? what : `${what} ${description}`)
  const minds = { graph: graphs, program: programs }
  return [
    ...agents.map(({ name, description }) => ({
      name,
      description: about(`Hands a task to the agent "${name}" and gives its answer.`, description),
      inputSchema: DELEGATE_INPUT,
    })),
    ...Object.entries(minds).flatMap(([kind, list]) =>
      list.map(({ name, description, inputSchema }) => ({
        name,
        description: about(`Runs the ${kind} "${name}" and gives its result.`, description),
        inputSchema,
      })),
    ),
  ]
}

/** Appended after everything else, so that no hook and no template can leave it out. */
function withInstructions(
  systemPrompt: string,
  asked: { readonly instructions: string; readonly intents: string | undefined; readonly handles: boolean },
): string {
  return [
    ...(systemPrompt === '' ? [] : [systemPrompt]),
    ...(asked.instructions === '' ? [] : [asked.instructions]),
    ...(asked.intents === undefined ? [] : [asked.intents]),
    ...(asked.handles ? [HANDLE_INSTRUCTIONS] : []),
  ].join('\n\n')
}

/** Renders a prompt of the store once: the text is journaled, and a resumed run keeps it. */
async function renderPrompt({ spec, context }: Preparation): Promise<string> {
  if (typeof spec.systemPrompt === 'string') return spec.systemPrompt
  const { template, params = {} } = spec.systemPrompt
  const input = { op: 'render', id: template, params: params as Json }
  const effect = { kind: 'prompt' as const, name: 'prompts', key: 'prompt', input, origin: 'kickoff' }
  const outcome = await context.perform<RenderedPrompt>(effect)
  if (outcome.status === 'ok') return outcome.value.text
  const why = outcome.status === 'failed' ? outcome.error.message : describeOutcome(outcome)
  throw new MandateError(codeOf(outcome), `The system prompt "${template}" cannot be used: ${why}`)
}
