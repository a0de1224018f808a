import { checkId, MandateError, budgetLimits, joinLabels, toPlain, checkFields } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, Json, Label } from '../../core/index.ts'
import type { Durability, Identity, RunPriority } from '../../journal/index.ts'
import { checkTranscript, userMessage } from '../../model/index.ts'
import type { Message, Part } from '../../model/index.ts'
import type { AgentInput } from '../output/output-types.ts'
import { readFiles } from './run-files.ts'
import type { FileRoom } from './run-files.ts'
import type { RunFile } from './run-files.ts'

interface StepInfo {
  readonly runId: string
  readonly agentId: string
  readonly turn: number
}

/** Callbacks for events of a run. A callback that throws or rejects does not affect the run. */
export interface RunCallbacks {
  /** Called when a turn starts. */
  readonly onStepStart?: ((step: StepInfo) => unknown) | undefined
  /** Called with each piece of text as it is written. */
  readonly onModelTokens?: ((text: string) => unknown) | undefined
  /** Called when a model call broke off after it had emitted text and is retried: `text` is the remaining text, to be displayed instead. */
  readonly onTextReset?: ((text: string) => unknown) | undefined
  /** Called before a call of a tool or another agent. */
  readonly onToolCall?: ((toolId: string, input: Json) => unknown) | undefined
  /** Called when something failed or was denied, whether or not the run can continue. */
  readonly onError?: ((error: { readonly code: string; readonly message: string }) => unknown) | undefined
}

/** Options of one run. */
export interface RunOptions extends RunCallbacks {
  /** Cancels the run when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** A shorthand for text deltas. */
  readonly stream?: { readonly onTextDelta?: ((text: string) => unknown) | undefined } | undefined
  /** Data for hooks and sub-agents; must be plain data. */
  readonly context?: unknown
  /** The session of the run; one of its own by default. */
  readonly sessionId?: string | undefined
  /** The id of the run: starting the same id twice gives the same run. */
  readonly runId?: string | undefined
  /** Where the agent was loaded from; journaled, to load it again on resume. */
  readonly source?: string | undefined
  /** The identity that starts it; that of the service by default. */
  readonly identity?: Identity | undefined
  /** Limits of this run, within those of the mandates. */
  readonly budget?: BudgetLimits | undefined
  /** When entries are durable: `sync` (the default), `batch` or `exit`. */
  readonly durability?: Durability | undefined
  /** Among workers that share runs: which waiting runs are taken first, `high`, `normal` (the default) or `low`. */
  readonly priority?: RunPriority | undefined
  /** Instructions of this run, before those of its agent. */
  readonly instructions?: string | undefined
  /** Overrides the agent's `toolChoice` in this run. */
  readonly toolChoice?: string | undefined
  /** The id of the model that this run uses instead of those of its agent: a model of any agent of the service that the caller may run. */
  readonly model?: string | undefined
  /** Images, documents and other files of the prompt. */
  readonly files?: readonly RunFile[] | undefined
  /** Earlier messages. */
  readonly history?: readonly Message[] | undefined
  /** The labels of prompt and context, if they are not the user's own words: a mail that starts a run is `untrusted:mail`. */
  readonly labels?: readonly Label[] | undefined
  /** The labels of `history`. A session tracks those of its own runs. */
  readonly historyLabels?: readonly Label[] | undefined
}

/** Options of resuming a run. */
export type ResumeOptions = RunCallbacks & Pick<RunOptions, 'signal' | 'stream' | 'identity' | 'budget'>

const STREAM: FieldNames<NonNullable<RunOptions['stream']>> = { onTextDelta: 'function' }

const RESUME_FIELDS: FieldNames<ResumeOptions> = {
  signal: 'object',
  stream: 'object',
  identity: 'object',
  budget: 'object',
  onStepStart: 'function',
  onModelTokens: 'function',
  onTextReset: 'function',
  onToolCall: 'function',
  onError: 'function',
}

/** The same for an existing run: options that can no longer be chosen are refused instead of being ignored. */
export function checkResumeOptions(options: ResumeOptions): void {
  checkFields(options, 'an option of `resume`', RESUME_FIELDS, 'INPUT_INVALID')
  checkFields(options.stream, 'a field of `stream`', STREAM, 'INPUT_INVALID')
}

/** The prompt of a run: a text, or a message with images and files. */
export type Prompt = string | Message | undefined

const FIELDS: FieldNames<RunOptions> = {
  signal: 'object',
  stream: 'object',
  context: true,
  sessionId: true,
  runId: true,
  source: 'text',
  identity: 'object',
  budget: 'object',
  durability: 'text',
  priority: 'text',
  instructions: 'text',
  toolChoice: 'text',
  model: 'text',
  files: 'list',
  history: 'list',
  labels: 'texts',
  historyLabels: 'texts',
  onStepStart: 'function',
  onModelTokens: 'function',
  onTextReset: 'function',
  onToolCall: 'function',
  onError: 'function',
}

/** Throws on unknown options: a misspelt `budget` would be no limit, a misspelt `identity` would be the host itself. */
export function checkRunOptions(options: RunOptions): void {
  checkFields(options, 'an option of a run', FIELDS, 'INPUT_INVALID')
  checkFields(options.stream, 'a field of `stream`', STREAM, 'INPUT_INVALID')
}

const DURABILITIES: readonly unknown[] = ['sync', 'batch', 'exit']
const PRIORITIES: readonly unknown[] = ['high', 'normal', 'low']

/** Session, identity and limits of a run; throws on invalid ones before anything starts. */
export function readPlace(
  options: RunOptions,
): Pick<RunOptions, 'runId' | 'sessionId' | 'source' | 'budget' | 'durability' | 'priority' | 'labels'> {
  const { runId, sessionId, source, durability, priority } = options
  if (runId !== undefined) checkId(runId, 'The run id')
  if (durability !== undefined && !DURABILITIES.includes(durability)) {
    throw invalid(`\`durability\` is ${JSON.stringify(durability)}. Use one of: ${DURABILITIES.join(', ')}`)
  }
  if (priority !== undefined && !PRIORITIES.includes(priority))
    throw invalid(`\`priority\` is ${JSON.stringify(priority)}. Use one of: ${PRIORITIES.join(', ')}`)
  return {
    runId,
    sessionId,
    source,
    durability,
    priority,
    labels: joinLabels(readLabels(options.labels, 'labels'), readLabels(options.historyLabels, 'historyLabels')),
    budget: options.budget === undefined ? undefined : budgetLimits(options.budget),
  }
}

/** For calls that cannot have files. */
const NO_ROOM: FileRoom = { maxBytes: 0, why: '' }

/** The input of a run, as a copy in plain data: later changes of the caller have no effect. */
export function readInput(
  prompt: Prompt,
  taskPrompt: string | undefined,
  options: RunOptions,
  room: FileRoom = NO_ROOM,
): AgentInput {
  const history = readHistory(options.history ?? [])
  const { value: context, issues } = toPlain(options.context ?? null)
  if (issues.length > 0) throw invalid(`\`context\` must be plain data: ${issues.join('; ')}`)
  const isOwn = (options.labels?.length ?? 0) === 0 && (options.historyLabels?.length ?? 0) > 0
  const files = readFiles(options.files, room)
  const input = { prompt: withFiles(readPrompt(prompt ?? taskPrompt, history, files), files), history, context }
  return { ...input, ...(isOwn ? { ownPrompt: true as const } : {}), ...readWishes(options) }
}

/** The requested model and tool choice of this run; whether they exist is checked where they are known. */
function readWishes({
  instructions,
  toolChoice,
  model,
}: RunOptions): Pick<AgentInput, 'instructions' | 'toolChoice' | 'model'> {
  if (instructions !== undefined && typeof instructions !== 'string') throw invalid('`instructions` must be a text')
  const isTold = instructions !== undefined && instructions !== ''
  return {
    ...(isTold ? { instructions } : {}),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(model === undefined ? {} : { model }),
  }
}

function readLabels(given: unknown, name: string): readonly Label[] {
  const labels: unknown = given ?? []
  if (Array.isArray(labels) && labels.every((label) => typeof label === 'string' && label !== '')) return labels
  throw invalid(`\`${name}\` must be a list of texts, such as ["untrusted:mail"]`)
}

/** Reads the user's message in any accepted form. */
function readPrompt(prompt: Prompt, history: readonly Message[], files: readonly Part[]): Message | null {
  if (typeof prompt === 'string' && prompt !== '') return userMessage(prompt)
  if (prompt === undefined || prompt === '') {
    if (history.length > 0 || files.length > 0) return null
    throw invalid('There is no prompt. Give one to `run`, or set `prompt` of the agent')
  }
  const message = readMessage(prompt)
  if (message?.role === 'user' && checkTranscript([message]).length === 0) return message
  throw invalid('A prompt is a text or a message of the user, { role: "user", content: [{ type: "text", text }] }')
}

function withFiles(prompt: Message | null, files: readonly Part[]): Message | null {
  if (files.length === 0) return prompt
  return prompt === null ? userMessage(files) : { ...prompt, content: [...prompt.content, ...files] }
}

function readHistory(given: readonly Message[]): readonly Message[] {
  if (!Array.isArray(given)) throw invalid('`history` must be a list of messages')
  const messages = given.map((one, index) => {
    const message = readMessage(one)
    if (message === undefined)
      throw invalid(`\`history\` has no message at ${index}: it needs a \`role\` and \`content\`, a list of parts`)
    return message
  })
  const [problem] = checkTranscript(messages)
  if (problem === undefined) return messages
  throw invalid(`\`history\` cannot be sent to a model: ${problem.message}. Keep every call together with its result`)
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

function readMessage(given: unknown): Message | undefined {
  const { value } = toPlain(given)
  const message = value as unknown as Partial<Message> | null
  const parts = Array.isArray(message?.content) ? (message.content as readonly { type?: unknown }[]) : undefined
  const isGood = ROLES.includes(message?.role) && parts?.every((part) => typeof part?.type === 'string') === true
  return isGood ? (message as Message) : undefined
}

function invalid(what: string): MandateError {
  return new MandateError('INPUT_INVALID', what.endsWith('?') ? what : `${what}.`)
}
