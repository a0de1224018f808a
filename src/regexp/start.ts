import { LATIN } from './char-set.ts'
import {
  EDGE,
  JUMP,
  LAZY_RUN,
  LOOK,
  MATCH,
  type Program,
  RUN,
  SAVE,
  SET,
  SPLIT,
  type Start,
  TEXT,
  UNIT,
  WIDTHS,
} from './program.ts'

type Unstarted = Omit<Program, 'start'>

/** Computes what a match can start with, so that a search skips most positions after reading one character. */
export function startOf({ code, sets, texts }: Unstarted): Start {
  let first = 0
  while (code[first] === SAVE) first += 2
  const operand = code[first + 1]!
  const text = code[first] === UNIT ? String.fromCharCode(operand) : code[first] === TEXT ? texts[operand]! : ''
  return { text, latin: firstCodes({ code, sets, texts }), isAnchored: code[first] === EDGE && operand === 0 }
}

function firstCodes({ code, sets, texts }: Pick<Program, 'code' | 'sets' | 'texts'>): Uint8Array | undefined {
  const latin = new Uint8Array(LATIN)
  const seen = new Set<number>()
  const open = [0]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const op = code[at]!
    const operand = code[at + 1]!
    if (op === MATCH) return undefined
    if (op === UNIT) latin[operand] = 1
    else if (op === TEXT) latin[texts[operand]!.charCodeAt(0)] = 1
    else if (op === JUMP || op === LOOK) open.push(operand)
    else if (op === SPLIT) open.push(operand, code[at + 2]!)
    else {
      const isRun = op === RUN || op === LAZY_RUN
      if (isRun || op === SET) for (let one = 0; one < LATIN; one += 1) latin[one]! |= sets[operand]!.latin[one]!
      if (op !== SET && !(isRun && code[at + 2]! > 0)) open.push(at + WIDTHS[op]!)
    }
  }
  return latin
}
