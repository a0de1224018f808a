import { beginsWord, runEnd } from './characters.ts'
import { isMixed } from './strength.ts'

/** The stretch that was last read to its end: anchors inside it need not read it again, so that no text is read twice for each of its letters. */
export interface Memo {
  /** What the stretch is made of. */
  kinds: number
  start: number
  end: number
}

/** Where a stretch ends that may have been read before. */
export function memoEnd(memo: Memo, kinds: number, start: number, read: () => number): number {
  if (memo.kinds === kinds && start >= memo.start && start < memo.end) return memo.end
  memo.kinds = kinds
  memo.start = start
  memo.end = read()
  return memo.end
}

/** What stands at an anchor. */
export interface Sight {
  readonly start: number
  readonly end: number
  /** It is a secret. */
  readonly found: boolean
  /** It reaches the end of the text: with more text it could become one, or a longer one. */
  readonly open: boolean
}

/** A kind of secret that can be told by its looks, or by what stands before it. */
export interface SecretFormat {
  readonly name: string
  readonly anchors: readonly string[]
  /** The anchor belongs to the secret, and is hidden with it. */
  readonly held: boolean
  /** Its values may be short or chosen by people, so that a hash of one could be brute-forced. */
  readonly guessable: boolean
  /** `memo` is the same for all looks at one text. */
  look(text: string, at: number, end: number, memo: Memo): Sight | undefined
}

interface TokenShape {
  /** The kinds of characters that follow the anchor. */
  readonly kinds: number
  /** How many of them at least. */
  readonly min: number
  readonly max?: number | undefined
  /** What the whole must look like; only ever asked about text up to `max`. */
  readonly check?: ((token: string) => boolean) | undefined
  /** The anchor is public, and stays: the start of an address. */
  readonly keep?: boolean | undefined
}

const LENGTH_MAX = 4096
/** The same for all formats, since they share what was read. */
const READ_MAX = 16_400

/** A format of tokens that begin with a fixed text, case and all. */
export function tokenFormat(name: string, anchors: readonly string[], shape: TokenShape): SecretFormat {
  const { kinds, min, max = LENGTH_MAX, check = isMixed, keep = false } = shape
  return {
    name,
    anchors,
    held: !keep,
    guessable: false,
    look(text, at, anchorEnd, memo) {
      if (!anchors.some((anchor) => anchor.length === anchorEnd - at && text.startsWith(anchor, at))) return undefined
      if (!keep && !beginsWord(text, at)) return undefined
      let end = memoEnd(memo, kinds, anchorEnd, () => runEnd(text, anchorEnd, kinds, READ_MAX))
      if (end - anchorEnd > max) return undefined
      const open = end === text.length
      // The dot that ends a sentence is not part of it.
      while (end > anchorEnd && text.charAt(end - 1) === '.') end--
      const start = keep ? anchorEnd : at
      return { start, end, open, found: end - anchorEnd >= min && check(text.slice(start, end)) }
    },
  }
}
