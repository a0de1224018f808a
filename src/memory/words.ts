import type { Json } from '../core/index.ts'

/** Scripts that put no spaces between words: each of their letters counts as one. */
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv
const PLAIN_WORD = /[a-z0-9]+/g
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\u0000-\u007f]*$/
const ACCENTS = /[\u0300-\u036f]+/g
/** Of one value; what comes after is not found. */
const WORDS_MAX = 20_000
/** Of a query. */
const ASKED_MAX = 32
/** From here on a word finds longer ones that begin with it. */
const BEGINNING_MIN = 3

/** The words of a text in their order: lower-case, without accents. */
export function wordList(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD)?.slice(0, WORDS_MAX) ?? []
  const bare = text.normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return bare.match(WORD)?.slice(0, WORDS_MAX) ?? []
}

/** The words of a text, each once. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(wordList(text))
}

/** The words a search looks for, each once; not more than a store can be asked for at a time. */
export function askedWords(text: string): readonly string[] {
  return [...wordsOf(text)].slice(0, ASKED_MAX)
}

/** Whether a word that was asked for finds this one. */
export function findsWord(asked: string, word: string): boolean {
  return asked === word || (asked.length >= BEGINNING_MIN && word.startsWith(asked))
}

/** What a value is found by: its texts and numbers, without the names of its members and what is kept about it. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return ''
  if (Array.isArray(value)) return (value as readonly Json[]).map(textOf).join(' ')
  const members = Object.entries(value).filter(([name]) => !name.startsWith('mandate:') || name === 'mandate:value')
  return members.map(([, member]) => textOf(member)).join(' ')
}
