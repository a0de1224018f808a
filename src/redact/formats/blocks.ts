import { BASE64, DIGIT, TOKEN, beginsWord, runEnd } from './characters.ts'
import type { SecretFormat, Sight } from './format.ts'
import { isMixed } from './strength.ts'

/** Longer than any key; a longer block is hidden up to here, and the rest scanned again. */
const BLOCK_MAX = 16_384
const HEADER_MAX = 60
const END = '-----END '

/** `-----BEGIN … PRIVATE KEY-----` up to its end, with real or escaped line breaks. A block without an end is hidden as far as it goes. */
const PEM: SecretFormat = {
  name: 'private-key',
  anchors: ['-----BEGIN '],
  held: true,
  guessable: false,
  look(text, at, anchorEnd): Sight | undefined {
    if (!text.startsWith('-----BEGIN ', at)) return undefined
    const close = text.indexOf('-----', anchorEnd)
    if (close < 0 || close - anchorEnd > HEADER_MAX) {
      return { start: at, end: text.length, found: false, open: text.length - anchorEnd <= HEADER_MAX }
    }
    const title = text.slice(anchorEnd, close)
    if (!title.includes('PRIVATE KEY')) return undefined
    const body = bodyEnd(text, close + 5)
    const isClosed = text.startsWith(END, body)
    if (!isClosed)
      return { start: at, end: body, found: true, open: body >= text.length - JOIN_MAX && body - at < BLOCK_MAX }
    const last = text.indexOf('-----', body + END.length)
    const isWhole = last >= 0 && last - body <= HEADER_MAX + END.length
    return {
      start: at,
      end: isWhole ? last + 5 : Math.min(text.length, body + END.length),
      found: true,
      open: !isWhole,
    }
  },
}

/** The end of the base64 of a block with its line breaks (also written as `\n`) and header lines. */
function bodyEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + BLOCK_MAX)
  let at = from
  while (at < limit) {
    const code = text.charCodeAt(at)
    const isBody =
      (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || BODY.has(code)
    if (code === 45 && text.startsWith('-----', at)) break
    const next = isBody ? at + 1 : joinEnd(text, at)
    if (next === at) break
    at = next
  }
  return at
}

/** Longer than what separates two lines of a block. */
const JOIN_MAX = 40

/** The position after what separates two lines of a quoted, commented or concatenated block; the position itself if there is nothing. */
function joinEnd(text: string, at: number): number {
  const join =
    /["'`](?:\s|\\{1,7}[nr]){0,8}[+.](?:\s|\\{1,7}[nr]){0,8}\\{0,7}["'`]|["']\s{1,8}["']|(?:>|#|\*|\||\/\/)[ \t]{0,4}(?=[\w+/=-])/y
  join.lastIndex = at
  const found = join.exec(text)?.[0] ?? ''
  if (!QUOTED.test(found) && !/(?:[\n\r]|\\n)[ \t>]{0,8}$/.test(text.slice(Math.max(0, at - 12), at))) return at
  return at + found.length
}

const QUOTED = /^["'`]/

const BODY: ReadonlySet<number> = new Set('+/=\n\r\t \\:,-'.split('').map((char) => char.charCodeAt(0)))

/** A private key's block in base64, as in configuration files of clusters. */
const ENCODED_PEM: SecretFormat = {
  name: 'private-key',
  anchors: ['LS0tLS1CRUdJTi'],
  held: true,
  guessable: false,
  look(text, at, anchorEnd): Sight | undefined {
    if (!text.startsWith('LS0tLS1CRUdJTi', at) || !beginsWord(text, at)) return undefined
    const end = runEnd(text, anchorEnd, BASE64, BLOCK_MAX)
    const sight = { start: at, end, open: end === text.length && end - at < BLOCK_MAX }
    // "-----BEGIN " is eleven bytes, so the title follows at a fixed base64 alignment.
    return { ...sight, found: end - at >= 60 && titleOf(text.slice(at, at + 72)).includes('PRIVATE KEY') }
  },
}

function titleOf(base64: string): string {
  try {
    return atob(base64.slice(0, base64.length - (base64.length % 4)))
  } catch {
    return ''
  }
}

/** The private part of a PuTTY key, which follows a line with its number of lines. */
const PUTTY: SecretFormat = {
  name: 'private-key',
  anchors: ['Private-Lines:'],
  held: false,
  guessable: false,
  look(text, _at, anchorEnd) {
    const start = runEnd(text, Math.min(anchorEnd + 1, text.length), DIGIT, 4)
    const end = bodyEnd(text, start)
    return { start, end, found: end - start > 40, open: end === text.length }
  },
}

const MEMBER = /\\{0,7}"\s{0,2}:\s{0,2}\\{0,7}"/y

const CUT_MEMBER = /^\\{0,7}(?:"\s{0,2}(?::\s{0,2}\\{0,7})?)?$/

/** The private members of a JSON Web Key. */
const WEB_KEY: SecretFormat = {
  name: 'private-key',
  anchors: ['"d', '"dp', '"dq', '"qi', '"p', '"q', '"k'],
  held: false,
  guessable: false,
  look(text, _at, anchorEnd) {
    MEMBER.lastIndex = anchorEnd
    const sign = MEMBER.exec(text)
    if (sign === null) {
      const { length } = text
      return length - anchorEnd < 20 && CUT_MEMBER.test(text.slice(anchorEnd))
        ? { start: length, end: length, found: false, open: true }
        : undefined
    }
    const start = anchorEnd + sign[0].length
    const end = runEnd(text, start, TOKEN, 1024)
    return { start, end, open: end === text.length, found: end - start >= 40 && isMixed(text.slice(start, end)) }
  },
}

export const BLOCKS: readonly SecretFormat[] = [PEM, ENCODED_PEM, PUTTY, WEB_KEY]
