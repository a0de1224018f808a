import { MandateError, isRecord, nearest } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { matchesName, shown } from '../rules/targets.ts'
import type { Mandate } from './mandate.ts'
import { inputsIn, targetsIn } from './mandate-names.ts'
import type { NamedInput, NamedTarget } from './mandate-names.ts'

/** What a mandate can refer to: the tools by name, with their input schemas, and the names of other kinds. */
export interface KnownTargets {
  readonly tools: ReadonlyMap<string, Json>
  readonly others: Partial<Record<EffectKind, readonly string[]>>
}

/** A name in a mandate that nothing has. */
export interface NameFinding {
  readonly field: string
  readonly message: string
  /** Whether it is probably a typing mistake: then the rule would silently never apply. */
  readonly isSlip: boolean
}

/** Kinds whose names are given by the package, or are not known before a run. */
const UNNAMED: ReadonlySet<EffectKind> = new Set(['cell', 'memory', 'database', 'prompt', 'question', 'sleep', 'embed'])

/** Tools that the package itself may call or offer, and atoms of programs: naming them is no mistake, whoever has them. */
export const PACKAGE_TOOLS: readonly string[] = [
  ...['ask_user', 'sleep', 'wait_until', 'use_skill', 'update_working_memory', 'spawn_agent', 'hand_off'],
  ...['read_file', 'write_file', 'edit_file', 'list_files', 'search_files', 'run_command', 'http_fetch'],
  ...['kv_get', 'kv_set', 'kv_swap', 'kv_delete', 'kv_list', 'memory_save', 'memory_search', 'memory_forget'],
  ...['sql_query', 'sql_schema', 'sql_execute', 'search_documents', 'webhook_post', 'register_graph'],
  ...['graph_define', 'graph_register', 'graph_validate', 'context.open', 'context.slice', 'context.head'],
  ...['context.tail', 'context.lines', 'context.search', 'context.count', 'context.tally', 'context.chunks'],
  ...['context.records', 'context.recordCount'],
  ...['httpFetch', 'storeGet', 'storeSet', 'storeQuery', 'storeQueryWhere', 'storeVectorSearch', 'storeVectorize'],
  ...['storeCreateCollection', 'storeVectorAdd', 'storeSearch', 'storeProcedure', 'releaseProcedure', 'agentRun'],
  ...['clearExpiredProcedures', 'llmPredict', 'llmPredictBattery', 'llmVision', 'waitUntil', 'xmlParse', 'runCode'],
  'transpileCode',
]

/** Throws if a mandate names something that nothing has and that is one typing mistake away from something there is. */
export function checkNames(mandate: Mandate, known: () => KnownTargets, what: string): void {
  if (!hasNames(mandate)) return
  const slip = nameFindings(mandate, known()).find(({ isSlip }) => isSlip)
  if (slip === undefined) return
  throw new MandateError('CONFIG_INVALID', `${what}: \`mandate.${slip.field}\` ${slip.message}`, {
    info: { field: slip.field },
  })
}

/** Most mandates name nothing, and what there is would be gathered for each of a thousand agents. */
function hasNames(mandate: Mandate): boolean {
  return targetsIn(mandate).length > 0 || inputsIn(mandate).length > 0
}

/** Every name in a mandate that nothing has, and every part of an input that no named tool takes. */
export function nameFindings(mandate: Mandate, known: KnownTargets): readonly NameFinding[] {
  return [
    ...targetsIn(mandate).flatMap((target) => targetFinding(target, known) ?? []),
    ...inputsIn(mandate).flatMap((input) => inputFinding(input, known) ?? []),
  ]
}

function targetFinding({ field, kind, pattern }: NamedTarget, known: KnownTargets): NameFinding | undefined {
  if (UNNAMED.has(kind)) return undefined
  const names = kind === 'tool' ? [...known.tools.keys()] : (known.others[kind] ?? [])
  if (names.some((name) => matchesName(pattern, name))) return undefined
  if (kind === 'tool' && PACKAGE_TOOLS.includes(pattern)) return undefined
  const isPattern = pattern.endsWith('*')
  // A list of what is denied may well hold patterns for tools that an agent does not have.
  if (isPattern && field.startsWith('deny')) return undefined
  const meant = isPattern ? undefined : nearest(pattern, names)
  const hint =
    meant === undefined
      ? `Known: ${names.length === 0 ? 'none' : names.slice(0, 20).join(', ')}.`
      : `Did you mean ${shown(meant)}? (If another host has it, write ${shown(`${pattern}*`)}.)`
  return {
    field,
    message: `names ${shown(pattern)}, and no ${kind} here ${isPattern ? 'matches it' : 'has that name'}. ${hint}`,
    isSlip: meant !== undefined,
  }
}

function inputFinding({ field, tools, path }: NamedInput, known: KnownTargets): NameFinding | undefined {
  const named =
    tools === undefined ? undefined : [...known.tools].filter(([name]) => tools.some((one) => matchesName(one, name)))
  const candidates = named ?? [...known.tools]
  const missing = candidates.map(([name, schema]) => ({ name, ...placeOf(schema, path) }))
  const [first] = missing
  if (first === undefined || missing.some((place) => place.missing === undefined)) return undefined
  const meant = missing.map((place) => place.meant).find((name) => name !== undefined)
  const isClosed = missing.every((place) => place.isClosed)
  if (!isClosed && meant === undefined) return undefined
  const whose = named === undefined ? 'no tool here takes' : `${shown(first.name)} does not take`
  const hint = meant === undefined ? `Known: ${first.members.join(', ') || 'none'}.` : `Did you mean "${meant}"?`
  return {
    field,
    message: `reads ${shown(path.join('.'))} of the input, which ${whose}. ${hint}`,
    isSlip: named !== undefined,
  }
}

interface Place {
  /** The first member on the way that the schema does not have. */
  readonly missing?: string
  readonly meant?: string | undefined
  /** Whether the schema refuses members that it does not name. */
  readonly isClosed: boolean
  readonly members: readonly string[]
}

const FOUND: Place = { isClosed: false, members: [] }

/** Follows a path through a schema, as far as the schema says what is there. */
function placeOf(schema: Json | undefined, [step, ...rest]: readonly string[]): Place {
  if (step === undefined || !isRecord(schema)) return FOUND
  const { type, properties, items, additionalProperties } = schema
  const isPlain = !['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'not', 'patternProperties', 'dependentSchemas'].some(
    (word) => word in schema,
  )
  if (!isPlain) return FOUND
  if (type === 'array') return step === '*' || /^\d+$/u.test(step) ? placeOf(items, rest) : FOUND
  if (!isRecord(properties) || step === '*') return FOUND
  if (Object.hasOwn(properties, step)) return placeOf(properties[step], rest)
  const members = Object.keys(properties)
  return { missing: step, meant: nearest(step, members), isClosed: additionalProperties === false, members }
}
