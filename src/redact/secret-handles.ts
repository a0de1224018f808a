/** A reference to a secret by name. Used in place of the value; only a performer resolves it, inside its own call. */
export interface SecretHandle {
  readonly $secret: string
}

/** Returns the value of a named secret, from wherever the host stores it. */
export type SecretSource = (name: string) => string | undefined | Promise<string | undefined>

/**
 * Creates a handle of a named secret. The handle may be journaled, logged and shown; the value never is.
 *
 * @example
 * ```ts
 * import { secret } from 'mandate/redact'
 * const headers = { authorization: secret('GITHUB_TOKEN') }
 * ```
 */
export function secret(name: string): SecretHandle {
  return Object.freeze({ $secret: name })
}

/** Whether a value is the handle of a secret. */
export function isSecret(value: unknown): value is SecretHandle {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as SecretHandle).$secret === 'string' &&
    Object.keys(value).length === 1
  )
}

/** Whether a value contains a handle: most do not, and need not be copied. */
export function hasSecret(value: unknown): boolean {
  if (isSecret(value)) return true
  if (Array.isArray(value)) return value.some(hasSecret)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasSecret)
}
