/** Characters that combine with the previous one and have no width. */
const NARROW = /\p{Mn}|\p{Me}|[\u200B-\u200D]/u
/** Characters of double width: East Asian scripts, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u

/** The width of a text on a terminal, in columns. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}
