import { MandateError } from '../../core/index.ts'
import type { BudgetLimits, Json } from '../../core/index.ts'
import type { AgentResult } from '../../agent/index.ts'
import { chatText } from '../message/chat-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { turnError } from '../provider/provider-error.ts'
import type { LiveStream } from '../turn/atlas-stream.ts'
import { answerOf } from '../turn/turn-block.ts'
import { asFailure } from '../turn/turn-failure.ts'
import { NO_HOOKS } from '../turn/turn-hooks.ts'
import { TurnRun, turnEnd } from '../turn/turn-run.ts'
import type { OpenTurn } from './conversation-record.ts'
import { viewTurn } from './open-turn.ts'
import { awaitTurn, beginTurn, keepClaim } from './turn-claim.ts'
import { abandonTurn, park, settle, storedAnswer } from './turn-end.ts'
import type { Answer } from './turn-end.ts'
import { contextOf, followedIn, nothingOpen, requestOf, runOf } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** Options of the message that begins a turn. */
interface TurnOptions {
  readonly agentId?: string | undefined
  readonly instructions?: string | undefined
  readonly toolChoice?: string | undefined
  readonly budget?: BudgetLimits | undefined
  readonly queue?: boolean | undefined
}

/** A message that is being sent. */
interface Sending {
  readonly message: ChatMessage
  readonly options: TurnOptions
  readonly stream: LiveStream
}

/** Takes one turn: stores the message, runs the agent, stores its answer. The stream reports all errors. */
export async function takeTurn(scene: TurnScene, sending: Sending): Promise<void> {
  const { stream, options } = sending
  try {
    if (stream.isTakenBack) return cancelQueued(scene, stream)
    const message = await stream.unlessCancelled(scene.hooks.outgoing(sending.message))
    if (message === undefined) return cancelQueued(scene, stream)
    if (message === null) throw vetoed('outgoingMessage', 'message was not sent')
    const isRepeated = await keepingClaim(scene, stream.streamId, async () => {
      const begun = await beginTurn(scene, { stream, options, message: scene.keeper.redacted(message) })
      if (begun === 'withdrawn') cancelQueued(scene, stream)
      if (typeof begun === 'string') return begun === 'repeated'
      const run = new TurnRun(scene.place, stream.streamId)
      const request = await requestOf(scene, begun.head, { prompt: message, budget: options.budget }).catch(
        (error: unknown) => failedStart(scene, run, { streamId: stream.streamId, isResumed: false, error }),
      )
      await follow(scene, { stream, run, isResumed: false, drive: () => run.start(request) })
      return false
    })
    // The lease of the existing turn is extended by the process that runs it, not here.
    if (isRepeated) await repeatTurn(scene, stream)
  } catch (error) {
    giveUp(scene, stream, error)
  }
}

async function keepingClaim<T>(scene: TurnScene, runId: string, work: () => Promise<T>): Promise<T> {
  const stop = keepClaim(scene, runId)
  try {
    return await work()
  } finally {
    stop()
  }
}

/** Continues a turn that waited for a person, or whose process ended. */
export async function continueTurn(scene: TurnScene, stream: LiveStream, turn: OpenTurn): Promise<void> {
  try {
    const run = runOf(scene, turn)
    // A suspended turn has a run already: if its journal is not in this store, it cannot be continued.
    const request = turn.status === 'suspended' ? undefined : await requestOf(scene, await scene.keeper.read(scene.id))
    await keepingClaim(scene, turn.runId, () =>
      follow(scene, { stream, run, isResumed: true, drive: () => run.resume(request) }),
    )
  } catch (error) {
    giveUp(scene, stream, error)
  }
}

function giveUp(scene: TurnScene, stream: LiveStream, error: unknown): void {
  const failure = asFailure(error)
  scene.hooks.tell({ type: 'error', error: failure }, contextOf(scene, stream.streamId))
  stream.fail(failure)
}

/** Ends the stream of a message for which no run was started. */
function cancelQueued(scene: TurnScene, stream: LiveStream): void {
  const answer: ChatMessage = {
    id: `${stream.streamId}.answer`,
    role: 'assistant',
    createdAt: scene.keeper.now(),
    content: [{ type: 'text', text: '' }],
    metadata: { cancelled: true },
  }
  scene.hooks.tell({ type: 'end', cancelled: true }, contextOf(scene, stream.streamId))
  stream.end(answer, 'cancelled')
}

/** Returns the result of a turn whose message was sent before under the same key. */
async function repeatTurn(scene: TurnScene, stream: LiveStream): Promise<void> {
  const { keeper, id, place } = scene
  const { streamId } = stream
  stream.start()
  for (;;) {
    const head = await keeper.read(id)
    const { turn } = head
    if (turn?.runId !== streamId) {
      const answer = await storedAnswer(scene, streamId)
      const result = (await resultBefore(scene, streamId, answer)) ?? (await place.as.result(streamId))
      if (answer !== null) stream.push(chatText(answer))
      // Listeners were called when the turn ended.
      return finish({ ...scene, hooks: NO_HOOKS }, { stream, result, answer })
    }
    const { status, pending } = await viewTurn(place, turn, keeper.now())
    if (status === 'suspended') {
      const result = await place.as.result(streamId)
      const end = await turnEnd(place.service.journal, result)
      return stream.end(answerOf({ turn, end, shown: turn.text ?? '', now: keeper.now() }), 'suspended', pending)
    }
    await awaitTurn(scene, turn, true)
  }
}

/** The result of a turn whose run was erased: its answer is in the conversation. `undefined` if the run was not erased. */
async function resultBefore(
  { id, place }: TurnScene,
  runId: string,
  answer: ChatMessage | null,
): Promise<Finished['result'] | undefined> {
  const { state, erased = false } = (await place.service.journal.summary(runId)) ?? {}
  if (!erased) return undefined
  if (answer !== null && (state === 'completed' || state === 'cancelled')) return { status: state }
  throw new MandateError(
    'JOURNAL_ERASED',
    `The message was sent before under this key, in the conversation "${id}". Its run ended as ${state} and was erased since, so its result is gone. Send it under another key to have it answered again.`,
  )
}

interface Following {
  readonly stream: LiveStream
  readonly run: TurnRun
  readonly isResumed: boolean
  readonly drive: () => Promise<AgentResult<Json>>
}

async function follow(scene: TurnScene, following: Following): Promise<void> {
  const here = followedIn(scene.place)
  const { streamId } = following.stream
  const done = followToEnd(scene, following)
  const settled = done.catch(() => {})
  here.set(streamId, settled)
  try {
    await done
  } finally {
    if (here.get(streamId) === settled) here.delete(streamId)
  }
}

async function followToEnd(scene: TurnScene, { stream, run, isResumed, drive }: Following): Promise<void> {
  const { hooks } = scene
  const context = contextOf(scene, stream.streamId)
  hooks.tell({ type: 'start', resumed: isResumed }, context)
  run.fold.listen((event) => {
    if (event.type === 'text') stream.push(event.text)
    hooks.tell(event, context)
  })
  stream.run((reason) => run.cancel(reason))
  void run.begun.then(() => stream.start())
  const result = await drive().catch((error: unknown) =>
    failedStart(scene, run, { streamId: stream.streamId, isResumed, error }),
  )
  if (result.status === 'await_user') return suspend(scene, { stream, run, result })
  finish(scene, { stream, result, ...(await settle(scene, run, result)) })
}

interface FailedStart {
  readonly streamId: string
  readonly isResumed: boolean
  readonly error: unknown
}

/**
 * Releases the conversation after a run could not start. The message is dropped, so that sending it again does not store it twice. It is kept if listeners were
 * notified of it, or if another process had taken the turn.
 */
async function failedStart(
  scene: TurnScene,
  run: TurnRun,
  { streamId, isResumed, error }: FailedStart,
): Promise<never> {
  run.leave()
  const isRefused = !isResumed && scene.hooks.choose === undefined
  if ((await scene.place.service.journal.summary(streamId)) === undefined) await abandonTurn(scene, streamId, isRefused)
  throw error
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
  const { pending } = result
  hooks.tell({ type: 'end', suspended: true, pending }, contextOf(scene, stream.streamId))
  stream.end(answer, 'suspended', pending)
}

interface Finished extends Answer {
  readonly stream: LiveStream
  readonly result: Pick<AgentResult<Json>, 'status' | 'error'>
}

function finish(scene: TurnScene, { stream, result, answer, error }: Finished): void {
  const { hooks } = scene
  const context = contextOf(scene, stream.streamId)
  const { status } = result
  if (status === 'failed' || status === 'max_turns') {
    const failure = turnError(result.error ?? { code: 'INTERNAL', message: 'The turn failed.' })
    hooks.tell({ type: 'error', error: failure }, context)
    hooks.tell({ type: 'end', failed: true }, context)
    return stream.fail(failure)
  }
  if (error !== undefined) {
    hooks.tell({ type: 'end', failed: true }, context)
    return stream.fail(error)
  }
  const isCancelled = status === 'cancelled'
  hooks.tell(isCancelled ? { type: 'end', cancelled: true } : { type: 'end' }, context)
  if (answer === null) return stream.fail(vetoed('incomingMessage', 'answer was not kept'))
  if (!isCancelled || chatText(answer) !== '') hooks.tell({ type: 'received', message: answer }, context)
  stream.end(answer, isCancelled ? 'cancelled' : 'completed')
}

function vetoed(name: string, what: string): MandateError {
  return new MandateError('DENIED', `The ${what}: the interceptor \`${name}\` gave null.`)
}
