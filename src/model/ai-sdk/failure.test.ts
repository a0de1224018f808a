import { expect, test } from 'vitest'
import { MandateError, manualClock } from '../../core/index.ts'
import { failureOf } from './failure.ts'

const fail = (cause: unknown): MandateError => failureOf(cause, 'p/m', manualClock(0))

test('an error of a provider keeps its status, its words and its cause', () => {
  const cause = Object.assign(new Error('Bad key'), { statusCode: 401, isRetryable: false })
  const error = fail(cause)
  expect(error).toMatchObject({
    code: 'MODEL_FAILED',
    message: 'p/m answered 401: Bad key',
    info: { status: 401, retriable: false },
  })
  expect(error.cause).toBe(cause)
})

test('records in streams are read wherever their message is', () => {
  expect(fail({ type: 'overloaded_error', message: 'Overloaded' })).toMatchObject({
    message: 'p/m failed: Overloaded',
    info: { retriable: true },
  })
  expect(fail({ error: { message: 'Slow down', code: 'rate_limit_exceeded' } })).toMatchObject({
    message: 'p/m failed: Slow down',
    info: { retriable: true },
  })
  expect(fail({ error: { message: 'No', code: 503 } })).toMatchObject({ info: { status: 503, retriable: true } })
  expect(fail({ error: 'model not found' }).message).toBe('p/m failed: model not found')
  expect(fail('plain words').message).toBe('p/m failed: plain words')
  expect(fail({ odd: 1 }).message).toBe('p/m failed: {"odd":1}')
  expect(fail(undefined)).toMatchObject({ message: 'p/m failed: no reason was given', info: { retriable: false } })
})

test('a reason that only the body tells is told, and pages of HTML are not', () => {
  const refusal = (responseBody: string): unknown =>
    Object.assign(new Error('Not Found'), { statusCode: 404, responseBody })
  expect(fail(refusal('{"error":"model \'x\' not found"}')).message).toBe(
    "p/m answered 404: Not Found (model 'x' not found)",
  )
  expect(fail(refusal('{"detail":"no such route"}')).message).toContain('no such route')
  expect(fail(refusal('try /v1')).message).toContain('try /v1')
  expect(fail(refusal('<html>long</html>')).message).toBe('p/m answered 404: Not Found')
})

test('a damaged stream may be whole the next time; an answer of a wrong shape will not', () => {
  expect(fail(Object.assign(new Error('x'), { name: 'AI_JSONParseError' }))).toMatchObject({
    info: { retriable: true },
  })
  expect(fail(Object.assign(new Error('x'), { name: 'AI_TypeValidationError' }))).toMatchObject({
    info: { retriable: false },
  })
  expect(fail(new Error('y'.repeat(5_000))).message.length).toBeLessThan(600)
})

test('errors of ours, cuts and timeouts are what they were', () => {
  const own = new MandateError('INPUT_INVALID', 'no')
  expect(fail(own)).toBe(own)
  expect(fail(new DOMException('cut', 'AbortError')).code).toBe('CANCELLED')
  expect(fail(new DOMException('late', 'TimeoutError')).code).toBe('MODEL_TIMEOUT')
})
