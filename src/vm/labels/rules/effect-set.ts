import type { FunctionInfo, Variable } from '../../compile/lower/scope.ts'

/** A variable as code of one function finds it: one of its own, or a box that it carries. */
export type Place = Variable | number

interface CallSite {
  readonly callee: Place
  /** Names that lead from what the variable holds to what is called. */
  readonly path: readonly string[]
  /** What it may be given; what nothing outside of the region names is unknown. */
  readonly args: readonly (Place | undefined)[]
}

/** What a part of a program can do to the rest of it, whether or not it runs. */
export class Effects {
  readonly assigned: Set<Place> = new Set()
  readonly temps: Set<number> = new Set()
  /** Variables whose object is written, at the end of a path of names. */
  readonly writtenPaths: [Place, readonly string[]][] = []
  /** Variables whose object gets something new where no reference was. */
  readonly filled: Set<Place> = new Set()
  /** Variables of whose object one of the things in it is written, by a key. */
  readonly inside: Set<Place> = new Set()
  /** Variables of which anything inside may be written. */
  readonly deep: Set<Place> = new Set()
  readonly calls: CallSite[] = []
  /** What texts are gone through with: a pattern that keeps its place is written by that. */
  readonly patterns: [Place, readonly string[]][] = []
  /** A text may be gone through with something that nothing here names. */
  hasUnknownPattern = false
  /** It may write something that nothing here names. */
  isUnknown = false
  /** It may write to one of several things, chosen by what it met. */
  picks = false
  /** It may call something that nothing here names. */
  callsUnknown = false
  /** It can be left for a place outside of it. */
  escapes = false
  readonly info: FunctionInfo

  constructor(info: FunctionInfo) {
    this.info = info
  }

  /** Whether calling the function that this is of can change anything that outlives the call. */
  get isImpure(): boolean {
    return (
      this.isUnknown ||
      this.picks ||
      this.deep.size > 0 ||
      [...this.filled, ...this.inside].some((place) => typeof place === 'number' || place.kind === 'param') ||
      this.writtenPaths.some(([place]) => typeof place === 'number' || place.kind === 'param') ||
      [...this.assigned].some((place) => typeof place === 'number')
    )
  }

  /** What is in an object is known only where nothing else may have put anything there. */
  settle(): void {
    const { writtenPaths: roots, deep, calls, isUnknown, callsUnknown } = this
    if (this.inside.size === 0) return
    if (roots.length + deep.size + calls.length === 0 && !isUnknown && !callsUnknown) return
    this.picks = true
    for (const place of this.inside) deep.add(place)
  }

  /** The same for patterns that keep their place, where a program has any. */
  get usesPatterns(): boolean {
    return this.hasUnknownPattern || this.patterns.length > 0
  }

  /** Whether it may write what it is given. */
  get mutatesParams(): boolean {
    return this.mutated.length > 0
  }

  /** Parameters whose object it may write. */
  get mutated(): readonly Place[] {
    return [...this.writtenPaths.map(([place]) => place), ...this.deep, ...this.filled, ...this.inside].filter(
      (place) => typeof place !== 'number' && place.kind === 'param',
    )
  }
}
