import { DASH, UNDERSCORE, beginsWord, kindAt, runEnd } from './characters.ts'
import { isDrawn, isMixed } from './strength.ts'

/** The last scanned run: anchors inside it need not scan it again, so that scanning stays linear. */
export interface Memo {
  /** The character classes of the run. */
  kinds: number
  start: number
  end: number
}

/** The end of a run, from the memo if it was scanned before. */
export function memoEnd(memo: Memo, kinds: number, start: number, read: () => number): number {
  if (memo.kinds === kinds && start >= memo.start && start < memo.end) return memo.end
  memo.kinds = kinds
  memo.start = start
  memo.end = read()
  return memo.end
}

/** The result of checking the text at an anchor. */
export interface Sight {
  readonly start: number
  readonly end: number
  /** It is a secret. */
  readonly found: boolean
  /** It reaches the end of the text: with more text it could become one, or a longer one. */
  readonly open: boolean
}

/** A kind of secret that is recognized by its form, or by what precedes it. */
export interface SecretFormat {
  readonly name: string
  readonly anchors: readonly string[]
  /** The anchor is part of the secret, and is hidden with it. */
  readonly held: boolean
  /** Its values may be short or chosen by people, so that a hash could be brute-forced. */
  readonly guessable: boolean
  /** It begins only where a token may begin: an anchor inside a longer name is none. */
  readonly isAtStart?: ((text: string, at: number, anchor: string) => boolean) | undefined
  /** `memo` is shared by all checks of one text. */
  look(text: string, at: number, end: number, memo: Memo): Sight | undefined
}

interface TokenShape {
  /** The character classes after the anchor. */
  readonly kinds: number
  /** Their minimum number. */
  readonly min: number
  readonly max?: number | undefined
  /** A check of the whole token; only called for text up to `max`. */
  readonly check?: ((token: string) => boolean) | undefined
  /** The anchor is public and stays: the beginning of a URL. */
  readonly keep?: boolean | undefined
}

/** Prefixes that end ordinary names, and those too short to tell anything inside one: `cache_key-`, `latest_`, `task-`. */
const ORDINARY: ReadonlySet<string> = new Set(
  [
    'key-',
    'live_',
    'test_',
    'api-',
    'sdk-',
    'secret_',
    'st.',
    'sl.',
    't1.',
    'SG.',
    'mfa.',
    'md-',
    'pa-',
    're_',
    'fc-',
    'cs_',
  ].concat([
    'ck_',
    'pk_',
    'fw_',
    'pat',
    'EAA',
    'EAAA',
    'KEY',
    'SK',
    'sk',
    'cio',
    'oy2',
    'GOOG',
    'dapi',
    'A3-',
    'jina_',
  ]),
)

/**
 * Whether a token may begin here: at the start of a word; behind `_` or `-`, as in `backup-ghp_…`; and inside a word if its prefix is long enough that no
 * word has it.
 */
export function mayBegin(text: string, at: number, anchor: string): boolean {
  if (beginsWord(text, at)) return true
  if (ORDINARY.has(anchor)) return false
  return anchor.length >= INSIDE_MIN || (anchor.length >= 3 && (kindAt(text, at - 1) & JOINS) !== 0)
}

const INSIDE_MIN = 4
const JOINS: number = UNDERSCORE | DASH
const LENGTH_MAX = 4096
/** Shared by all formats, because they share the memo. */
const READ_MAX = 16_400

/** A format of tokens that begin with a fixed, case-sensitive text. */
export function tokenFormat(name: string, anchors: readonly string[], shape: TokenShape): SecretFormat {
  const { kinds, min, max = LENGTH_MAX, check = isMixed, keep = false } = shape
  return {
    name,
    anchors,
    held: !keep,
    guessable: false,
    ...(keep ? {} : { isAtStart: mayBegin }),
    look(text, at, anchorEnd, memo) {
      if (!anchors.some((anchor) => anchor.length === anchorEnd - at && text.startsWith(anchor, at))) return undefined
      if (!keep && !mayBegin(text, at, text.slice(at, anchorEnd))) return undefined
      let end = memoEnd(memo, kinds, anchorEnd, () => runEnd(text, anchorEnd, kinds, READ_MAX))
      if (end - anchorEnd > max) return undefined
      const open = end === text.length
      // The dot that ends a sentence is not part of it.
      while (end > anchorEnd && text.charAt(end - 1) === '.') end--
      const start = keep ? anchorEnd : at
      const isLong = end - anchorEnd >= min
      // Inside a word a prefix can be chance, so what follows has to look random.
      const isLikely = keep || beginsWord(text, at) || isDrawn(text.slice(anchorEnd, end))
      return { start, end, open, found: isLong && isLikely && check(text.slice(start, end)) }
    },
  }
}
