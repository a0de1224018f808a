import { checkId, MandateError, budgetLimits, joinLabels, toPlain, checkFields } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, Json, Label } from '../../core/index.ts'
import type { Durability, Identity } from '../../journal/index.ts'
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

/** What a caller may be told while a run is under way. A callback that throws, or a promise of it that rejects, does not disturb it. */
export interface RunCallbacks {
  readonly onStepStart?: ((step: StepInfo) => unknown) | undefined
  /** The text as it is written, piece by piece. */
  readonly onModelTokens?: ((text: string) => unknown) | undefined
  /** A model call broke off after it had begun to speak and is tried again: `text` is all that still stands. Show that instead. */
  readonly onTextReset?: ((text: string) => unknown) | undefined
  /** A tool, or another agent, is about to be called. */
  readonly onToolCall?: ((toolId: string, input: Json) => unknown) | undefined
  /** Something failed or was denied, whether or not the run can go on. */
  readonly onError?: ((error: { readonly code: string; readonly message: string }) => unknown) | undefined
}

/** What can be chosen for one run. */
export interface RunOptions extends RunCallbacks {
  /** Cancels the run when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** Text deltas, the shorter way. */
  readonly stream?: { readonly onTextDelta?: ((text: string) => unknown) | undefined } | undefined
  /** Facts for hooks and sub-agents; plain data. */
  readonly context?: unknown
  /** The session that the run belongs to; one of its own when absent. */
  readonly sessionId?: string | undefined
  /** Starting the same id twice gives the same run. */
  readonly runId?: string | undefined
  /** Where the agent was loaded from; kept in the journal to load it again on resume. */
  readonly source?: string | undefined
  /** Who starts it; the identity of the service when absent. */
  readonly identity?: Identity | undefined
  /** Limits of this run, within those of the mandates. */
  readonly budget?: BudgetLimits | undefined
  /** When entries are on disk: `sync` (the default), `batch` or `exit`. */
  readonly durability?: Durability | undefined
  /** What this run is told before the instructions of its agent. */
  readonly instructions?: string | undefined
  /** Whether tools are called in this run: instead of what the agent's own `toolChoice` says. */
  readonly toolChoice?: string | undefined
  /** Pictures, documents and other files that go with the prompt. */
  readonly files?: readonly RunFile[] | undefined
  /** Messages that came before. */
  readonly history?: readonly Message[] | undefined
  /** What the prompt and the context were made from, where they are not the user's own words: a mail that starts a run is `untrusted:mail`. */
  readonly labels?: readonly Label[] | undefined
  /** The same for `history`. A session knows it of its own runs. */
  readonly historyLabels?: readonly Label[] | undefined
}

/** What can still be chosen for a run that exists already. */
export type ResumeOptions = RunCallbacks & Pick<RunOptions, 'signal' | 'stream' | 'identity' | 'budget'>

const RESUME_FIELDS: FieldNames<ResumeOptions> = {
  signal: true,
  stream: true,
  identity: true,
  budget: true,
  onStepStart: true,
  onModelTokens: true,
  onTextReset: true,
  onToolCall: true,
  onError: true,
}

/** The same for a run that exists already: what can no longer be chosen is refused instead of having no effect. */
export function checkResumeOptions(options: ResumeOptions): void {
  checkFields(options, 'an option of `resume`', RESUME_FIELDS, 'INPUT_INVALID')
}

/** What a run is asked: a text, or a message with pictures and files. */
export type Prompt = string | Message | undefined

const FIELDS: FieldNames<RunOptions> = {
  signal: true,
  stream: true,
  context: true,
  sessionId: true,
  runId: true,
  source: true,
  identity: true,
  budget: true,
  durability: true,
  instructions: true,
  toolChoice: true,
  files: true,
  history: true,
  labels: true,
  historyLabels: true,
  onStepStart: true,
  onModelTokens: true,
  onTextReset: true,
  onToolCall: true,
  onError: true,
}

/** Refuses unknown options: a misspelt `budget` would be no limit, a misspelt `identity` the host itself. */
export function checkRunOptions(options: RunOptions): void {
  checkFields(options, 'an option of a run', FIELDS, 'INPUT_INVALID')
}

const DURABILITIES: readonly unknown[] = ['sync', 'batch', 'exit']

/** Where, by whom and within what a run is to take place; whatever cannot be meant is refused before anything begins. */
export function readPlace(
  options: RunOptions,
): Pick<RunOptions, 'runId' | 'sessionId' | 'source' | 'budget' | 'durability' | 'labels'> {
  const { runId, sessionId, source, durability } = options
  if (runId !== undefined) checkId(runId, 'The run id')
  if (durability !== undefined && !DURABILITIES.includes(durability)) {
    throw invalid(`\`durability\` is ${JSON.stringify(durability)}. Use one of: ${DURABILITIES.join(', ')}`)
  }
  return {
    runId,
    sessionId,
    source,
    durability,
    labels: joinLabels(readLabels(options.labels, 'labels'), readLabels(options.historyLabels, 'historyLabels')),
    budget: options.budget === undefined ? undefined : budgetLimits(options.budget),
  }
}

/** Where no files can be given. */
const NO_ROOM: FileRoom = { maxBytes: 0, why: '' }

/** What a run is given, as plain data of its own: what the caller changes afterwards changes nothing here. */
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

/** What is asked of this run beside its prompt; whether the agent has the tool is looked at where the agent is known. */
function readWishes({ instructions, toolChoice }: RunOptions): Pick<AgentInput, 'instructions' | 'toolChoice'> {
  if (instructions !== undefined && typeof instructions !== 'string') throw invalid('`instructions` must be a text')
  const isTold = instructions !== undefined && instructions !== ''
  return { ...(isTold ? { instructions } : {}), ...(toolChoice === undefined ? {} : { toolChoice }) }
}

function readLabels(given: unknown, name: string): readonly Label[] {
  const labels: unknown = given ?? []
  if (Array.isArray(labels) && labels.every((label) => typeof label === 'string' && label !== '')) return labels
  throw invalid(`\`${name}\` must be a list of texts, such as ["untrusted:mail"]`)
}

/** The user's message, in whichever form it was given. */
function readPrompt(prompt: Prompt, history: readonly Message[], files: readonly Part[]): Message | null {
  if (typeof prompt === 'string' && prompt !== '') return userMessage(prompt)
  if (prompt === undefined || prompt === '') {
    if (history.length > 0 || files.length > 0) return null
    throw invalid('There is nothing to do: give a prompt to `run`, or a `prompt` to the agent')
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
