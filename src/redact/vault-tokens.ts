import { memberPointer } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'

/** A token that stands for a value of a vault, and where in an input it stands. */
export interface TokenPart {
  /** The text of the token, brackets included. */
  readonly token: string
  /** What it stands for: `secret:github-token`, `pii:email`. */
  readonly label: Label
  /** JSON pointer of the text that holds it. */
  readonly pointer: string
}

/** Twelve digits are a vault's; shorter tokens, and those without a number, stand for values that are not kept. */
const TOKEN = /\[((?:secret|pii):[^\]#\s]+)#[0-9a-f]{12}\]/gu

/** The tokens in the texts of a value. Names of members are left alone: nothing is ever put back there. */
export function tokensIn(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value === 'string') {
    if (!value.includes('#') || !value.includes('[')) return NONE
    return [...value.matchAll(TOKEN)].map(([token, label]) => ({ token, label: label!, pointer }))
  }
  if (typeof value !== 'object' || value === null) return NONE
  return Object.entries(value).flatMap(([name, member]) => tokensIn(member, memberPointer(pointer, name)))
}

const NONE: readonly TokenPart[] = []

/** Puts values in the places of tokens, in a copy. `valueOf` is asked for each token with its pointer, and leaves it where it has none. */
export function replaceTokens(
  value: Json,
  valueOf: (token: string, pointer: string) => string | undefined,
  pointer = '',
): Json {
  if (typeof value === 'string') return value.replaceAll(TOKEN, (token) => valueOf(token, pointer) ?? token)
  if (typeof value !== 'object' || value === null) return value
  const within = (name: string): string => memberPointer(pointer, name)
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item, index) => replaceTokens(item, valueOf, within(String(index))))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceTokens(member, valueOf, within(name))]),
  )
}
