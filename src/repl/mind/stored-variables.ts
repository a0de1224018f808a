import { MandateError, isRecord } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { entriesOfType, isErased, readAll } from '../../journal/index.ts'
import type { Entry, IntactEntry, Journal } from '../../journal/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { CellSession, CellSource, StoredContent, StoredGroup, StoredSession } from '../../vm/index.ts'
import type { ContextFacts } from '../context/context.ts'
import { DRAFTS, SET_NAMES } from '../session/reserved-names.ts'
import type { SlotName } from '../session/reserved-names.ts'
import type { CellOutput, SessionState } from '../session/session-state.ts'

/** A value set by the host, with its labels. */
export type Slot = {
  readonly value: Json
  readonly labels: readonly Label[]
  /** The value is the facts of a context that is read in parts. */
  readonly isHandle?: true
}

/** The note in which the run of a cell records the variables of its session. */
type VariablesNote = {
  readonly v: 1
  readonly session: StoredSession
  /** Labels of everything in the session, when values are not tracked individually. */
  readonly labels: readonly Label[]
  /** Content that is new in this note, by its hash. */
  readonly groups: Readonly<Record<string, StoredGroup>>
  readonly programs: Readonly<Record<string, CellSource>>
  readonly slots: Readonly<Partial<Record<SlotName, Slot>>>
  /** The runs whose notes contain the remaining content, by hash or slot name. */
  readonly at: Readonly<Record<string, string>>
}

/** The name under which a run records its variables. */
const VARIABLES = 'variables'

/** Index of a stored session, without content: which run's note contains what. */
export interface StoredIndex {
  readonly session: StoredSession
  readonly labels: readonly Label[]
  readonly slots: ReadonlyMap<SlotName, Slot>
  /** Runs by the hash of the content, or by the name of the slot. */
  readonly where: Readonly<Record<string, string>>
}

export const NOTHING_STORED: StoredIndex = {
  session: { groups: [], labels: [], floor: 0, followsLabels: false },
  labels: [],
  slots: new Map(),
  where: {},
}

/** Loads the variables recorded by a run, including content that its note refers to in other runs. */
export async function loadVariables(
  journal: Journal,
  run: string,
): Promise<{ readonly index: StoredIndex; readonly content: StoredContent }> {
  const note = await noteOf(journal, run)
  const notes = new Map([[run, note]])
  for (const each of new Set(Object.values(note.at))) if (!notes.has(each)) notes.set(each, await noteOf(journal, each))
  const holder = (key: string): VariablesNote => notes.get(note.at[key] ?? run)!
  const own = [...Object.keys(note.groups), ...Object.keys(note.programs), ...Object.keys(note.slots)]
  const where = { ...note.at, ...Object.fromEntries(own.map((key) => [key, run])) }
  const slots = new Map<SlotName, Slot>()
  for (const name of [...SET_NAMES, DRAFTS] as const) {
    const slot = where[name] === undefined ? undefined : holder(name).slots[name]
    if (slot !== undefined) slots.set(name, slot)
  }
  return {
    index: { session: note.session, labels: note.labels, slots, where },
    content: {
      group: (hash) => holder(hash).groups[hash] ?? missing(run, hash),
      program: (hash) => holder(hash).programs[hash] ?? missing(run, hash),
    },
  }
}

interface StoredNow {
  readonly cells: CellSession
  readonly labels: readonly Label[]
  readonly slots: ReadonlyMap<SlotName, Slot>
}

/**
 * Records changed variables in the journal of the run: new content, and references to the rest. `isKept` is false if redaction changed the recorded note; the
 * session is then read from the journal instead of memory.
 */
export async function storeVariables(
  context: RunContext,
  before: StoredIndex,
  { cells, labels, slots }: StoredNow,
): Promise<{ readonly index: StoredIndex; readonly isChanged: boolean; readonly isKept: boolean }> {
  const { session, groups, programs } = cells.stored(before.where)
  const own: Partial<Record<SlotName, Slot>> = {}
  const at: Record<string, string> = {}
  const where: Record<string, string> = {}
  const find = (key: string, isHere: boolean): void => {
    where[key] = isHere ? context.runId : before.where[key]!
    if (!isHere) at[key] = where[key]
  }
  for (const [name, slot] of slots) {
    const isNew = before.slots.get(name) !== slot
    if (isNew) own[name] = slot
    find(name, isNew)
  }
  for (const { hash, programs: used } of session.groups) {
    find(hash, groups[hash] !== undefined)
    for (const program of used) find(program, programs[program] !== undefined)
  }
  const index: StoredIndex = { session, labels, slots, where }
  if (isSame(before, index)) return { index: before, isChanged: false, isKept: true }
  const note: VariablesNote = { v: 1, session, labels, groups, programs, slots: own, at }
  const text = JSON.stringify(note)
  const kept = await context.record(VARIABLES, () => JSON.parse(text) as Json)
  return { index, isChanged: true, isKept: JSON.stringify(kept) === text }
}

function isSame(a: StoredIndex, b: StoredIndex): boolean {
  if (a.slots.size !== b.slots.size || [...a.slots].some(([name, slot]) => b.slots.get(name) !== slot)) return false
  const parts = ({ labels, session }: StoredIndex): string =>
    JSON.stringify([labels, session.labels, session.floor, session.groups.map(({ hash }) => hash)])
  return parts(a) === parts(b) && (a.session.followsLabels === b.session.followsLabels || b.session.groups.length === 0)
}

async function noteOf(journal: Journal, run: string): Promise<VariablesNote> {
  const entries = await readAll(journal, run)
  if (entries.some(isErased)) throw erased(run)
  const value = recordedIn(entries, VARIABLES)
  return isRecord(value) ? (value as unknown as VariablesNote) : missing(run, VARIABLES)
}

/** Returns the value that a run recorded under a name. */
export function recordedIn(entries: readonly Entry[], name: string): Json | undefined {
  const found = entriesOfType(entries, 'note').find(({ key }) => key === name)
  return (found?.data.value as { readonly value?: Json } | undefined)?.value
}

function erased(run: string): MandateError {
  return new MandateError(
    'JOURNAL_ERASED',
    `The variables of the session are gone: the content of its run "${run}" was erased by retention. Begin another session, under another id.`,
  )
}

function missing(run: string, what: string): never {
  throw new MandateError(
    'NOT_FOUND',
    `The variables of the session are not all there: the journal of run "${run}" has no "${what}". Import the runs of the session that are missing, or begin another session.`,
  )
}

/** Returns the state of a session after the run of a cell. */
export async function stateAfter(journal: Journal, run: string): Promise<SessionState> {
  return (await endAfter(journal, run)).state
}

/** The same with the last entry of the run. */
export async function endAfter(
  journal: Journal,
  run: string,
): Promise<{ readonly end: IntactEntry<'run-end'>; readonly state: SessionState }> {
  const entries = await readAll(journal, run)
  if (entries.some(isErased)) throw erased(run)
  const end = entriesOfType(entries, 'run-end').at(-1)
  const state = end && stateOf(end)
  return state === undefined ? notEnded(run) : { end: end!, state }
}

/** Returns the facts of a session's partially read context after the run of a cell. */
export async function contextAfter(journal: Journal, run: string): Promise<ContextFacts | undefined> {
  const { variables } = await stateAfter(journal, run)
  const slot = variables === null ? undefined : (await loadVariables(journal, variables)).index.slots.get('context')
  return slot?.isHandle === true ? (slot.value as unknown as ContextFacts) : undefined
}

/** Reads the session state from the last entry of a cell's run; undefined if the cell left none. */
export function stateOf(end: IntactEntry<'run-end'>): SessionState | undefined {
  const output = end.data.output as CellOutput | null | undefined
  return isRecord(output) && isRecord(output.session) ? output.session : undefined
}

function notEnded(run: string): never {
  throw new MandateError(
    'RUN_STATE',
    `The cell of run "${run}" is not over, or left nothing: no cell can follow it. Resume it, or undo it.`,
  )
}
