import type { Json, JsonObject } from '../../core/index.ts'

/** The size of a value as JSON in UTF-8, without serializing it. Sizes of objects are cached in `sizes`, if given. */
export function jsonBytes(value: Json, sizes?: WeakMap<object, number>): number {
  if (typeof value === 'string') return stringBytes(value) + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  const known = sizes?.get(value)
  if (known !== undefined) return known
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) bytes += jsonBytes(item, sizes) + 1
    if (value.length > 0) bytes -= 1
  } else {
    const keys = Object.keys(value)
    for (const key of keys) bytes += stringBytes(key) + 4 + jsonBytes((value as JsonObject)[key]!, sizes)
    if (keys.length > 0) bytes -= 1
  }
  sizes?.set(value, bytes)
  return bytes
}

/** Characters that take one byte each, without an escape. */
const PLAIN = /^[ !#-[\]-~]*$/

/** The bytes of a text inside JSON's quotes, including escapes. */
export function stringBytes(text: string): number {
  // Faster than counting, except for short texts.
  if (text.length > 24 && PLAIN.test(text)) return text.length
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) bytes += code >= 0x20 ? (code === 0x22 || code === 0x5c ? 2 : 1) : controlBytes(code)
    else if (code < 0x800) bytes += 2
    else if (code >= 0xd800 && code <= 0xdfff) {
      const isPair = code <= 0xdbff && text.charCodeAt(i + 1) >= 0xdc00 && text.charCodeAt(i + 1) <= 0xdfff
      // A lone surrogate has no UTF-8 and is escaped.
      bytes += isPair ? 4 : 6
      if (isPair) i++
    } else bytes += 3
  }
  return bytes
}

/** \b \t \n \f \r have short escapes. */
function controlBytes(code: number): number {
  return code === 8 || code === 9 || code === 10 || code === 12 || code === 13 ? 2 : 6
}
