/** A secret by name. It stands wherever the value would; only a performer, inside its own call, asks for the value. */
export interface SecretHandle {
  readonly $secret: string
}

/** Gives the value of a named secret, from wherever the host keeps them. */
export type SecretSource = (name: string) => string | undefined | Promise<string | undefined>

/**
 * Names a secret without holding it. The handle may be journaled, logged and shown; the value never is.
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

/** Whether a value is the handle of a secret and nothing else. */
export function isSecret(value: unknown): value is SecretHandle {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as SecretHandle).$secret === 'string' &&
    Object.keys(value).length === 1
  )
}

/** Whether a value holds a handle anywhere: most do not, and then no copy is made. */
export function hasSecret(value: unknown): boolean {
  if (isSecret(value)) return true
  if (Array.isArray(value)) return value.some(hasSecret)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasSecret)
}
