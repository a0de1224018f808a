import { MandateError, checkFields, checkNumbers, codeOf, describeOutcome, isRecord } from '../../core/index.ts'
import type { FieldNames, Json, JsonObject, Outcome } from '../../core/index.ts'
import { newCodeMode } from '../../agent/index.ts'
import type { CellCall, CellHandling, CellReport, CodeMode, CodeScene } from '../../agent/index.ts'
import { graphReviews } from '../../graph/index.ts'
import type { Kernel, RunContext } from '../../run/index.ts'
import { subsetRules } from '../../vm/index.ts'
import { cellMind } from '../mind/cell-mind.ts'
import type { CellMind } from '../mind/cell-mind.ts'
import { liveSessionsOf } from '../mind/live-sessions.ts'
import { readPolicy } from '../session/policy.ts'
import type { ReplPolicy } from '../session/policy.ts'
import type { CellInput, CellOutput } from '../session/session-state.ts'
import { isContextPart } from '../context/context.ts'
import { contextNote } from './context-note.ts'
import type { ToldError } from './error-text.ts'
import { fencedCells } from './fenced-cell.ts'
import { BASE, lastCell } from './last-cell.ts'
import { GRAPH_GUIDE } from './graph-guide.ts'
import { observation } from './observation.ts'
import { TEMPLATE_NAMES, fillTemplate, promptTemplate } from './prompt-templates.ts'
import type { TemplateName } from './prompt-templates.ts'
import { graphSignatures, schemaType, toolSignatures } from './tool-signatures.ts'

/** Prompt and limits of an agent in code mode. */
export interface CodeModeOptions {
  /** The prompt template: `general` (the default), `context-explorer` for inputs too long to show, `orchestrator` for agents that direct others. */
  readonly template?: TemplateName | undefined
  /** Limits of the cells of one run. The number of cells is limited by the agent's `maxTurns`. */
  readonly policy?: Partial<Omit<ReplPolicy, 'maxIterations'>> | undefined
  /** The model of `model_query` and `rlm_query`; the agent's own when absent. */
  readonly subModel?: string | undefined
  /** A `context` of at most this many characters is shown to the model in full and answered without cells; 0 (the default) means never. */
  readonly plainBelow?: number | undefined
}

const OPTIONS: FieldNames<CodeModeOptions> = { template: 'text', policy: 'object', subModel: 'text', plainBelow: true }

/** The number of cells is limited by the turns of the agent instead. */
const NO_CELL_LIMIT = Number.MAX_SAFE_INTEGER

/**
 * Creates the mode in which an agent acts by writing cells of code instead of calling tools one by one. Variables persist between cells; every call in a cell
 * passes the agent's gate and counts against its budget. `mode: 'code'` is the same as `codeMode()`.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { codeMode } from 'mandate/repl'
 * const model = scripted(['```js\nconst n = 6 * 7\n```', '```js\nanswer(`It is ${n}.`)\n```'])
 * const agent = new Agent({ model, mode: codeMode({ policy: { timeoutMs: 10_000 } }) })
 * console.log((await agent.run('What is six times seven?')).result) // It is 42.
 * ```
 */
export function codeMode(options: CodeModeOptions = {}): CodeMode {
  checkFields(options, 'an option of `codeMode`', OPTIONS)
  checkNumbers(options, 'an option of `codeMode`', { plainBelow: 'count' })
  const { template = 'general', subModel, plainBelow = 0 } = options
  if (!TEMPLATE_NAMES.includes(template))
    throw new MandateError(
      'CONFIG_INVALID',
      `\`template\` is ${JSON.stringify(template)}. Use one of: ${TEMPLATE_NAMES.join(', ')}.`,
    )
  if (options.policy !== undefined && 'maxIterations' in options.policy)
    throw new MandateError('CONFIG_INVALID', 'The number of cells is the `maxTurns` of the agent, not `maxIterations`.')
  const policy = readPolicy({ ...options.policy, maxIterations: NO_CELL_LIMIT })
  return newCodeMode(new Cells({ template, policy, subModel, plainBelow }))
}

interface Settings {
  readonly template: TemplateName
  readonly policy: ReplPolicy
  readonly subModel: string | undefined
  readonly plainBelow: number
}

/** Cache of cell minds by agent. Keeps the values of the previous cell in memory. */
const minds = new WeakMap<Kernel, Map<string, CellMind>>()

function mindOf(kernel: Kernel, agent: string): CellMind {
  const known = minds.get(kernel) ?? new Map<string, CellMind>()
  minds.set(kernel, known)
  const before = known.get(agent)
  if (before !== undefined) return before
  // Cells can wait for graph reviews, so the mind of reviews must be registered.
  graphReviews(kernel)
  const { registry, journal } = kernel
  const memory = { live: liveSessionsOf(journal), appStates: new Map<string, unknown>() }
  const mind = cellMind(agent, { registry, journal, service: kernel, ...memory }, { rlm: agent })
  known.set(agent, mind)
  return mind
}

/** The depth of a cell whose agent was started by the host. Agents started by other agents begin without variables. */
const OF_ROOT = 1

class Cells implements CellHandling {
  readonly nudge =
    'Your reply has no cell. Write exactly one fenced block of JavaScript, closed, and call answer(text) in it when you know the answer. If you are done, repeat your answer.'
  readonly timeoutMs: number
  readonly prompt: CellHandling['prompt']
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
    const { template } = settings
    this.prompt = { template, version: promptTemplate(template).version }
    this.timeoutMs = settings.policy.timeoutMs
  }

  async evaluate(input: Json, context: RunContext, kernel: Kernel): Promise<Json> {
    const cell = input as unknown as CellInput
    const isFirst = cell.base === undefined && context.depth === OF_ROOT
    const base = isFirst ? await context.record(BASE, () => lastCell(kernel.journal, context, cell.contextFrom)) : null
    const given = base === null ? input : { ...(input as JsonObject), base }
    const mind = mindOf(kernel, context.agentId)
    // Besides the agent's own tools, cells need those that define graphs and request reviews.
    context.resources.tools = new Map([...(mind.resources?.tools ?? []), ...(context.resources.tools ?? [])])
    return mind.start(given, context)
  }

  release(run: string, kernel: Kernel): void {
    for (const mind of minds.get(kernel)?.values() ?? []) mind.release(run)
  }

  cellsOf(reply: string): ReturnType<CellHandling['cellsOf']> {
    const { cells, foreign } = fencedCells(reply)
    if (cells.length > 0 || foreign.length === 0) return { cells }
    const problem = `Nothing was run: this block is ${foreign.join(', ')}, and cells are JavaScript. Write it again as one \`\`\`js block.`
    return { cells, problem }
  }

  instructions(scene: CodeScene): string {
    const { template, policy } = this.#settings
    return fillTemplate(promptTemplate(template), {
      answer: scene.output === null ? ANY_ANSWER : `\`answer(value: ${schemaType(scene.output)})\``,
      language: `${subsetRules()} Print with \`print(…)\`.`,
      capabilities: capabilities(scene),
      graphs: policy.maxGraphDefinitions > 0 && policy.maxGraphCalls > 0 ? GRAPH_GUIDE : '',
      limits: limits(policy),
      given: scene.context === null ? '' : `${GIVEN} ${contextNote(scene.context)}`,
      context: contextNote(scene.context),
    })
  }

  withoutCells({ context }: CodeScene): string | undefined {
    const { plainBelow } = this.#settings
    if (plainBelow === 0 || context === null || isContextPart(context)) return undefined
    const text = typeof context === 'string' ? context : JSON.stringify(context)
    return text.length <= plainBelow ? `Context:\n${text}` : undefined
  }

  inputOf({ source, run, state, tools, agents, graphs, programs, models, intents }: CellCall): Json {
    const before = state as { readonly run: string } | null
    const { policy, subModel } = this.#settings
    const input: CellInput = {
      source,
      policy: { ...policy },
      tools,
      agents,
      ...(graphs === undefined ? {} : { graphs }),
      ...(programs === undefined ? {} : { programs }),
      model: subModel ?? models[0] ?? '',
      contextFrom: run,
      ...(before === null ? {} : { base: before.run }),
      ...(intents === undefined ? {} : { intents }),
    }
    return input as unknown as Json
  }

  report(outcome: Outcome<Json>): CellReport {
    const output = outputOf(outcome)
    const error = outcome.status === 'ok' ? undefined : toldError(outcome, output)
    if (output === undefined)
      return { observation: observation({ stdout: '', variablesChanged: [], error }, this.#settings.policy.shownChars) }
    const { finalAnswer, run } = output
    return {
      observation: observation({ ...output, error }, this.#settings.policy.shownChars),
      ...(error === undefined && finalAnswer !== undefined ? { answer: finalAnswer } : {}),
      state: { run },
    }
  }
}

/** Returns the output of a completed or failed cell; undefined if the cell did not end. */
function outputOf(outcome: Outcome<Json>): CellOutput | undefined {
  if (outcome.status === 'ok') return outcome.value as unknown as CellOutput
  if (outcome.status !== 'failed') return undefined
  const { output } = (outcome.error.info ?? {}) as { readonly output?: Json }
  return isRecord(output) ? (output as unknown as CellOutput) : undefined
}

/** Builds the error to show. The error name and position come from the output of the cell. */
function toldError(outcome: Exclude<Outcome, { status: 'ok' }>, output: CellOutput | undefined): ToldError {
  const message = reasonOf(outcome)
  const own = output?.error as Partial<ToldError> | undefined
  const { name, line, column } = own?.message === message ? own : {}
  return { code: codeOf(outcome), message, name, line, column }
}

function reasonOf(outcome: Exclude<Outcome, { status: 'ok' }>): string {
  return outcome.status === 'failed' ? outcome.error.message : describeOutcome(outcome)
}

const ANY_ANSWER = '`answer(value)`, with a text, or with data that shall be given as JSON,'

/** Heading of the context section in prompts that are not about it. */
const GIVEN = 'What you were given besides the task is in the variable `context`, and not shown here.'

function capabilities({ tools, agents, graphs, models }: CodeScene): string {
  return [
    ...(tools.length === 0 ? [] : [`Tools:\n\`\`\`ts\n${toolSignatures(tools)}\n\`\`\``]),
    ...(agents.length === 0
      ? []
      : [
          `Agents, called as \`await agent_query({ agent, prompt })\`:\n${agents.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
        ]),
    ...(graphs.length === 0 ? [] : [`Graphs that are ready to be run:\n\`\`\`ts\n${graphSignatures(graphs)}\n\`\`\``]),
    ...(models.length === 0 ? [] : ['`await model_query({ prompt, system? })` asks a model and gives its text.']),
    '`name_batched([...])` does several of these calls at once and gives `{ ok, value }` or `{ ok, error }` for each.',
  ].join('\n\n')
}

function limits({
  timeoutMs,
  maxModelCalls,
  maxToolCalls,
  maxAgentCalls,
  maxConcurrency,
  shownChars,
}: ReplPolicy): string {
  const time = timeoutMs === 0 ? '' : `${timeoutMs / 1000} s per cell, `
  return `Limits: ${time}${maxModelCalls} model calls, ${maxToolCalls} tool calls and ${maxAgentCalls} agent calls in all, ${maxConcurrency} at a time. You see at most ${shownChars} characters of an output.`
}
