/** A fixed text to search for, with the value for its matches. */
export interface Anchor<T> {
  readonly text: string
  readonly value: T
  /** The anchor itself is part of the secret: a stream that ends in the middle of it must wait. */
  readonly held: boolean
}

interface Node<T> {
  readonly next: Map<number, Node<T>>
  readonly depth: number
  id: number
  fail: Node<T> | undefined
  /** The prefixes of held anchors that end here. */
  readonly held: string[]
  found: readonly { readonly value: T; readonly length: number }[]
}

/** A multi-pattern matcher (Aho–Corasick): one table lookup per character, whatever the text and the number of anchors, so that no text can make it slow. */
export class Anchors<T> {
  readonly #symbols = new Uint8Array(65_536)
  readonly #shift: number
  readonly #next: Uint16Array | Uint32Array
  readonly #hitsFrom: number
  readonly #found: readonly Node<T>['found'][]
  readonly #fail: Uint32Array
  readonly #held: readonly (readonly string[])[]
  readonly #depth: Uint32Array

  /** With `fold`, the case of ASCII letters is ignored. Prefixes shorter than `heldMin` are not held back. */
  constructor(anchors: readonly Anchor<T>[], fold: boolean, heldMin = 1) {
    const symbols = this.#readSymbols(anchors, fold)
    this.#shift = Math.ceil(Math.log2(symbols + 1))
    const nodes = linked(grow(anchors, this.#symbols, heldMin))
    // Matching states are numbered last, so that one comparison recognizes them.
    const ordered = [
      ...nodes.filter((node) => node.found.length === 0),
      ...nodes.filter((node) => node.found.length > 0),
    ]
    for (let id = 0; id < ordered.length; id++) ordered[id]!.id = id
    this.#hitsFrom = ordered.findIndex((node) => node.found.length > 0)
    if (this.#hitsFrom < 0) this.#hitsFrom = ordered.length
    this.#found = ordered.map((node) => node.found)
    this.#held = ordered.map((node) => node.held)
    this.#fail = new Uint32Array(ordered.length)
    this.#depth = new Uint32Array(ordered.length)
    for (let id = 0; id < ordered.length; id++) {
      this.#fail[id] = ordered[id]!.fail?.id ?? 0
      this.#depth[id] = ordered[id]!.depth
    }
    const size = ordered.length << this.#shift
    this.#next = ordered.length < 65_536 ? new Uint16Array(size) : new Uint32Array(size)
    // In breadth-first order, so that the failure link of a node is complete before it: missing transitions are those of the failure link.
    for (const node of nodes) {
      const row = node.id << this.#shift
      if (node.fail !== undefined) {
        const from = node.fail.id << this.#shift
        this.#next.copyWithin(row, from, from + (1 << this.#shift))
      }
      node.next.forEach((child, symbol) => (this.#next[row | symbol] = child.id))
    }
  }

  /**
   * Calls back for every match in the text, and returns the final state, with which the next piece of the text starts. Without a callback it returns
   * -1 at the first match.
   */
  scan(text: string, onHit: ((value: T, at: number, end: number) => void) | undefined, from = 0): number {
    const next = this.#next
    const symbols = this.#symbols
    const shift = this.#shift
    const hitsFrom = this.#hitsFrom
    let state = from
    for (let i = 0; i < text.length; i++) {
      state = next[(state << shift) | symbols[text.charCodeAt(i)]!]!
      if (state >= hitsFrom) {
        if (onHit === undefined) return -1
        for (const { value, length } of this.#found[state]!) onHit(value, i + 1 - length, i + 1)
      }
    }
    return state
  }

  /** Whether the text up to this state ends with a prefix of an anchor. */
  isInside(state: number): boolean {
    return this.#depth[state]! > 0
  }

  /** The start of a held anchor that is incomplete at the end of the text; the length of the text if there is none. */
  openFrom(text: string, state: number, mayBegin: (at: number, begun: string) => boolean): number {
    for (let at = state; this.#depth[at]! > 0; at = this.#fail[at]!) {
      const start = text.length - this.#depth[at]!
      for (const begun of this.#held[at]!) if (endsWith(text, begun, start < 0) && mayBegin(start, begun)) return start
    }
    return text.length
  }

  #readSymbols(anchors: readonly Anchor<T>[], fold: boolean): number {
    let count = 0
    for (const char of new Set(anchors.flatMap(({ text }) => text.split('')))) {
      const both = fold ? [char.toLowerCase(), char.toUpperCase()] : [char]
      // At most 255 symbols: rarer characters share the last one, and the callback checks the text itself.
      if (this.#symbols[both[0]!.charCodeAt(0)] === 0) count = Math.min(count + 1, 255)
      for (const form of both) this.#symbols[form.charCodeAt(0)] ||= count
    }
    return count
  }
}

/** Whether the text ends with this prefix, which may have begun before it. */
function endsWith(text: string, begun: string, beganBefore: boolean): boolean {
  return text.endsWith(begun) || (beganBefore && begun.endsWith(text))
}

function newNode<T>(depth: number): Node<T> {
  return { next: new Map(), depth, id: 0, fail: undefined, held: [], found: [] }
}

function grow<T>(anchors: readonly Anchor<T>[], symbols: Uint8Array, heldMin: number): Node<T> {
  const root = newNode<T>(0)
  for (const { text, value, held } of anchors) {
    let node = root
    for (let i = 0; i < text.length; i++) {
      const symbol = symbols[text.charCodeAt(i)]!
      let child = node.next.get(symbol)
      if (child === undefined) node.next.set(symbol, (child = newNode(node.depth + 1)))
      node = child
      if (!held || node.depth < heldMin) continue
      const begun = text.slice(0, node.depth)
      if (!node.held.includes(begun)) node.held.push(begun)
    }
    node.found = [...node.found, { value, length: text.length }]
  }
  return root
}

/** Nodes in breadth-first order, each with its failure link: the longest proper suffix of its path that is a path too. */
function linked<T>(root: Node<T>): readonly Node<T>[] {
  const nodes = [root]
  for (const node of nodes) {
    node.next.forEach((child, symbol) => {
      let fail = node.fail
      while (fail !== undefined && !fail.next.has(symbol)) fail = fail.fail
      child.fail = fail?.next.get(symbol) ?? root
      // Most nodes match nothing.
      if (child.fail.found.length > 0) child.found = [...child.found, ...child.fail.found]
      nodes.push(child)
    })
  }
  return nodes
}
