import { jsonBytes } from '../../../tool/index.ts'
import { burn } from '../../meter/live.ts'
import { touch } from './text.ts'

/** Characters that JSON writes as an escape: quotes, backslashes, control characters, halves of pairs. */
// eslint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/
const SHORT_ESCAPES = new Set([8, 9, 10, 12, 13])

/** The length of a text as JSON, with quotes and escapes, without writing it. Charged for. */
export function jsonLength(text: string): number {
  touch(text)
  burn(text.length >> 2)
  if (!escaped.test(text)) return text.length + 2
  burn(text.length * 8)
  let length = text.length + 2
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 34 || code === 92) length += 1
    else if (code < 0x20) length += SHORT_ESCAPES.has(code) ? 1 : 5
    else if (code >= 0xd800 && code <= 0xdfff) {
      if (isPair(text, at)) at += 1
      else length += 5
    }
  }
  return length
}

const beyondAscii = /[\u0080-\uffff]/

/** How many bytes of UTF-8 a text takes once it is written as JSON. Paid for as `jsonLength`. */
export function jsonTextBytes(text: string): number {
  const length = jsonLength(text)
  return beyondAscii.test(text) ? jsonBytes(text) : length
}

/** Whether a surrogate pair starts here; a lone surrogate is written as an escape. */
function isPair(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  return text.charCodeAt(at) < 0xdc00 && next >= 0xdc00 && next <= 0xdfff
}
