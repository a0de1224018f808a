import type { FunctionInfo, Variable } from '../../compile/lower/scope.ts'

/** A variable as seen by a function: a local, or the index of a captured box. */
export type Place = Variable | number

interface CallSite {
  readonly callee: Place
  /** Property names from the value of the variable to the callee. */
  readonly path: readonly string[]
  /** Variables that hold the arguments; `undefined` for one that no variable outside the region holds. */
  readonly args: readonly (Place | undefined)[]
}

/** The possible side effects of a region of a program, whether or not it runs. */
export class Effects {
  readonly assigned: Set<Place> = new Set()
  readonly temps: Set<number> = new Set()
  /** Variables and property paths whose object may be written. */
  readonly writtenPaths: [Place, readonly string[]][] = []
  /** Variables whose object may get a fresh part where no reference was. */
  readonly filled: Set<Place> = new Set()
  /** Variables of whose object one part, selected by a key, may be written. */
  readonly inside: Set<Place> = new Set()
  /** Variables from which any reachable value may be written. */
  readonly deep: Set<Place> = new Set()
  readonly calls: CallSite[] = []
  /** Variables and paths whose value may be iterated over, which advances an iterator. */
  readonly advanced: [Place, readonly string[]][] = []
  /** Variables and paths used as patterns of text methods, which write `lastIndex`. */
  readonly patterns: [Place, readonly string[]][] = []
  /** A text method may use a pattern that no variable here holds. */
  hasUnknownPattern = false
  /** It may write something that no variable here holds. */
  isUnknown = false
  /** It may write to one of several references, selected at run time. */
  picks = false
  /** It may call something that no variable here holds. */
  callsUnknown = false
  /** It may start work that continues later: an `async` function, a callback of a promise or a timer. */
  startsLater = false
  /** Control can leave the region early. */
  escapes = false
  readonly info: FunctionInfo

  constructor(info: FunctionInfo) {
    this.info = info
  }

  /** Whether a call of the function can change anything that outlives the call. */
  get isImpure(): boolean {
    return (
      this.isUnknown ||
      this.picks ||
      this.deep.size > 0 ||
      [...this.filled, ...this.inside].some((place) => typeof place === 'number' || place.kind === 'param') ||
      [...this.writtenPaths, ...this.advanced].some(([place]) => typeof place === 'number' || place.kind === 'param') ||
      [...this.assigned].some((place) => typeof place === 'number')
    )
  }

  /** Falls back to the coarser effect when something else in the region may change what the keyed objects hold. */
  settle(): void {
    const { writtenPaths: roots, deep, calls, isUnknown, callsUnknown } = this
    if (this.inside.size === 0) return
    if (roots.length + deep.size + calls.length === 0 && !isUnknown && !callsUnknown) return
    this.picks = true
    for (const place of this.inside) deep.add(place)
  }

  /** Whether it may write `lastIndex` of a regular expression with state. */
  get usesPatterns(): boolean {
    return this.hasUnknownPattern || this.patterns.length > 0
  }

  /** Whether it may mutate its arguments. */
  get mutatesParams(): boolean {
    return this.mutated.length > 0
  }

  /** Parameters whose object it may mutate. */
  get mutated(): readonly Place[] {
    const paths = [...this.writtenPaths, ...this.advanced]
    return [...paths.map(([place]) => place), ...this.deep, ...this.filled, ...this.inside].filter(
      (place) => typeof place !== 'number' && place.kind === 'param',
    )
  }
}
