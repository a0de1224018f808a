import { MandateError } from '../core/index.ts'
import { type SecretSource, isSecret } from './secret-handles.ts'

/** Replaces handles by their values, in a copy. `seen` is called with each value and its name, so that it can be redacted from results. */
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
