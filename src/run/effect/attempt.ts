import { MandateError, monotonicNow } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { ErrorCode } from '../../core/index.ts'
import type { EffectKind, Spend } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { cancelledOutcome } from '../lifecycle/run-outcome.ts'
import { plainError } from '../lifecycle/failure.ts'
import { untilReleased } from './bounded-wait.ts'
import { proveLease } from '../lifecycle/lease.ts'
import { idempotencyKeyOf } from './effect-identity.ts'
import type { Ending, Permit, Request } from './perform.ts'
import type { KernelCut, Parked, KernelCall, Performed, KernelPerformer } from '../performers/performer.ts'
import { beforeNext, wait } from './retry-wait.ts'

/** The result of an attempt, before it is prepared for the journal. */
export type Attempted = { readonly performed: Performed; readonly durationMs: number } | { readonly ending: Ending }

/**
 * Step 6, performing: makes one attempt after another, each with its own timeout, until one succeeds, no retry is left, or the run is aborted. Every
 * attempt is made under a proven lease: after any wait, the store is asked first whether this process still owns the run.
 */
export async function attempt(request: Request, permit: Permit): Promise<Attempted> {
  const { run } = request
  let { isProven } = permit
  // An effect inside another call shares the place of that call in the order.
  const order = request.isWithin === true ? undefined : run.order
  order?.begin(request.key)
  try {
    const began = monotonicNow(run.host.clock)
    const duration = (): number => monotonicNow(run.host.clock) - began
    for (let number = permit.attempts + 1; ; number++) {
      const proof = proveLease(run, isProven)
      if (proof !== undefined) await proof
      isProven = false
      if (run.ended) return await new Promise<never>(() => {})
      // A child run that an earlier segment left open must be performed even now: that is what cancels it.
      if (run.signal.aborted && request.performer.isRun !== true)
        return { ending: { outcome: cancelledOutcome(run), durationMs: duration() } }
      if (request.task?.isClosed === true) return { ending: { ...abandoned(request), durationMs: duration() } }
      const trying = once(request, permit, number)
      order?.wait(request.key)
      const tried = await trying
      if (order !== undefined) await order.turn(request.key)
      if ('value' in tried) return { performed: tried, durationMs: duration() }
      if ('parked' in tried) {
        order?.end(request.key)
        await wait(request, tried)
        order?.begin(request.key)
        number -= 1
      } else {
        const last = await beforeNext(request, permit, tried, number)
        if (last !== undefined) return { ending: { ...last, durationMs: duration() } }
      }
    }
  } finally {
    order?.end(request.key)
    request.slots.release()
  }
}

export interface Fault {
  readonly error: unknown
  readonly call: KernelCall
  readonly ending: Ending
}

function once(request: Request, permit: Permit, number: number): Promise<Performed | Parked | Fault> {
  const { run, key, performer } = request
  const effect = permit.carry === undefined ? request.effect : Object.freeze({ ...request.effect, carry: permit.carry })
  const cut = new AbortController()
  const timeoutMs = performer.timeoutMs(effect, run)
  const call: KernelCall = {
    run,
    key,
    effect,
    input: permit.input,
    signal: cut.signal,
    idempotencyKey: idempotencyKeyOf(request),
    attempt: number,
    deadline: timeoutMs === undefined ? Number.POSITIVE_INFINITY : run.host.clock.now() + timeoutMs,
    emit: (type, data) => (cut.signal.aborted ? undefined : run.emit(type, data, key)),
  }
  return race(request, { call, cut, timeoutMs })
}

/** The spend of a failed attempt. It counts as one call at least. */
export function attemptSpend({ effect, performer, run }: Request, cut?: KernelCut): Spend {
  if (performer.unfinished !== undefined) return performer.unfinished(cut?.call.effect ?? effect, run, cut)
  return effect.kind === 'tool' ? { toolCalls: 1 } : {}
}

/**
 * Runs one attempt against timeout, abort and interruption. A performer that ignores its abort signal is abandoned: the run continues without it, and its
 * late result is dropped.
 */
function race(
  request: Request,
  { call, cut, timeoutMs }: { call: KernelCall; cut: AbortController; timeoutMs: number | undefined },
): Promise<Performed | Parked | Fault> {
  const { run, performer, effect } = request
  const { clock } = run.host
  return new Promise((resolve) => {
    let isOver = false
    let stopTimeout: (() => void) | undefined
    let stopGrace: (() => void) | undefined
    const over = (): void => {
      isOver = true
      stopTimeout?.()
      stopGrace?.()
      ignoreAbort()
      ignoreInterrupt()
      ignoreCut?.()
      run.calls.end()
    }
    const settle = (tried: Performed | Parked | Fault | Promise<never>): void => {
      over()
      resolve(tried)
    }
    let cutBy: Error | undefined
    const fail = (error: unknown): void => {
      if (isOver) return
      if (cutBy !== undefined) return settle(faultOf(request, call, cutBy))
      // It failed because it was aborted for the suspension, which is not the outcome of the call.
      if (cut.signal.aborted && !run.signal.aborted) return leave()
      cut.abort(error)
      settle(faultOf(request, call, error))
    }
    const onAbort = (): void => {
      cut.abort(run.abortReason)
      stopGrace?.()
      // The performer may be about to finish: a short grace period gives a known outcome instead of one in doubt.
      if (performer.isRun !== true) stopGrace = clock.timer(run.limits.cancelGraceMs, () => fail(run.abortReason!))
    }
    const onInterrupt = (): void => {
      // A child run is interrupted by itself and reports that; an effect inside a call is left open together with the call.
      if (performer.isRun === true || request.isWithin === true || isOver || run.signal.aborted) return
      const isModel = MODEL_KINDS.has(effect.kind)
      if (isModel) cut.abort(interruptedError(run))
      stopGrace = clock.timer(graceOf(run, isModel), leave)
    }
    const leave = (): void => {
      if (isOver) return
      over()
      cut.abort(interruptedError(run))
      void leaveOpen(request).then(() => resolve(faultOf(request, call, run.abortReason)))
    }
    const onCut = (reason: Error): void => {
      if (isOver || run.signal.aborted) return
      cutBy = reason
      cut.abort(reason)
      if (performer.isRun !== true) stopGrace = clock.timer(run.limits.cancelGraceMs, () => fail(reason))
    }
    if (timeoutMs !== undefined) stopTimeout = clock.timer(timeoutMs, () => fail(tooSlow(effect, timeoutMs)))
    run.calls.begin()
    const ignoreAbort = run.onAbort(onAbort)
    const ignoreInterrupt = run.interruption.on(onInterrupt)
    const ignoreCut = request.task?.onCut(onCut)
    performed(performer, call).then((value) => (isOver ? undefined : settle(value)), fail)
    if (run.signal.aborted) onAbort()
    else if (run.interruption.hasFired) onInterrupt()
  })
}

/** Model calls can be repeated, so they are aborted at once when the process stops. */
const MODEL_KINDS: ReadonlySet<string> = new Set(['model', 'embed'])

/** The grace period of an aborted model call. Short, because people wait for the process to stop. */
const MODEL_GRACE_MS = 200

function graceOf({ limits }: ActiveRun, isModel: boolean): number {
  return isModel ? Math.min(MODEL_GRACE_MS, limits.cancelGraceMs) : limits.cancelGraceMs
}

function interruptedError({ id }: ActiveRun): MandateError {
  return new MandateError('CANCELLED', `Run "${id}" is being suspended.`)
}

/**
 * Leaves the call open in the journal while the run suspends: on resume it is repeated or reconciled. Resolves only if the run is aborted before it
 * could suspend.
 */
async function leaveOpen({ run, key, slots }: Request): Promise<void> {
  slots.release()
  await untilReleased(run, key)
  await slots.acquire()
}

/** The outcome of an effect whose task was closed before the effect started. */
function abandoned({ run }: Request): Ending {
  const reason = 'Its task was closed before it started.'
  return { outcome: run.signal.aborted ? cancelledOutcome(run) : { status: 'cancelled', reason } }
}

/** Rejects if the performer's own judgement of the failure throws. */
function faultOf(request: Request, call: KernelCall, error: unknown): Fault | Promise<never> {
  try {
    const ending = { outcome: outcomeOf(request, error, call), spent: attemptSpend(request, { call, error }) }
    return { error, call, ending }
  } catch (cause) {
    return Promise.reject(cause)
  }
}

function tooSlow({ kind, name }: Effect, timeoutMs: number): MandateError {
  const message = `${kind} "${name}" did not answer within ${timeoutMs} ms. Raise its timeout or look at why it hangs.`
  return new MandateError('TIMEOUT', message)
}

/** Turns a synchronous throw of the performer into a rejection. */
function performed(performer: KernelPerformer, call: KernelCall): Promise<Performed | Parked> {
  try {
    return Promise.resolve(performer.perform(call))
  } catch (error) {
    return Promise.reject(error)
  }
}

/** The error codes of failures in user code (models, tools, stores), by kind of effect. */
const FAULTS: { readonly [K in EffectKind]?: ErrorCode } = {
  model: 'MODEL_FAILED',
  embed: 'MODEL_FAILED',
  tool: 'TOOL_FAILED',
  memory: 'STORE_FAILED',
  database: 'STORE_FAILED',
  prompt: 'STORE_FAILED',
}

function outcomeOf({ run, performer }: Request, error: unknown, call: KernelCall): Ending['outcome'] {
  if (run.signal.aborted) return cancelledOutcome(run)
  const info = plainError(error, FAULTS[call.effect.kind] ?? 'INTERNAL')
  return performer.fatal?.(error, call) === true
    ? { status: 'failed', error: info, fatal: true }
    : { status: 'failed', error: info }
}
