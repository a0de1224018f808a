import { MandateError } from './errors.ts'

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
 * import { secret } from 'mandate'
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

/** Puts the values in the places of the handles, in a copy. `seen` is told each value and its name, so that it can be redacted from whatever comes back. */
export async function resolveSecrets(
  value: unknown,
  source: SecretSource | undefined,
  seen: (value: string, name: string) => void,
): Promise<unknown> {
  if (isSecret(value)) {
    const found = await source?.(value.$secret)
    if (found === undefined) {
      throw new MandateError(
        'NOT_FOUND',
        `The secret "${value.$secret}" is not set. Give it through the \`secrets\` option of the service.`,
      )
    }
    seen(found, value.$secret)
    return found
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolveSecrets(item, source, seen)))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await resolveSecrets(item, source, seen)] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }
  return value
}

/** Whether a value holds a handle anywhere: most do not, and then no copy is made. */
export function hasSecret(value: unknown): boolean {
  if (isSecret(value)) return true
  if (Array.isArray(value)) return value.some(hasSecret)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasSecret)
}
