import { MandateError, nearest } from '../../core/index.ts'
import type { Provenance } from './blueprint.ts'

/** The valid origins of a blueprint. */
export const ORIGINS: readonly Provenance['origin'][] = ['file', 'generated', 'code']

/** Returns a valid origin, or throws: a misspelt one would decide whether a graph needs a review. */
export function checkOrigin(origin: unknown): Provenance['origin'] | undefined {
  const known = ORIGINS.find((each) => each === origin)
  if (known !== undefined || origin === undefined) return known
  const near = typeof origin === 'string' ? nearest(origin, ORIGINS) : undefined
  const hint = near === undefined ? `Use one of: ${ORIGINS.join(', ')}.` : `Did you mean "${near}"?`
  throw new MandateError('CONFIG_INVALID', `\`origin\` is ${JSON.stringify(origin) ?? typeof origin}. ${hint}`)
}
