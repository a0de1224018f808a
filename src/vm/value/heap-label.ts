/** Labels of the parts of a list or an object. A part that is listed has these labels; the others have those of the whole. */
export interface PartLabels {
  whole: number
  /** All that any part has ever had. */
  all: number
  /** What each part that is listed has at least: such labels need not be given to them again. */
  low: number
  readonly parts: Map<string, number>
  /** Of a list, by index. */
  readonly items: (number | undefined)[]
}

/** Sets of labels are bits, one for each label that a run has met. */
export type HeapLabel = number | PartLabels
