import { Best } from '../../../memory/index.ts'

/** Vectors are stored in large chunks of memory: rows of one length, one after the other. */
const CHUNK_BYTES = 8_000_000

interface Chunk {
  readonly numbers: Float32Array
  readonly ids: Float64Array
  readonly places: Int32Array
  readonly ends: Float64Array
  size: number
}

/** The vectors of one space with the same number of dimensions, in the order of their ids. */
export class VectorShelf {
  readonly dimensions: number
  readonly #perChunk: number
  #chunks: Chunk[] = []
  #hasEnds = false

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#perChunk = Math.max(64, Math.floor(CHUNK_BYTES / (dimensions * 4)))
  }

  get bytes(): number {
    return this.#chunks.length * this.#perChunk * (this.dimensions * 4 + 20)
  }

  /** Adds a vector; ids only grow. */
  add(id: number, place: number, end: number | null, vector: Float32Array): void {
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.size === this.#perChunk) this.#chunks.push((chunk = this.#newChunk()))
    const at = chunk.size++
    chunk.numbers.set(vector, at * this.dimensions)
    chunk.ids[at] = id
    chunk.places[at] = place
    chunk.ends[at] = end ?? Infinity
    if (end !== null) this.#hasEnds = true
  }

  /** Removes the vector of a deleted record. */
  remove(id: number): void {
    const chunk = this.#chunks.findLast((one) => one.ids[0]! <= id)
    if (chunk === undefined) return
    const at = chunk.ids.subarray(0, chunk.size).indexOf(id)
    if (at >= 0) chunk.places[at] = -1
  }

  /** Keeps only the vectors of existing records. */
  keep(live: ReadonlySet<number>): void {
    const old = this.#chunks
    this.#chunks = []
    for (const chunk of old) {
      for (let at = 0; at < chunk.size; at++) {
        if (chunk.places[at]! < 0 || !live.has(chunk.ids[at]!)) continue
        const start = at * this.dimensions
        const end = chunk.ends[at]!
        this.add(
          chunk.ids[at]!,
          chunk.places[at]!,
          end === Infinity ? null : end,
          chunk.numbers.subarray(start, start + this.dimensions),
        )
      }
    }
  }

  /** The ids of the rows with the greatest dot product, best first; in one place, or in all. */
  nearest(vector: Float32Array, limit: number, now: number, place: number | undefined): Best<number> {
    const best = new Best<number>(limit)
    for (const chunk of this.#chunks) this.#scan(chunk, vector, best, { now, place })
    return best
  }

  #scan(
    { numbers, ids, places, ends, size }: Chunk,
    vector: Float32Array,
    best: Best<number>,
    { now, place }: { readonly now: number; readonly place: number | undefined },
  ): void {
    const { dimensions } = this
    let { threshold } = best
    for (let at = 0; at < size; at++) {
      const owner = places[at]!
      if (owner < 0 || (place !== undefined && owner !== place) || (this.#hasEnds && ends[at]! <= now)) continue
      const score = product(numbers, at * dimensions, vector)
      if (score <= threshold) continue
      best.offer(ids[at]!, score)
      threshold = best.threshold
    }
  }

  #newChunk(): Chunk {
    const size = this.#perChunk
    return {
      numbers: new Float32Array(size * this.dimensions),
      ids: new Float64Array(size),
      places: new Int32Array(size),
      ends: new Float64Array(size),
      size: 0,
    }
  }
}

/** The dot product of a vector with the one at an offset. Four independent sums, because a single one would be limited by the latency of additions. */
function product(numbers: Float32Array, start: number, vector: Float32Array): number {
  const { length } = vector
  const whole = length - (length % 4)
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  for (let i = 0; i < whole; i += 4) {
    s0 += numbers[start + i]! * vector[i]!
    s1 += numbers[start + i + 1]! * vector[i + 1]!
    s2 += numbers[start + i + 2]! * vector[i + 2]!
    s3 += numbers[start + i + 3]! * vector[i + 3]!
  }
  for (let i = whole; i < length; i++) s0 += numbers[start + i]! * vector[i]!
  return s0 + s1 + s2 + s3
}
