import { MandateError } from '../core/index.ts'

/** A vector as text, for journals: a third of what its numbers would take, and no digit lost. */
export function vectorText(vector: readonly number[] | Float32Array): string {
  const { buffer } = Float32Array.from(vector)
  let binary = ''
  for (const byte of new Uint8Array(buffer)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The vector that a text, or a list of numbers, says. */
export function vectorFrom(given: unknown): Float32Array {
  if (Array.isArray(given) && given.every((number) => typeof number === 'number')) return Float32Array.from(given)
  try {
    const bytes = Uint8Array.from(atob(given as string), (char) => char.charCodeAt(0))
    return new Float32Array(bytes.buffer)
  } catch {
    throw new MandateError('INPUT_INVALID', '`vector` must be a list of numbers, or what an `embed` effect gave.')
  }
}
