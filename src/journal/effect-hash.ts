import { canonical, sha256 } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { EffectKind } from './entry-data.ts'

/** The identity of a call: approvals are bound to it, replay compares it, the audit looks for it. */
export function hashEffect(kind: EffectKind, name: string, input: Json): string {
  return hashEffectText(kind, name, canonical(input))
}

/** The same for an input whose canonical text is already there. */
export function hashEffectText(kind: EffectKind, name: string, text: string): string {
  return sha256(`${kind}\n${name}\n${text}`)
}
