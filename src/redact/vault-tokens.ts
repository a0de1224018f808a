import { memberPointer } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'

/** A vault token, and its place in an input. */
export interface TokenPart {
  /** The text of the token, including brackets. */
  readonly token: string
  /** The label of its value: `secret:github-token`, `pii:email`. */
  readonly label: Label
  /** JSON pointer of the text that contains it. */
  readonly pointer: string
}

/** Tokens with twelve digits belong to a vault; the values of shorter tokens, and of those without a number, are not kept. */
const TOKEN = /\[((?:secret|pii):[^\]#\s]+)#[0-9a-f]{12}\]/gu

/** The tokens in the texts of a value. Names of members are ignored: nothing is ever revealed there. */
export function tokensIn(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value === 'string') {
    if (!value.includes('#') || !value.includes('[')) return NONE
    return [...value.matchAll(TOKEN)].map(([token, label]) => ({ token, label: label!, pointer }))
  }
  if (typeof value !== 'object' || value === null) return NONE
  return Object.entries(value).flatMap(([name, member]) => tokensIn(member, memberPointer(pointer, name)))
}

const NONE: readonly TokenPart[] = []

/** Replaces tokens by values, in a copy. `valueOf` is called for each token with its pointer; a token without a value is left. */
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
