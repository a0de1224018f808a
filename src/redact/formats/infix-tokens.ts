import { ALNUM, DIGIT, LOWER, TOKEN, beginsWord, kindAt, runEnd, runStart } from './characters.ts'
import type { SecretFormat, Sight } from './format.ts'

interface InfixShape {
  readonly name: string
  readonly anchors: readonly string[]
  readonly head: number
  readonly headMax: number
  readonly tail: number
  readonly tailMax: number
  readonly pattern: RegExp
}

/** Tokens with a fixed text in the middle. */
const SHAPES: readonly InfixShape[] = [
  {
    name: 'terraform-token',
    anchors: ['.atlasv1.'],
    head: ALNUM,
    headMax: 16,
    tail: TOKEN,
    tailMax: 120,
    pattern: /^[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,}$/,
  },
  {
    name: 'telegram-token',
    anchors: [':AA'],
    head: DIGIT,
    headMax: 12,
    tail: TOKEN,
    tailMax: 48,
    pattern: /^\d{8,11}:AA[\w-]{30,40}$/,
  },
  {
    name: 'azure-secret',
    anchors: ['Q~'],
    head: ALNUM | 8 | 16 | 32 | 2048,
    headMax: 5,
    tail: TOKEN | 32 | 2048,
    tailMax: 48,
    pattern: /^[\w.~-]{3,4}\dQ~[\w.~-]{30,40}$/,
  },
  {
    name: 'mailchimp-key',
    anchors: ['-us'],
    head: DIGIT | LOWER,
    headMax: 33,
    tail: DIGIT,
    tailMax: 3,
    pattern: /^[0-9a-f]{32}-us\d{1,2}$/,
  },
  {
    name: 'newrelic-key',
    anchors: ['NRAL'],
    head: DIGIT | LOWER,
    headMax: 37,
    tail: TOKEN,
    tailMax: 1,
    pattern: /^(?:eu01xx)?[0-9a-f]{30,36}NRAL$/,
  },
  {
    name: 'azure-devops-token',
    anchors: ['AZDO'],
    head: ALNUM,
    headMax: 80,
    tail: ALNUM,
    tailMax: 5,
    pattern: /^[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}$/,
  },
  {
    name: 'firebase-token',
    anchors: [':APA91b'],
    head: TOKEN,
    headMax: 30,
    tail: TOKEN,
    tailMax: 220,
    pattern: /^[\w-]{7,30}:APA91b[\w-]{100,}$/,
  },
  {
    name: 'asana-token',
    anchors: ['1/'],
    head: DIGIT,
    headMax: 2,
    tail: DIGIT | LOWER | 1024 | 64,
    tailMax: 80,
    pattern: /^[12]\/\d{10,}(?:\/\d{10,})?:[0-9a-f]{32}$/,
  },
]

function infixFormat({ name, anchors, head, headMax, tail, tailMax, pattern }: InfixShape): SecretFormat {
  return {
    name,
    anchors,
    held: false,
    guessable: false,
    look(text, at, anchorEnd): Sight | undefined {
      const anchor = text.slice(at, anchorEnd)
      if (!anchors.includes(anchor)) return undefined
      const start = pastEscape(text, runStart(text, at, head, headMax))
      if (!beginsWord(text, start)) return undefined
      const end = runEnd(text, anchorEnd, tail, tailMax + 1)
      if (end - anchorEnd > tailMax) return undefined
      return { start, end, open: end === text.length, found: pattern.test(text.slice(start, end)) }
    },
  }
}

/** Skips the letter of an escaped `\n`, which is not part of a token. */
function pastEscape(text: string, start: number): number {
  return text.charAt(start - 1) === '\\' && 'nrt'.includes(text.charAt(start)) ? start + 1 : start
}

/** Discord's bot tokens: an id in base64, a time, a signature. Only the dots are fixed. */
export const DISCORD: SecretFormat = {
  name: 'discord-token',
  anchors: ['.'],
  held: false,
  guessable: false,
  look(text, at) {
    // Evaluated at every dot of every text, so the cheapest check is first: another dot after six or seven characters.
    const second = text.charAt(at + 7) === '.' ? at + 7 : text.charAt(at + 8) === '.' ? at + 8 : -1
    if (second < 0 && text.length > at + 8) return undefined
    const start = pastEscape(text, runStart(text, at, TOKEN, 30))
    const first = text.charAt(start)
    if (at - start < 18 || at - start > 28 || (first !== 'M' && first !== 'N' && first !== 'O')) return undefined
    if (runEnd(text, at + 1, TOKEN, 7) !== (second < 0 ? text.length : second)) return undefined
    if (second < 0) return { start, end: text.length, open: true, found: false }
    const end = runEnd(text, second + 1, TOKEN, 60)
    return { start, end, open: end === text.length, found: end - second > 24 }
  },
}

export const INFIX_TOKENS: readonly SecretFormat[] = [...SHAPES.map(infixFormat), DISCORD]

/** The minimum length of the beginning of a token whose fixed text is in the middle or at the end, such as 32 hex digits before `-us14`. */
const HEAD_MIN = 8
const HEAD_MAX = 80

/** The start of a sequence at the end of the text that could be the beginning of such a token; the length of the text if there is none. */
export function headFrom(text: string): number {
  const { length } = text
  for (let cut = 0; cut < ANCHOR_MAX && cut < length; cut++) {
    if (cut > 0 && !ANCHORS.some((anchor) => anchor.startsWith(text.slice(length - cut)))) continue
    const start = runStart(text, length - cut, TOKEN, HEAD_MAX + 1)
    const size = length - cut - start
    if (size < HEAD_MIN || size > HEAD_MAX) continue
    for (let at = start; at < length; at++) if (kindAt(text, at) === DIGIT) return start
  }
  return length
}

const ANCHORS: readonly string[] = SHAPES.flatMap((shape) => shape.anchors)
const ANCHOR_MAX: number = Math.max(...ANCHORS.map((anchor) => anchor.length))
