import type { Json } from '../core/index.ts'

/** Scripts without spaces between words: each character counts as a word. */
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv
const PLAIN_WORD = /[a-z0-9]+/g
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\u0000-\u007f]*$/
const ACCENTS = /[\u0300-\u036f]+/g
/** The maximum number of words of one value; later ones are not found. */
const WORDS_MAX = 20_000
/** The maximum number of words of a query. */
const ASKED_MAX = 32
/** From this length on a word also matches longer words that begin with it. */
const BEGINNING_MIN = 3

/** The words of a text in order: lower-case, without accents. */
export function wordList(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD)?.slice(0, WORDS_MAX) ?? []
  const bare = text.normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return bare.match(WORD)?.slice(0, WORDS_MAX) ?? []
}

/** The words of a text, each once. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(wordList(text))
}

/** The distinct words of a query, limited to what a store accepts at a time. */
export function askedWords(text: string): readonly string[] {
  return [...wordsOf(text)].slice(0, ASKED_MAX)
}

/** Whether a word of a query matches this one. */
export function findsWord(asked: string, word: string): boolean {
  return asked === word || (asked.length >= BEGINNING_MIN && word.startsWith(asked))
}

/** The searchable text of a value: its texts and numbers, without names of members and without metadata. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return ''
  if (Array.isArray(value)) return (value as readonly Json[]).map(textOf).join(' ')
  const members = Object.entries(value).filter(([name]) => !name.startsWith('mandate:') || name === 'mandate:value')
  return members.map(([, member]) => textOf(member)).join(' ')
}
