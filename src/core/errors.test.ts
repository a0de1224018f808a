import { expect, test } from 'vitest'
import { ERROR_CODES, MandateError, errorInfo, messageOf } from './index.ts'

test('an error is recognised by its mark, also when it comes from another copy of the package', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('mandate.error')]: true })
  expect(MandateError.isInstance(new MandateError('DENIED', 'no'))).toBe(true)
  expect(MandateError.isInstance(foreign)).toBe(true)
  for (const other of [new Error('x'), null, undefined, 'x', {}]) expect(MandateError.isInstance(other)).toBe(false)
})

test('an error as data keeps code, message and facts', () => {
  expect(errorInfo(new MandateError('DENIED', 'no', { info: { a: 1 } }))).toEqual({
    code: 'DENIED',
    message: 'no',
    info: { a: 1 },
  })
  expect(errorInfo(new MandateError('DENIED', 'no'))).toEqual({ code: 'DENIED', message: 'no' })
  expect(errorInfo(new TypeError('odd'))).toEqual({ code: 'INTERNAL', message: 'odd' })
  expect(errorInfo('text', 'TOOL_FAILED')).toEqual({ code: 'TOOL_FAILED', message: 'text' })
})

test('anything thrown has a message', () => {
  const hostile = {
    toString: () => {
      throw new Error('no')
    },
  }
  const getter = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('no')
    },
  })
  for (const thrown of [hostile, getter, Object.create(null), undefined, null, 5, new Error('')])
    expect(messageOf(thrown)).toMatch(/./)
})

test('the codes are a closed list without doubles', () => {
  expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length)
})
