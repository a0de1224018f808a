import {
  MandateError,
  describeOutcome,
  failed,
  joinLabels,
  messageOf,
  memberPointer,
  pointerName,
} from '../../core/index.ts'
import type { EffectLabels, Json, JsonObject, Label, LabelMap, Outcome } from '../../core/index.ts'
import type { Message } from '../../model/index.ts'
import { isWithheld } from '../../run/index.ts'
import type { Done } from '../loop/act.ts'
import { inputLabels } from './input-labels.ts'
import type { LoggedResult } from './message-log.ts'
import type { PlanStep } from '../config/strategies.ts'

/** The paragraph of the system prompt in a run that uses handles. */
export const HANDLE_INSTRUCTIONS: string = [
  'What untrusted sources say is not shown to you. In its place stands a handle such as {"$ref": "r1", "type": "text", "size": "under 1 kB", "from": ["untrusted:web"]}.',
  'Use it as the value of an argument and the tool gets what it stands for: {"body": {"$ref": "r1"}}. With "path", a JSON pointer, it stands for a part: {"$ref": "r1", "path": "/items/0/title"}.',
  'To give it to the user, write {"$ref": "r1"} in your last answer. To have it read, hand it to another agent or tool; the answer is a handle again.',
].join('\n')

interface Handle {
  readonly value: Json
  readonly labels: readonly Label[]
}

interface Resolving {
  readonly labels: { [pointer: string]: readonly Label[] }
}

/** The results with untrusted labels that were withheld from the model, by their handles. A function of the journal, like the conversation itself. */
export class Handles {
  readonly #all = new Map<string, Handle>()
  /** Refusals about handles: their text names handles only, so they can be shown. */
  readonly #refused = new WeakSet<Outcome<Json>>()
  #count: number

  /** Numbers continue after those in the history: a handle of an earlier run must not be reused for another value. */
  constructor(history: readonly Message[]) {
    const numbers = JSON.stringify(history).matchAll(/\\*"\$ref\\*":\s*\\*"r(\d{1,9})\\*"/gu)
    this.#count = Math.max(0, ...[...numbers].map(([, number]) => Number(number)))
  }

  /** The labels of all of them. */
  get labels(): readonly Label[] {
    return joinLabels(...[...this.#all.values()].map(({ labels }) => labels))
  }

  /** Replaces handles by their values in a step, with the labels of every part; or returns the refusal of a step that cannot be performed. */
  resolve(step: PlanStep, said: readonly string[], shown: readonly Label[]): PlanStep | Outcome<Json> {
    const resolving: Resolving = { labels: {} }
    try {
      const input = this.#filled(step.input ?? {}, '', resolving)
      if (Object.keys(resolving.labels).length === 0 && step.labels === undefined) return step
      return {
        ...step,
        input,
        labels: joined(step.labels ?? inputLabels(step.input ?? {}, said, shown), resolving),
      }
    } catch (error) {
      const refused: Outcome<Json> = failed('INPUT_INVALID', messageOf(error))
      this.#refused.add(refused)
      return refused
    }
  }

  /** Returns the results of a turn in the form sent to the model. */
  results(done: readonly Done[], notes: readonly string[]): LoggedResult[] {
    return done.map(({ step, outcome }, index): LoggedResult => {
      const call = { type: 'tool-result' as const, toolCallId: step.toolCallId!, name: step.toolId! }
      const status = outcome.status === 'ok' ? 'ok' : outcome.status === 'failed' ? 'error' : outcome.status
      if (this.#refused.has(outcome) || !isHidden(step, outcome)) {
        const value =
          outcome.status === 'ok' ? (outcome.shown ?? outcome.value) : describeOutcome(outcome) + notes[index]!
        return { ...call, status, value }
      }
      return { ...call, status, value: this.#shown(outcome, notes[index]!) }
    })
  }

  /** An answer to the user with handles replaced by their values, and its labels. */
  filledAnswer(text: string, isJson: boolean): { readonly text: string; readonly labels: readonly Label[] } {
    const found: (readonly Label[])[] = []
    const filled = text.replaceAll(HANDLE, (whole, name: string, path: string | undefined) => {
      const handle = this.#all.get(name)
      const value = handle === undefined ? undefined : partAt(handle.value, path ?? '')
      if (handle === undefined || value === undefined) return whole
      found.push(handle.labels)
      return typeof value === 'string' && !isJson ? value : JSON.stringify(value)
    })
    return { text: filled, labels: joinLabels(...found) }
  }

  #shown(outcome: Outcome<Json>, note: string): JsonObject {
    const name = `r${++this.#count}`
    const isOk = outcome.status === 'ok'
    const value = isOk ? outcome.value : describeOutcome(outcome)
    const labels = 'labels' in outcome ? (outcome.labels ?? []) : []
    this.#all.set(name, { value, labels })
    const about = { $ref: name, type: typeOf(value), size: sizeOf(value), from: labels }
    if (isOk) return about
    const why = outcome.status === 'denied' ? { code: outcome.code, rule: outcome.rule } : {}
    const code = outcome.status === 'failed' ? { code: outcome.error.code } : why
    return { ...about, failed: outcome.status, ...code, ...(note === '' ? {} : { note: note.trim() }) }
  }

  #filled(value: Json, pointer: string, resolving: Resolving): Json {
    if (typeof value !== 'object' || value === null) return value
    const handle = handleOf(value)
    if (handle !== undefined) {
      const known = this.#known(handle.name)
      resolving.labels[pointer] = known.labels
      const part = partAt(known.value, handle.path)
      if (part === undefined)
        throw new MandateError('INPUT_INVALID', `There is nothing at "${handle.path}" in ${handle.name}.`)
      return part
    }
    const within = (name: string): string => memberPointer(pointer, name)
    if (Array.isArray(value))
      return (value as readonly Json[]).map((item, index) => this.#filled(item, within(String(index)), resolving))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#filled(member, within(name), resolving)]),
    )
  }

  #known(name: string): Handle {
    const known = this.#all.get(name)
    if (known !== undefined) return known
    const names = [...this.#all.keys()]
    throw new MandateError(
      'INPUT_INVALID',
      `There is no handle ${JSON.stringify(name.slice(0, 40))} in this run. ${names.length === 0 ? 'There is none yet' : `Known: ${names.slice(-20).join(', ')}`}; call the tool again for what an earlier run was given.`,
    )
  }
}

/** A handle in the text of an answer. */
const HANDLE = /\{\s*"\$ref"\s*:\s*"(r\d{1,9})"\s*(?:,\s*"path"\s*:\s*"([^"\\]*)"\s*)?\}/gu

/** Whether a failure must be withheld: its reason may quote its input, including values that the model must not read. */
function isHidden(step: PlanStep, outcome: Outcome<Json>): boolean {
  return isWithheld(outcome) || (outcome.status !== 'ok' && hasHandle(step.input ?? null))
}

function hasHandle(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return handleOf(value) !== undefined || Object.values(value).some(hasHandle)
}

/** A handle in a value; other members that the model repeats (type, size) are ignored. */
function handleOf(value: object): { readonly name: string; readonly path: string } | undefined {
  const { $ref: name, path } = value as { $ref?: unknown; path?: unknown }
  if (typeof name !== 'string' || !/^r\d{1,9}$/u.test(name)) return undefined
  return { name, path: typeof path === 'string' ? path : '' }
}

function partAt(value: Json, pointer: string): Json | undefined {
  let part: Json | undefined = value
  for (const step of pointer === '' ? [] : pointer.replace(/^\//u, '').split('/')) {
    const name = pointerName(step)
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined
    part = (part as { readonly [name: string]: Json })[name]
  }
  return part
}

function joined(own: EffectLabels | undefined, { labels }: Resolving): EffectLabels {
  const map: LabelMap = own !== undefined && 'at' in own ? (own as LabelMap) : { at: { '': own ?? [] }, pc: own ?? [] }
  return { ...map, at: { ...map.at, ...labels } }
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

const SIZES: readonly (readonly [number, string])[] = [
  [100, 'under 100 bytes'],
  [1_000, 'under 1 kB'],
  [10_000, 'under 10 kB'],
  [100_000, 'under 100 kB'],
]

/** The size is rounded: an exact size would be a covert channel from the author of the text to the model. */
function sizeOf(value: Json): string {
  const { length } = typeof value === 'string' ? value : JSON.stringify(value)
  return SIZES.find(([limit]) => length < limit)?.[1] ?? 'large'
}
