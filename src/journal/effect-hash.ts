import { canonical, sha256 } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { EffectKind } from './entry-data.ts'

/** The hash that identifies a call: approvals are bound to it, replay compares it, and the audit checks it. */
export function hashEffect(kind: EffectKind, name: string, input: Json): string {
  return hashEffectText(kind, name, canonical(input))
}

/** The same for an input whose canonical text is already known. */
export function hashEffectText(kind: EffectKind, name: string, text: string): string {
  return sha256(`${kind}\n${name}\n${text}`)
}
