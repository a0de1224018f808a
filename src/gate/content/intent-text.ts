const OPEN = '<intent>'
const CLOSE = '</intent>'
/** A longer block is not treated as a declaration, and is shown like any other text. */
const BLOCK_LENGTH_MAX = 8_192

/** Removes intent declarations from streamed text. The joined output equals `withoutIntents` of the joined input. */
export interface IntentFilter {
  /** Takes the next piece and returns the text that can be shown so far. */
  push(text: string): string
  /** Ends the text: returns what was held back and is no declaration. */
  end(): string
}

/** The text of a reply without its intent declarations and the gaps that they leave. */
export function withoutIntents(text: string): string {
  const filter = intentFilter()
  return filter.push(text) + filter.end()
}

/** Creates a filter that holds back only what may be part of a declaration, and the space before it. */
export function intentFilter(): IntentFilter {
  let held = ''
  let isCut = false
  let isSpoken = false
  const show = (text: string): string => {
    // If the reply begins with declarations, the space after them is removed.
    const shown = isCut && !isSpoken ? text.trimStart() : text
    if (shown !== '') isSpoken = true
    return shown
  }
  const take = (to: number): string => {
    const text = held.slice(0, to)
    held = held.slice(to)
    return show(text)
  }
  return {
    push(text) {
      held += text
      let shown = ''
      for (;;) {
        const at = held.indexOf(OPEN)
        if (at < 0) return shown + take(settled(held))
        const body = at + OPEN.length
        const end = held.indexOf(CLOSE, body)
        if ((end < 0 ? held.length : end) - body > BLOCK_LENGTH_MAX) shown += take(body)
        else if (end < 0) return shown + take(held.slice(0, at).trimEnd().length)
        else {
          shown += take(held.slice(0, at).trimEnd().length)
          held = held.slice(held.indexOf(CLOSE) + CLOSE.length)
          isCut = true
        }
      }
    },
    end: () => (isCut && held.trim() === '' ? '' : take(held.length)),
  }
}

/** The length of the text that can be shown: without an end that is space or the beginning of a tag. */
function settled(text: string): number {
  let end = text.length
  for (let length = Math.min(OPEN.length - 1, end); length > 0; length--)
    if (text.endsWith(OPEN.slice(0, length))) {
      end -= length
      break
    }
  while (end > 0 && /\s/u.test(text[end - 1]!)) end--
  return end
}
