import { MandateError, canonical, parseJson, sha256 } from '../../core/index.ts'
import type { Compiled } from '../compile/compile.ts'
import { live } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/** The format version; texts of another version are refused. */
const FORMAT = 'values-1'

/**
 * Serializes named values of a program, with sharing, cycles and labels. Promises and running state
 * cannot be serialized. Call it inside `machine.within`.
 */
export function writeValues(compiled: Compiled, values: ReadonlyMap<string, Guest>): string {
  const writer = new ValueWriter()
  const roots = [...values].map(([name, value]) => [name, writer.put(value)] as const)
  writer.finish()
  const labels = live.machine.flow?.names ?? []
  const program = writer.hasCode ? programHash(compiled) : ''
  return JSON.stringify({ format: FORMAT, program, labels, roots, cells: writer.cells })
}

/**
 * Deserializes values that `writeValues` wrote, at the same cost as if the program had made them. Throws `INPUT_INVALID` for a text that
 * is malformed, of another format version, or holds functions of another program.
 */
export function readValues(compiled: Compiled, kept: string): Map<string, Guest> {
  const read = parseJson(kept, 'The text of kept values') as unknown
  const { format, program, labels, roots, cells } = (isRecord(read) ? read : {}) as Record<string, unknown>
  if (format !== FORMAT) return refuse('their format is not known here')
  if (program !== '' && program !== programHash(compiled)) return refuse('they hold functions of another program')
  const reader = new ValueReader(compiled, cells, takeLabels(labels))
  if (!Array.isArray(roots)) return refuse('no names are given')
  return new Map(
    roots.map((root: unknown) => {
      const [name, paper] = Array.isArray(root) ? (root as unknown[]) : []
      if (typeof name !== 'string' || paper === undefined) return refuse('a name is missing')
      return [name, reader.value(paper)]
    }),
  )
}

/** Labels are bit positions in a list of names, so the machine must start with the same list. Returns their number. */
function takeLabels(labels: unknown): number {
  if (!Array.isArray(labels) || labels.length > 31 || !labels.every((label) => typeof label === 'string'))
    return refuse('their labels are not a list of names')
  const { flow } = live.machine
  if (labels.length > 0 && flow === undefined) return refuse('they have labels, and this run does not follow labels')
  if (flow === undefined) return 0
  if (flow.names.length === 0) flow.names.push(...labels)
  if (labels.some((label, place) => flow.names[place] !== label)) return refuse('this run has met other labels before')
  return labels.length
}

const hashes = new WeakMap<Compiled, string>()

/** Functions are serialized as indices into the functions of the program, which this hash pins. */
function programHash(compiled: Compiled): string {
  let hash = hashes.get(compiled)
  if (hash === undefined) hashes.set(compiled, (hash = sha256(canonical(compiled.program))))
  return hash
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function refuse(why: string): never {
  throw new MandateError('INPUT_INVALID', `The kept values cannot be read: ${why}.`)
}
