import { MandateError, delay, errorInfo, joinLabels } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import type { AgentResult } from '../../agent/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { modelMessages } from '../message/model-messages.ts'
import { turnError } from '../provider/provider-error.ts'
import type { LiveStream } from '../turn/atlas-stream.ts'
import { answerOf, blockOf, plainRole } from '../turn/turn-block.ts'
import type { TurnContext, TurnHooks } from '../turn/turn-hooks.ts'
import { TurnRun } from '../turn/turn-run.ts'
import type { TurnEnd, TurnPlace, TurnRequest } from '../turn/turn-run.ts'
import type { ConversationKeeper } from './conversation-keeper.ts'
import type { ConversationHead, OpenTurn } from './conversation-record.ts'

/** How long whoever started a turn may take to choose its agent before another process does without. */
const STARTING_MS = 30_000
/** How long whoever ran a turn may take to store it before another process does. */
const SETTLE_GRACE_MS = 2_000
const LOOK_EVERY_MS = 100

/** What a message is sent with. */
interface TurnOptions {
  readonly agentId?: string | undefined
  readonly instructions?: string | undefined
  readonly toolChoice?: string | undefined
  readonly budget?: BudgetLimits | undefined
}

/** Everything that turns of one conversation need. */
export interface TurnScene {
  readonly id: string
  readonly keeper: ConversationKeeper
  readonly place: TurnPlace
  readonly hooks: TurnHooks
  /** Turns that wait for a person, whose events are still gathered here. */
  readonly parked: Map<string, TurnRun>
}

/** A message on its way. */
interface Sending {
  readonly message: ChatMessage
  readonly options: TurnOptions
  readonly stream: LiveStream
}

/** Takes one turn: stores the message, runs the agent, stores what it said. Whatever goes wrong is told to the stream. */
export async function takeTurn(scene: TurnScene, sending: Sending): Promise<void> {
  const { stream } = sending
  try {
    if (stream.cancelled !== undefined) return cancelQueued(scene, sending)
    const message = await scene.hooks.outgoing(sending.message)
    if (message === null) throw vetoed('outgoingMessage', 'message was not sent')
    const head = await begin(scene, { ...sending, message: scene.keeper.redacted(message) })
    const turn = head.turn!
    const run = new TurnRun(scene.place, turn.runId)
    const request = await requestOf(scene, head, { prompt: message, budget: sending.options.budget })
    await follow(scene, { stream, run, isResumed: false, drive: () => run.start(request) })
  } catch (error) {
    giveUp(scene, stream, error)
  }
}

/** Goes on with a turn that waited for a person, or whose process ended. */
export async function continueTurn(scene: TurnScene, stream: LiveStream, turn: OpenTurn): Promise<void> {
  try {
    const run = runOf(scene, turn)
    const request = await requestOf(scene, await scene.keeper.read(scene.id))
    await follow(scene, { stream, run, isResumed: true, drive: () => run.resume(request) })
  } catch (error) {
    giveUp(scene, stream, error)
  }
}

function giveUp(scene: TurnScene, stream: LiveStream, error: unknown): void {
  const failure = MandateError.isInstance(error) ? error : asFailure(error)
  scene.hooks.tell({ type: 'error', error: failure }, contextOf(scene, stream.streamId))
  stream.fail(failure)
}

function asFailure(error: unknown): MandateError {
  const { code, message, info } = errorInfo(error)
  return new MandateError(code, message, { info, cause: error })
}

/** Nothing was stored, and nothing is. */
function cancelQueued({ keeper, hooks, id }: TurnScene, { stream }: Sending): void {
  const metadata = { cancelled: true }
  const answer: ChatMessage = {
    id: `${stream.streamId}.answer`,
    role: 'assistant',
    createdAt: keeper.now(),
    content: [{ type: 'text', text: '' }],
    metadata,
  }
  hooks.tell({ type: 'end', cancelled: true }, { conversationId: id, streamId: stream.streamId })
  stream.end(answer, 'cancelled')
}

/** Makes the conversation this turn's own, and has the agent chosen. */
async function begin(scene: TurnScene, { message, options, stream }: Sending): Promise<ConversationHead> {
  const { keeper, hooks, id } = scene
  const { agentId, instructions, toolChoice } = options
  const { choose } = hooks
  const isChosen = choose === undefined
  const claim = (head: ConversationHead): ConversationHead => ({
    ...head,
    turn: {
      runId: stream.streamId,
      agentId: agentId ?? head.agentId,
      prompt: message,
      before: [],
      after: [],
      status: isChosen ? 'running' : 'starting',
      ...(isChosen ? {} : { until: keeper.now() + STARTING_MS }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    },
  })
  const claimed = await claimConversation(scene, claim, stream.streamId)
  if (isChosen) return claimed
  const context = contextOf(scene, stream.streamId, agentId)
  const stop = keepStarting(scene, stream.streamId)
  try {
    const chosen = await choose(message, context)
    return await keeper.change(id, (head) => withTurn(head, stream.streamId, { agentId: chosen, status: 'running' }))
  } catch (error) {
    await abandonTurn(scene, stream.streamId)
    throw error
  } finally {
    stop()
  }
}

/** Tells other processes that this one is still choosing an agent. */
function keepStarting({ keeper, id }: TurnScene, runId: string): () => void {
  let stop = (): void => {}
  const again = (): void => {
    stop = keeper.clock.timer(STARTING_MS / 3, () => {
      const until = keeper.now() + STARTING_MS
      keeper.change(id, (head) => withTurn(head, runId, { until })).then(again, again)
    })
  }
  again()
  return () => stop()
}

/** Waits until no other turn has the conversation. A turn whose process ended is brought to its end first. */
async function claimConversation(
  scene: TurnScene,
  claim: (head: ConversationHead) => ConversationHead,
  runId: string,
): Promise<ConversationHead> {
  const { keeper, id } = scene
  for (;;) {
    const head = await keeper.change(id, (before) => (before.turn === null ? claim(before) : undefined))
    if (head.turn?.runId === runId) return head
    if (head.turn !== null) await awaitTurn(scene, head.turn)
  }
}

/** Ends the open turn of a conversation: its run is cancelled, and what it said is stored. One that cannot be brought back is let go. */
export async function cancelTurn(scene: TurnScene, turn: OpenTurn, reason: string): Promise<void> {
  const run = runOf(scene, turn)
  try {
    run.cancel(reason)
    await scene.place.as.cancel(turn.runId, reason)
    await settle(scene, run, await run.resume(undefined))
  } catch {
    run.leave()
    await abandonTurn(scene, turn.runId)
  }
}

/** Waits for the turn of another, and settles it where nobody else does. Throws where it waits for a person. */
async function awaitTurn(scene: TurnScene, turn: OpenTurn): Promise<void> {
  const { keeper, id } = scene
  if (turn.status === 'starting' && (turn.until ?? 0) > keeper.now()) return delay(keeper.clock, LOOK_EVERY_MS)
  const run = runOf(scene, turn)
  const head = await keeper.read(id)
  if (head.turn?.runId !== turn.runId) return
  const result = await run.resume(await requestOf(scene, head))
  if (result.status === 'await_user') {
    await park(scene, run, { turn, result })
    throw waiting(id, result)
  }
  const end = keeper.now() + (turn.status === 'suspended' ? 0 : SETTLE_GRACE_MS)
  while (keeper.now() < end) {
    if ((await keeper.read(id)).turn?.runId !== turn.runId) return run.leave()
    await delay(keeper.clock, LOOK_EVERY_MS)
  }
  await settle(scene, run, result)
}

function runOf({ parked, place }: TurnScene, turn: OpenTurn): TurnRun {
  const known = parked.get(turn.runId)
  parked.delete(turn.runId)
  return known ?? new TurnRun(place, turn.runId, turn.text)
}

/** What the run of a turn is given: what was said before it, and the prompt. */
async function requestOf(
  { keeper }: TurnScene,
  head: ConversationHead,
  given?: { readonly prompt: ChatMessage; readonly budget: BudgetLimits | undefined },
): Promise<TurnRequest> {
  const turn = head.turn
  if (turn === null) throw nothingOpen(head.id)
  if (turn.agentId === null)
    throw new MandateError('CONFIG_INVALID', 'There is no agent to answer. Register one, or give `agentId`.')
  const blocks = await keeper.blocks(head)
  const history = [...blocks.flatMap(({ said }) => said), ...modelMessages(turn.before).map(plainRole)]
  const { instructions, toolChoice } = turn
  return {
    agentId: turn.agentId,
    prompt: modelMessages([given?.prompt ?? turn.prompt])[0]!,
    options: {
      sessionId: head.id,
      history,
      historyLabels: joinLabels(...blocks.map(({ labels }) => labels)),
      instructions,
      toolChoice,
      budget: given?.budget,
    },
  }
}

interface Following {
  readonly stream: LiveStream
  readonly run: TurnRun
  readonly isResumed: boolean
  readonly drive: () => Promise<AgentResult<Json>>
}

async function follow(scene: TurnScene, { stream, run, isResumed, drive }: Following): Promise<void> {
  const { hooks } = scene
  const context = contextOf(scene, stream.streamId)
  hooks.tell({ type: 'start', resumed: isResumed }, context)
  run.fold.listen((event) => {
    if (event.type === 'text') stream.push(event.text)
    hooks.tell(event, context)
  })
  stream.run((reason) => run.cancel(reason))
  const result = await drive().catch((error: unknown) => failedStart(scene, run, { streamId: stream.streamId, error }))
  if (result.status === 'await_user') return suspend(scene, { stream, run, result })
  const settled = await settle(scene, run, result)
  finish(scene, { stream, result, ...settled })
}

/** A run that could not begin leaves the user's message behind, and gives the conversation free. */
async function failedStart(
  scene: TurnScene,
  run: TurnRun,
  { streamId, error }: { readonly streamId: string; readonly error: unknown },
): Promise<never> {
  run.leave()
  if ((await scene.place.service.journal.summary(streamId)) === undefined) await abandonTurn(scene, streamId)
  throw error
}

/** Ends a turn of which nothing came: the messages that were sent stay. */
async function abandonTurn({ keeper, id }: TurnScene, runId: string): Promise<void> {
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== runId) return undefined
    const messages = [...turn.before, turn.prompt, ...turn.after]
    await keeper.store.writeBlock(id, head.blocks, { messages, said: modelMessages(messages).map(plainRole) })
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
}

interface Suspended {
  readonly turn: OpenTurn
  readonly result: AgentResult<Json>
}

async function park(scene: TurnScene, run: TurnRun, { turn, result }: Suspended): Promise<void> {
  const { keeper, id, parked } = scene
  run.fold.listen(undefined)
  parked.set(turn.runId, run)
  const { shown } = run.fold
  await keeper.change(id, (head) =>
    withTurn(head, turn.runId, { status: 'suspended', pending: result.pending, text: shown }),
  )
}

async function suspend(
  scene: TurnScene,
  { stream, run, result }: { readonly stream: LiveStream; readonly run: TurnRun; readonly result: AgentResult<Json> },
): Promise<void> {
  const { keeper, id, hooks } = scene
  const { turn } = await keeper.read(id)
  if (turn === null) throw nothingOpen(id)
  await park(scene, run, { turn, result })
  const end = await run.end(result)
  const answer = answerOf({ turn, end, shown: run.fold.shown, now: keeper.now() })
  const pending = result.pending
  hooks.tell({ type: 'end', suspended: true, pending }, contextOf(scene, stream.streamId))
  stream.end(answer, 'suspended', pending)
}

interface Settled {
  readonly end: TurnEnd
  readonly answer: ChatMessage | null
}

/** Stores what a turn said, once, and gives the conversation free. */
async function settle(scene: TurnScene, run: TurnRun, result: AgentResult<Json>): Promise<Settled> {
  const { keeper, id, hooks } = scene
  const end = await run.end(result)
  const isWhole = result.status === 'completed' || result.status === 'max_tokens'
  if (isWhole)
    run.fold.close(
      end.said.map(({ message }) => message),
      result.text,
    )
  run.leave()
  const { shown } = run.fold
  let answer: ChatMessage | null = null
  let intercepted: ChatMessage | null | undefined
  await keeper.change(id, async (head) => {
    const { turn } = head
    if (turn?.runId !== result.id) return undefined
    const ending = { turn, end, shown, now: keeper.now() }
    const made = answerOf(ending)
    if (intercepted === undefined) intercepted = await hooks.incoming(made)
    answer = intercepted
    const isChanged = answer !== null && chatText(answer) !== chatText(made)
    const block = keeper.redacted(blockOf(ending, answer, isChanged))
    await keeper.store.writeBlock(id, head.blocks, block)
    return { ...head, turn: null, blocks: head.blocks + 1 }
  })
  return { end, answer: answer ?? intercepted ?? null }
}

function finish(
  scene: TurnScene,
  { stream, result, answer }: Settled & { readonly stream: LiveStream; readonly result: AgentResult<Json> },
): void {
  const { hooks } = scene
  const context = contextOf(scene, stream.streamId)
  const { status, error } = result
  if (status === 'failed' || status === 'max_turns') {
    const failure = turnError(error ?? { code: 'INTERNAL', message: 'The turn failed.' })
    hooks.tell({ type: 'error', error: failure }, context)
    hooks.tell({ type: 'end', failed: true }, context)
    return stream.fail(failure)
  }
  if (answer === null) {
    hooks.tell({ type: 'end' }, context)
    return stream.fail(vetoed('incomingMessage', 'answer was not kept'))
  }
  const isCancelled = status === 'cancelled'
  hooks.tell(isCancelled ? { type: 'end', cancelled: true } : { type: 'end' }, context)
  if (!isCancelled || chatText(answer) !== '') hooks.tell({ type: 'received', message: answer }, context)
  stream.end(answer, isCancelled ? 'cancelled' : 'completed')
}

function contextOf({ id }: TurnScene, streamId: string, agentId?: string): TurnContext {
  return { conversationId: id, streamId, agentId }
}

/** The head with a turn that has changed; nothing where the turn is over. */
export function withTurn(
  head: ConversationHead,
  runId: string,
  change: Partial<OpenTurn>,
): ConversationHead | undefined {
  return head.turn?.runId === runId ? { ...head, turn: { ...head.turn, ...change } } : undefined
}

function vetoed(name: string, what: string): MandateError {
  return new MandateError('DENIED', `The ${what}: the interceptor \`${name}\` gave null.`)
}

/** The error for a conversation that has nothing to continue. */
export function nothingOpen(id: string): MandateError {
  return new MandateError('RUN_STATE', `The conversation "${id}" has no turn to continue. Send a message.`)
}

function waiting(id: string, { pending }: AgentResult<Json>): MandateError {
  const ids = pending.flatMap(({ approvalId }) => approvalId ?? [])
  const what = ids.length === 0 ? '' : ` (${ids.join(', ')})`
  return new MandateError(
    'RUN_STATE',
    `The conversation "${id}" waits for a person${what}. Answer that and continue the conversation, or cancel its turn.`,
    { info: { pending } },
  )
}
