import { MandateError, codeOf, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { CODE_INTENT_INSTRUCTIONS, INTENT_INSTRUCTIONS } from '../../gate/index.ts'
import type { RenderedPrompt } from '../../memory/index.ts'
import type { PriceTable, ToolSpec } from '../../model/index.ts'
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
import type { Setup } from './loop.ts'
import { spawnSpec } from './spawn.ts'

export interface Preparation {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly context: RunContext
  readonly prices: PriceTable
}

/** Kickoff: prompt, hooks, choice of model, recalled memory. */
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
  const { cells, instructions } =
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
    callable: settled.tools,
    intentRequired,
    hidesIntents: intent === 'hidden',
    tools: cells === undefined ? offered(pins, settled.tools) : [],
    models: await orderModels({ ...preparation, ...settled }),
    recalled: [...(await recallNote(preparation)), ...(spec.memory === undefined ? [] : await recall(preparation))],
  }
}

/** The tools of a request: its own, and one for each agent it may call. */
function offered(pins: AgentPins, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  if (pins.agents.length === 0 && pins.spawns === undefined) return tools
  return [...tools, ...delegatesOf(pins), ...(pins.spawns === undefined ? [] : spawnSpec(pins))]
}

interface Cells {
  /** Absent where the run needs no cells. */
  readonly cells: CellHandling | undefined
  readonly instructions: string
}

const NO_CELLS: Cells = { cells: undefined, instructions: '' }

/** What the model is told is recorded, so that a resumed run keeps its text whatever a later release says of cells. */
async function cellsFor(
  { pins, input, context }: Preparation,
  mode: 'code' | CodeMode,
  tools: readonly ToolSpec[],
): Promise<Cells> {
  const handling = await cellHandling(mode)
  const { agents, spawns = [], models } = pins
  const scene = { tools, agents: [...agents, ...spawns], models, context: input.context }
  const told = (await context.record('cells', () => {
    const plain = handling.withoutCells(scene)
    return plain === undefined ? { instructions: handling.instructions(scene) } : { plain }
  })) as { readonly instructions: string } | { readonly plain: string }
  return 'plain' in told
    ? { cells: undefined, instructions: told.plain }
    : { cells: handling, instructions: told.instructions }
}

const DELEGATE_INPUT: Json = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The whole task: the other agent knows nothing else.' } },
  required: ['prompt'],
}

function delegatesOf({ agents }: AgentPins): readonly ToolSpec[] {
  return agents.map(({ name, description }) => ({
    name,
    description: `Hands a task to the agent "${name}" and gives its answer.${description === '' ? '' : ` ${description}`}`,
    inputSchema: DELEGATE_INPUT,
  }))
}

/** After everything else, so that no hook and no template can leave it out. */
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

/** A prompt of the store is rendered once: the text is in the journal, and a resumed run keeps it. */
async function renderPrompt({ spec, context }: Preparation): Promise<string> {
  if (typeof spec.systemPrompt === 'string') return spec.systemPrompt
  const { template, params = {} } = spec.systemPrompt
  const input = { op: 'render', id: template, params: params as Json }
  const effect = { kind: 'prompt' as const, name: 'prompts', key: 'prompt', input, origin: 'kickoff' }
  const outcome = await context.perform<RenderedPrompt>(effect)
  if (outcome.status === 'ok') return outcome.value.text
  throw new MandateError(codeOf(outcome), `The system prompt "${template}" is not there: ${describeOutcome(outcome)}`)
}
