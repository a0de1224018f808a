import type { Finding } from '../findings.ts'

export const PII_KINDS = ['email', 'phone', 'card', 'iban', 'ssn', 'ip'] as const

/** Kinds of personal data that are recognized by their form. */
export type PiiKind = (typeof PII_KINDS)[number]

interface Rule {
  /** Every repetition is bounded, so that no text makes it slow. */
  readonly pattern: RegExp
  readonly check?: (text: string) => boolean
  /** The end of a text that could become a match. */
  readonly tail: RegExp
}

const NUMBER_TAIL = /[+(]?[\d][\d ().-]{0,40}$|\+$/

const RULES: Readonly<Record<PiiKind, Rule>> = {
  email: {
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?!\w)/g,
    tail: /[\w.+-]{1,64}(?:@[\w.-]{0,255})?$/,
  },
  phone: {
    pattern:
      /(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}|\(\d{3}\) ?\d{3}[ .-]?\d{4}|\d{3}[.-]\d{3}[.-]\d{4})(?![\w-]|\.\d)/g,
    check: (text) => digitsOf(text).length >= 8 && digitsOf(text).length <= 15,
    tail: NUMBER_TAIL,
  },
  card: {
    pattern: /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)/g,
    check: (text) => /^[2-6]/.test(text) && isLuhn(digitsOf(text)),
    tail: NUMBER_TAIL,
  },
  iban: {
    pattern: /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/g,
    check: (text) => isIban(text.replaceAll(' ', '')),
    tail: /(?<!\w)[A-Z]{1,2}(?:\d[A-Z0-9 ]{0,40})?$/,
  },
  ssn: { pattern: /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g, tail: NUMBER_TAIL },
  ip: {
    pattern: /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\d)/g,
    tail: /[\d.]{1,15}$/,
  },
}

/** Adds the personal data in a text to the findings. */
export function findPii(text: string, kinds: readonly PiiKind[], findings: Finding[]): void {
  for (const kind of kinds) {
    const { pattern, check } = RULES[kind]
    for (const match of text.matchAll(pattern)) {
      if (check !== undefined && !check(match[0])) continue
      findings.push({ start: match.index, end: match.index + match[0].length, name: kind, guessable: true })
    }
  }
}

/** The start of a text's end that could become personal data; its length if there is none. */
export function piiFrom(text: string, kinds: readonly PiiKind[]): number {
  const tail = text.slice(-320)
  const starts = kinds.map((kind) => RULES[kind].tail.exec(tail)?.index ?? tail.length)
  return text.length - tail.length + Math.min(tail.length, ...starts)
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '')
}

/** The check digit of payment cards: every second digit from the right is doubled. */
function isLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const counted = i % 2 === 1 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0 && digits.length >= 13
}

/** ISO 7064: country and check digits move to the end, letters become numbers, and the result modulo 97 must be one. */
function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false
  let rest = 0
  for (const char of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(char, 36)
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  return rest === 1
}
