import { MandateError, nearest } from '../../core/index.ts'
import { checkMandate } from './check-mandate.ts'
import type { Mandate } from './mandate.ts'
import { shown } from '../rules/targets.ts'

export type PresetName = 'governed' | 'local-permissive' | 'strict' | 'managed'

/** Ready-made mandates, from least to most restrictive except for `governed`, which adds what an unattended run needs: declared intents and an overseer. */
export const PRESETS: { readonly [P in PresetName]: Mandate } = Object.freeze({
  /** For one's own machine: only irreversible calls need approval. */
  'local-permissive': checkMandate({ profile: 'local-permissive' }),
  /** Every change needs approval. */
  strict: checkMandate({ profile: 'strict' }),
  /** For other people's machines: writes need approval, commands and destructive calls are denied. */
  managed: checkMandate({ profile: 'managed', overseer: {} }),
  /** Requires declared intents, with an overseer. */
  governed: checkMandate({ profile: 'local-permissive', intentRequired: true, overseer: {} }),
})

/** A mandate that may extend a preset. */
export interface Policy extends Mandate {
  readonly preset?: PresetName | undefined
}

/** The validated mandate of a policy. */
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
