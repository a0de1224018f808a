import { codeOf } from '../../core/index.ts'
import type { Outcome } from '../../core/index.ts'
import { importValue } from '../border/import.ts'
import { live } from '../meter/live.ts'
import { Stop } from '../meter/stop.ts'
import { TIMER_KIND } from '../port.ts'
import type { VmRequest } from '../port.ts'
import type { GuestError } from '../value/guest-object.ts'
import { FULFILLED, REJECTED } from '../value/guest-promise.ts'
import { newError } from '../value/thrown.ts'
import { caught } from './caught.ts'
import type { PendingRequest } from './promises/pending.ts'
import { settle } from './settle.ts'

/** Delivers the outcome of a request to the program: a value, or an error that it may catch. */
export function deliver({ promise, request }: PendingRequest, outcome: Outcome): void {
  if (outcome.status === 'ok') {
    try {
      // A wait gives nothing, which outcomes, as JSON, have as `null`.
      const value = request.kind === TIMER_KIND ? undefined : importValue(outcome.value)
      live.machine.flow?.importLabels(promise, outcome.labels ?? [], value)
      settle(promise, FULFILLED, value)
    } catch (error) {
      settle(promise, REJECTED, caught(error))
    }
    return
  }
  if (outcome.status === 'failed' && outcome.fatal === true) throw new Stop(outcome.error)
  const error = errorOf(request.name, outcome)
  // The reason of a refusal depends on the request, so it carries the labels of the request.
  if (live.machine.flow !== undefined) live.machine.flow.importLabels(promise, refusalLabels(request, outcome), error)
  settle(promise, REJECTED, error)
}

function refusalLabels({ labels }: VmRequest, outcome: Outcome): readonly string[] {
  const told = outcome.status === 'failed' ? (outcome.labels ?? []) : []
  return [...new Set([...told, ...Object.values(labels).flat()])]
}

function errorOf(name: string, outcome: Exclude<Outcome, { status: 'ok' }>): GuestError {
  const error = newError('Error', messageFor(outcome))
  error.op = name
  error.code = codeOf(outcome)
  return error
}

function messageFor(outcome: Exclude<Outcome, { status: 'ok' }>): string {
  if (outcome.status === 'failed') return outcome.error.message
  return outcome.status === 'denied' ? `Denied: ${outcome.reason}` : `${outcome.status}: ${outcome.reason}`
}
