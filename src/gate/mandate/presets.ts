import { MandateError, nearest } from '../../core/index.ts'
import { checkMandate } from './check-mandate.ts'
import type { Mandate } from './mandate.ts'
import { shown } from '../rules/targets.ts'

export type PresetName = 'governed' | 'local-permissive' | 'strict' | 'managed'

/**
 * Mandates to begin with, loosest first but for `governed`, which adds what a run without a person beside it needs: declared intents and an overseer.
 */
export const PRESETS: { readonly [P in PresetName]: Mandate } = Object.freeze({
  /** For work at one's own desk: only what cannot be undone is asked about. */
  'local-permissive': checkMandate({ profile: 'local-permissive' }),
  /** Whatever changes something is asked about. */
  strict: checkMandate({ profile: 'strict' }),
  /** For others' machines: writes are asked about, commands and destruction are refused. */
  managed: checkMandate({ profile: 'managed', overseer: {} }),
  /** Requires declared intents, with an overseer. */
  governed: checkMandate({ profile: 'local-permissive', intentRequired: true, overseer: {} }),
})

/** A mandate that may begin with a preset. */
export interface Policy extends Mandate {
  readonly preset?: PresetName | undefined
}

/** The mandate that a policy makes, checked. */
export function readPolicy(policy: Policy): Mandate {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return checkMandate(policy)
  const { preset, ...own } = policy
  const slip = Object.keys(own).find((field) => nearest(field, ['preset']) !== undefined)
  if (slip !== undefined)
    throw new MandateError('CONFIG_INVALID', `\`${slip}\` is not a field of a policy. Did you mean "preset"?`)
  if (preset === undefined) return checkMandate(own)
  if (!Object.hasOwn(PRESETS, preset)) {
    const names = Object.keys(PRESETS)
    const meant = typeof preset === 'string' ? nearest(preset, names) : undefined
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
    throw new MandateError('CONFIG_INVALID', `\`preset\` is ${shown(preset)}.${hint} Use one of: ${names.join(', ')}.`)
  }
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  return checkMandate({ ...PRESETS[preset], ...given })
}
