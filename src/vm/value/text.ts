import { burn, charge, live, outOfMemory } from '../meter/live.ts'
import { limitStop } from '../meter/stop.ts'

/** Shorter texts are never ropes worth charging for. */
const FLAT = 64

/**
 * Joins two texts. The platform makes a rope, so only the shorter side and a node are charged; what looks inside later
 * pays for the whole with `touch`.
 */
export function concat(a: string, b: string): string {
  const length = a.length + b.length
  if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)
  if ((live.memory -= (a.length < b.length ? a.length : b.length) + 24) < 0) outOfMemory()
  return a + b
}

/** The texts looked into last, per machine: a loop over a few texts pays once for each. */
export class TextMemory {
  #a = ''
  #b = ''
  #c = ''
  #d = ''

  has(text: string): boolean {
    return text === this.#a || text === this.#b || text === this.#c || text === this.#d
  }

  get isEmpty(): boolean {
    return this.#a === ''
  }

  keep(text: string): void {
    this.#d = this.#c
    this.#c = this.#b
    this.#b = this.#a
    this.#a = text
  }
}

/** Pays for looking inside a text: the platform then copies a rope into one piece. */
export function touch(text: string): void {
  if (text.length > FLAT) touchLong(text)
}

function touchLong(text: string): void {
  const { texts } = live
  if (texts.has(text)) return
  burn(text.length >> 2)
  charge(text.length)
  texts.keep(text)
}
