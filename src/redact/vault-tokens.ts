import { memberPointer } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'
import { MARKS, plainView } from './encoded-views.ts'
import { encodingsOf } from './formats/encodings.ts'
import { PII_KINDS } from './formats/pii.ts'

/** A token of a redacted value, and its place in an input. */
export interface TokenPart {
  /** The text of the token, including brackets. */
  readonly token: string
  /** The label of its value: `secret:github-token`, `pii:email`. */
  readonly label: Label
  /** JSON pointer of the text that contains it. */
  readonly pointer: string
  /** It is a whole token of a vault, in a text: its value can be put in its place. */
  readonly isVaulted: boolean
}

/** Tokens with twelve digits belong to a vault; the values of shorter tokens, and of those without a number, are not kept. */
const TOKEN = /\[((?:secret|pii):[^\]#\s]+)#[0-9a-f]{12}\]/gu

/** The tokens in the texts of a value. Names of members are ignored: nothing is ever revealed there. */
export function tokensIn(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value === 'string') {
    if (!value.includes('#') || !value.includes('[')) return NONE
    return [...value.matchAll(TOKEN)].map(([token, label]) => ({ token, label: label!, pointer, isVaulted: true }))
  }
  if (typeof value !== 'object' || value === null) return NONE
  return Object.entries(value).flatMap(([name, member]) => tokensIn(member, memberPointer(pointer, name)))
}

const NONE: readonly TokenPart[] = []

/** The text of any token, with its number if it has one. */
const ANY = /\[((?:secret|pii):[^\]#\s][^\]#\r\n]{0,80})(?:#[0-9a-f]{6,12})?\]/gu

/**
 * All tokens in a value, with those that no vault can turn back: without a number or with a short one, in the names of members, escaped as in URLs, or
 * encoded as in the header of Basic authentication. Each stands where a redacted value was.
 */
export function tokenTraces(value: Json, pointer = ''): readonly TokenPart[] {
  if (typeof value === 'string') return tracesInText(value, pointer, true)
  if (typeof value !== 'object' || value === null) return NONE
  return Object.entries(value).flatMap(([name, member]) => {
    const place = memberPointer(pointer, name)
    return [...tracesInText(name, place, false), ...tokenTraces(member, place)]
  })
}

/** Says that a value was redacted before anything could use it; `undefined` if it holds no token without a value. */
export function lostValues(what: string, value: Json): string | undefined {
  const tokens = new Set(tokenTraces(value).flatMap(({ token, isVaulted }) => (isVaulted ? [] : [token])))
  if (tokens.size === 0) return undefined
  return `${what} holds ${[...tokens].slice(0, NAMED_MAX).join(', ')} in place of what was redacted. The value is not kept, and a call that would get the token is refused: give the service a \`vault\`, or use a handle of a named secret.`
}

const NAMED_MAX = 8

/** The shortest trace is that of personal data in base64. */
const TRACE_MIN = 10

function tracesInText(text: string, pointer: string, isRevealed: boolean): readonly TokenPart[] {
  if (text.length < TRACE_MIN) return NONE
  const whole = isRevealed ? tokensIn(text, pointer) : NONE
  const known = new Set(whole.map(({ token }) => token))
  const view = MARKS.some((mark) => text.includes(mark)) ? (plainView(text)?.text ?? text) : text
  const others = view.includes('[') ? [...view.matchAll(ANY)] : []
  const plain = others.flatMap(([token, label]) =>
    known.has(token) ? [] : [{ token, label: label!, pointer, isVaulted: false }],
  )
  const encoded = encodedTokens()
    .filter(({ begun }) => begun.test(text))
    .map(({ kind }) => ({ token: `[${kind}:…], encoded`, label: `${kind}:encoded`, pointer, isVaulted: false }))
  return whole.length + plain.length + encoded.length === 0 ? NONE : [...whole, ...plain, ...encoded]
}

interface EncodedToken {
  readonly kind: 'secret' | 'pii'
  /** The beginnings of such tokens in base64, hex and base32. */
  readonly begun: RegExp
}

let encodedForms: readonly EncodedToken[] | undefined

function encodedTokens(): readonly EncodedToken[] {
  return (encodedForms ??= [
    { kind: 'secret', begun: encodedBeginning(['[secret:']) },
    { kind: 'pii', begun: encodedBeginning(PII_KINDS.map((kind) => `[pii:${kind}`)) },
  ])
}

function encodedBeginning(beginnings: readonly string[]): RegExp {
  const forms = beginnings.flatMap((begun) => encodingsOf(begun)).filter(({ text }) => /^[\w+/=-]{8,}$/u.test(text))
  return new RegExp(forms.map(({ text }) => text.replaceAll(/[+/-]/gu, String.raw`\$&`)).join('|'))
}

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
