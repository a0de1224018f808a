import { codeOf } from '../../core/index.ts'
import type { Outcome } from '../../core/index.ts'
import { importValue } from '../border/import.ts'
import { Stop } from '../meter/stop.ts'
import type { GuestError } from '../value/guest-object.ts'
import type { GuestPromise } from '../value/guest-promise.ts'
import { FULFILLED, REJECTED } from '../value/guest-promise.ts'
import { newError } from '../value/thrown.ts'
import { caught } from './driver.ts'
import { settle } from './promises.ts'

/** Gives the outcome of a request to the program: a value, or an error that it may catch. */
export function deliver(promise: GuestPromise, name: string, outcome: Outcome): void {
  if (outcome.status === 'ok') {
    try {
      settle(promise, FULFILLED, importValue(outcome.value))
    } catch (error) {
      settle(promise, REJECTED, caught(error))
    }
    return
  }
  if (outcome.status === 'failed' && outcome.fatal === true) throw new Stop(outcome.error)
  settle(promise, REJECTED, errorOf(name, outcome))
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
