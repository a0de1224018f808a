/** One way of writing a value. */
export interface WrittenForm {
  readonly text: string
  readonly isBase64: boolean
}

/** Encoded, a short value could be part of anything. */
const ENCODED_MIN = 8

/** The ways of writing a value that are looked for as they stand. Escapes letter by letter are read by whoever looks. */
export function formsOf(value: string): readonly WrittenForm[] {
  const plain = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]
  const forms = [...new Set(plain)].map((text) => ({ text, isBase64: false }))
  if (value.length < ENCODED_MIN) return forms
  const bytes = new TextEncoder().encode(value)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const encoded = new Set([hex, hex.toUpperCase()])
  const base64 = [0, 1, 2].map((shift) => base64Core(bytes, shift))
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [
    ...forms,
    ...[...encoded].map((text) => ({ text, isBase64: false })),
    ...[...new Set([...base64, ...url])].map((text) => ({ text, isBase64: true })),
  ]
}

/** The characters of base64 that depend on the value alone when so many other bytes stand before it in its group of three, and any after it. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const padded = new Uint8Array(shift + bytes.length)
  padded.set(bytes, shift)
  const text = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(''))
  const whole = Math.floor((padded.length * 8) / 6)
  return text.slice(Math.ceil((shift * 8) / 6), whole)
}
