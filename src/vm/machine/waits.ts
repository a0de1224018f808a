import type { Outcome } from '../../core/index.ts'
import { exportInput } from '../border/export.ts'
import type { FunctionCode } from '../compile/code.ts'
import { burn, charge, live } from '../meter/live.ts'
import type { RequestQueuePart } from '../meter/live.ts'
import { TIMER_KIND } from '../port.ts'
import type { RequestPort, SendingPort, VmRequest } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import type { Code, Frame, GuestFunction } from '../value/guest-function.ts'
import { GuestError } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import type { Waiter } from '../value/guest-promise.ts'
import { Activation } from './activation.ts'
import { detach, drive } from './driver.ts'
import type { Machine } from './machine.ts'
import { newFrame } from './frame.ts'
import { fillFrame } from './invoke.ts'
import { deliver } from './outcomes.ts'
import { PendingRequest, PendingRequests } from './promises/pending.ts'
import { newPromise, resolve, subscribe } from './promises/promises.ts'
import { isAwaited, isUnfinished } from './promises/unfinished.ts'
import { Queue } from './promises/queue.ts'
import { RequestDispatcher } from './request-dispatcher.ts'
import type { VmError } from './result.ts'

export const ACTIVATION_BYTES = 160
const REJECTIONS_MAX = 100
const REASON_CHARS = 300
const NO_LABELS: VmRequest['labels'] = Object.freeze({})

interface Job {
  readonly waiter: Waiter
  readonly promise: GuestPromise
}

/** The job queue of promises, and the pending requests of a machine. */
export class PendingWork implements RequestQueuePart {
  readonly pending: PendingRequests = new PendingRequests()
  readonly #outbox = new Queue<PendingRequest>()
  /** Timers start immediately, regardless of the number of calls in flight. */
  readonly #timers = new Queue<PendingRequest>()
  readonly #jobs = new Queue<Job>()
  readonly #rejected: GuestPromise[] = []
  readonly #machine: Machine
  readonly #desk: RequestDispatcher

  constructor(machine: Machine, port: RequestPort | SendingPort | undefined, onArrival: () => void) {
    this.#machine = machine
    this.#desk = new RequestDispatcher(port, machine.limits.parallelCalls, onArrival)
  }

  get hasJobs(): boolean {
    return !this.#jobs.isEmpty
  }

  /** Whether an outcome is queued that the program has not taken. */
  get hasNews(): boolean {
    return !this.#desk.isEmpty
  }

  enqueue(waiter: Waiter, promise: GuestPromise): void {
    this.#jobs.push({ waiter, promise })
  }

  nextJob(): Job | undefined {
    const job = this.#jobs.shift()
    if (job !== undefined) this.#machine.state.jobCount += 1
    return job
  }

  resolve(promise: GuestPromise, value: Guest): void {
    resolve(promise, value)
  }

  park(active: Activation): Activation | null {
    const { awaited } = active
    active.awaited = undefined
    subscribe(awaited, active)
    return active.promise === null ? null : detach(active)
  }

  noteRejection(promise: GuestPromise): void {
    if (this.#rejected.length < REJECTIONS_MAX) this.#rejected.push(promise)
  }

  request(kind: string, name: string, input: Guest): GuestPromise {
    const plain = input === undefined ? null : exportInput(input)
    live.memory -= 256
    const promise = new GuestPromise()
    const { flow, state } = this.#machine
    const labels = flow === undefined ? NO_LABELS : flow.exportLabels(input, live.label)
    const request: VmRequest = { id: state.nextId++, kind, name, input: plain, labels }
    promise.request = request.id
    this.ask(new PendingRequest(request, promise))
    return promise
  }

  /** Adds a request to the pending ones and to the outbox. */
  ask(entry: PendingRequest): void {
    this.pending.add(entry)
    if (entry.request.kind === TIMER_KIND) this.#timers.push(entry)
    else this.#outbox.push(entry)
  }

  /** Accepts an outcome from outside; unknown ids are ignored. */
  arrive(id: number, outcome: Outcome): void {
    const entry = this.pending.find(id)
    if (entry !== undefined) this.#desk.arrive(entry, outcome)
  }

  /** Delivers the next outcome, or else sends queued requests; `false` if the machine can only wait. */
  goOn(): boolean {
    const next = this.#desk.next()
    if (next === undefined) return this.#desk.dispatchTimers(this.#timers) || this.#desk.dispatch(this.#outbox)
    if (this.pending.close(next)) deliver(next, next.outcome!)
    return true
  }

  *roots(): Generator {
    for (const { waiter, promise } of this.#jobs.all()) {
      yield waiter
      yield promise
    }
    for (const { promise } of this.pending.all()) yield promise
  }

  /** The error of a program that waits while no request is pending (a deadlock). */
  stuck(): VmError {
    return {
      code: 'MIND_FAILED',
      message:
        'The program waits for something that will never settle: no call is in flight. Look for a promise that is never resolved.',
    }
  }

  /** Returns the calls in flight that have not lost a race, and the sleeps that a function waits for. */
  unfinished(): readonly PendingRequest[] {
    return this.pending
      .all()
      .filter(({ request, promise }) => isUnfinished(promise) && (request.kind !== TIMER_KIND || isAwaited(promise)))
  }

  /** Warnings about requests and rejections that an ended program left unhandled. */
  leftovers(): string[] {
    const left = this.unfinished().length
    const lost = this.#rejected.filter((promise) => !promise.isHandled)
    const found: string[] = []
    if (left > 0) found.push(`The program ended while ${left} of its calls were still under way. Await every call.`)
    if (lost.length > 0) {
      const { value } = lost[0]!
      const first = value instanceof GuestError ? ` The first: ${value.message.slice(0, REASON_CHARS)}` : ''
      found.push(
        `${lost.length} promises were rejected and never handled. Await them, or catch what they throw.${first}`,
      )
    }
    return found
  }

  close(): void {
    this.pending.clear()
    this.#outbox.clear()
    this.#timers.clear()
    this.#jobs.clear()
    this.#desk.close()
  }
}

/** Starts a guest function as a suspendable job; its result settles the promise. */
export function activationOf(target: GuestFunction, args: readonly Guest[], promise: GuestPromise): Activation {
  const { boxes } = target
  const code = target.code as FunctionCode
  burn(code.cost)
  code.resumable()
  charge(ACTIVATION_BYTES + code.resumableSlots * 8)
  const frame = newFrame(code.resumableSlots, boxes)
  fillFrame(frame, code, args, undefined)
  return new Activation(code, frame, null, promise)
}

/** Starts an `async` function called from code that cannot be suspended: it runs here up to its first wait. */
export function startAsync(code: Code, frame: Frame): GuestPromise {
  charge(ACTIVATION_BYTES + frame.length * 8)
  const promise = newPromise()
  const active = new Activation(code, frame, null, promise)
  const { machine } = live
  machine.nativeDepth += 1
  drive(active)
  machine.nativeDepth -= 1
  return promise
}
