/** The layout of the tokens of a text without errors, by their index. */
export interface Layout {
  /** First tokens of the items of blocks in braces, and of the elements of lists. */
  readonly items: Set<number>
  /** Tokens without a preceding space. */
  readonly glued: Set<number>
  /** Commas and colons that are not written. */
  readonly dropped: Set<number>
  /** Keys that are followed by a colon. */
  readonly keys: Set<number>
}

export function newLayout(): Layout {
  return { items: new Set(), glued: new Set(), dropped: new Set(), keys: new Set() }
}
