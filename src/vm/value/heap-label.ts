/** Labels of the parts of a list or object. Listed parts have their own label; all others have that of the whole. */
interface PartLabels {
  whole: number
  /** Join of all labels that any part has had. */
  all: number
  /** Labels that every listed part has already, to skip raising them again. */
  low: number
  readonly parts: Map<string, number>
  /** Of a list, by index. */
  readonly items: (number | undefined)[]
}

/** A label set as bits, one per label that the run has met. */
export type HeapLabel = number | PartLabels
