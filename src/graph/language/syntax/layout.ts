/** How the tokens of a text without errors are to be written, by their places in the list of tokens. */
export interface Layout {
  /** First tokens of the items of blocks in braces, and of the elements of lists. */
  readonly items: Set<number>
  /** Tokens without a space before them. */
  readonly glued: Set<number>
  /** Commas and colons that are not written as they stand. */
  readonly dropped: Set<number>
  /** Keys with a colon after them. */
  readonly keys: Set<number>
}

export function newLayout(): Layout {
  return { items: new Set(), glued: new Set(), dropped: new Set(), keys: new Set() }
}
