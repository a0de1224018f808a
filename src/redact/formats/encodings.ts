import { toBase64 } from '../../core/index.ts'

/** One encoding of a value. */
interface Encoding {
  readonly text: string
  readonly isBase64: boolean
}

/** The encoding of a shorter value could be part of anything. */
const ENCODED_MIN = 8

/** The encodings of a value that are searched for verbatim. Escapes of single characters are decoded by the scanner. */
export function encodingsOf(value: string): readonly Encoding[] {
  const plain = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
  const forms = [...new Set(plain)].map((text) => ({ text, isBase64: false }))
  if (value.length < ENCODED_MIN) return forms
  // As written by shells, headers and environment dumps; short values would be ordinary words.
  for (const text of [value.toUpperCase(), value.toLowerCase()])
    if (!plain.includes(text)) forms.push({ text, isBase64: false })
  const bytes = new TextEncoder().encode(value)
  const hex = hexOf(bytes)
  const wide = utf16(value)
  const encoded = new Set([hex, ...[':', ' '].map((gap) => hexOf(bytes, gap)), hexOf(wide)])
  for (const text of encoded) encoded.add(text.toUpperCase())
  // As buffers are written in JSON and in logs.
  for (const gap of [',', ', ']) encoded.add(bytes.join(gap))
  const base32 = base32Of(bytes)
  encoded.add(base32).add(base32.toLowerCase())
  const base64 = [bytes, wide].flatMap((given) => [0, 1, 2].map((shift) => base64Core(given, shift)))
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [
    ...forms,
    ...[...encoded].map((text) => ({ text, isBase64: false })),
    ...[...new Set([...base64, ...url])].map((text) => ({ text, isBase64: true })),
  ]
}

/** The base64 characters that depend only on the value when `shift` bytes precede it in its group of three, and any bytes follow. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const padded = new Uint8Array(shift + bytes.length)
  padded.set(bytes, shift)
  const text = toBase64(padded)
  const whole = Math.floor((padded.length * 8) / 6)
  return text.slice(Math.ceil((shift * 8) / 6), whole)
}

function hexOf(bytes: Uint8Array, gap = ''): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(gap)
}

/** UTF-16, little-endian. */
function utf16(value: string): Uint8Array {
  const bytes = new Uint8Array(value.length * 2)
  for (let i = 0; i < value.length; i++) {
    bytes[2 * i] = value.charCodeAt(i) & 255
    bytes[2 * i + 1] = value.charCodeAt(i) >> 8
  }
  return bytes
}

/** The base32 characters that depend only on the value when it is at the beginning. */
function base32Of(bytes: Uint8Array): string {
  let text = ''
  for (let bit = 0; bit + 5 <= bytes.length * 8; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    text += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt((pair >> (11 - (bit & 7))) & 31)
  }
  return text
}
