import type { Layout } from '../syntax/layout.ts'
import type { Comment, Token } from '../syntax/token.ts'

/** A token to be written, with the comments before it, including those of removed commas and colons. */
export interface Leaf {
  readonly text: string
  readonly comments: readonly Comment[]
  readonly isApart: boolean
  readonly isGlued: boolean
}

/** The contents of a pair of brackets. */
export interface Group {
  readonly open: Leaf
  readonly items: readonly (readonly Part[])[]
  readonly close: Leaf
  readonly isList: boolean
  /** Written over several lines in the source, which is kept. */
  readonly isBroken: boolean
}

export type Part = Leaf | Group

/** The items of a text, each as its parts, and the end of the text with the comments before it. */
export interface FormatTree {
  readonly items: readonly (readonly Part[])[]
  readonly end: Leaf
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

export function formatTree(tokens: readonly Token[], layout: Layout): FormatTree {
  return new TreeBuilder(tokens, layout).build()
}

class TreeBuilder {
  readonly #tokens: readonly Token[]
  readonly #layout: Layout
  #index = 0
  /** Comments of removed tokens, for the next token that is kept. */
  #carried: Comment[] = []

  constructor(tokens: readonly Token[], layout: Layout) {
    this.#tokens = tokens
    this.#layout = layout
  }

  build(): FormatTree {
    const items = this.#items('')
    return { items, end: this.#leaf() }
  }

  /** The items up to a closing bracket, or to the end. */
  #items(close: string): Part[][] {
    const items: Part[][] = []
    for (;;) {
      this.#skipDropped()
      const token = this.#tokens[this.#index]!
      if (token.kind === 'end' || this.#isSign(close)) return items
      if (this.#layout.items.has(this.#index) || items.length === 0) items.push([])
      items.at(-1)!.push(this.#part())
    }
  }

  #part(): Part {
    const { raw } = this.#tokens[this.#index]!
    const close = this.#isSign(raw) && !this.#layout.glued.has(this.#index) ? CLOSING[raw] : undefined
    if (close === undefined) return this.#leaf()
    const first = this.#index
    const open = this.#leaf()
    const items = this.#items(close)
    const last = this.#index
    const isBroken = this.#isBroken(first, last)
    return { open, items, close: this.#leaf(), isList: raw === '[', isBroken }
  }

  /** Blocks keep their line breaks; lists have them only if a comment or a text requires it. */
  #isBroken(first: number, last: number): boolean {
    const inside = this.#tokens.slice(first + 1, last + 1)
    const isBlock = this.#tokens[first]!.raw === '{'
    return inside.some(
      (token) =>
        token.comments.length > 0 || (isBlock && token.isFirst) || (token.kind === 'text' && token.raw.includes('\n')),
    )
  }

  #leaf(): Leaf {
    const token = this.#tokens[this.#index]!
    const comments = [...this.#carried, ...token.comments]
    this.#carried = []
    const isKey = this.#layout.keys.has(this.#index)
    const isGlued = this.#layout.glued.has(this.#index)
    this.#index++
    return { text: isKey ? `${token.raw}:` : token.raw, comments, isApart: token.isApart, isGlued }
  }

  #skipDropped(): void {
    for (; this.#layout.dropped.has(this.#index); this.#index++)
      this.#carried.push(...this.#tokens[this.#index]!.comments)
  }

  #isSign(raw: string): boolean {
    const token = this.#tokens[this.#index]!
    return token.kind === 'sign' && token.raw === raw
  }
}
