import type { Json } from '../../core/index.ts'
import { MandateError } from '../../core/index.ts'
import { checkedOutput } from '../checked-output.ts'
import type { ReadOutputSchema } from '../schema.ts'
import { clip } from '../shown.ts'
import type { StandIn, Tool } from '../tool.ts'

type Fields = Readonly<Record<string, unknown>>

/** Functions that a tool may have besides the one that performs it. */
const OTHER_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['description', 'inputSchema', 'outputSchema', 'validate', 'fatal', 'reconcile', 'standsFor'],
  ...['needsApproval', 'toModelOutput', 'show', 'onInputStart', 'onInputDelta', 'onInputAvailable'],
])

/**
 * Whether a definition without a function is a client tool. It must have an input schema, and no function under another name: a forgotten or misspelt
 * `run` must not become a question. Tools that a provider performs are something else.
 */
export function isClientTool(fields: Fields): boolean {
  if (Object.getPrototypeOf(fields) !== Object.prototype || fields['inputSchema'] === undefined) return false
  if (fields['definition'] !== undefined || String(fields['type']).startsWith('provider')) return false
  return Object.entries(fields).every(([name, value]) => typeof value !== 'function' || OTHER_FUNCTIONS.has(name))
}

/** How many characters of the input the text of the question shows; the question itself has all of it. */
const SHOWN_INPUT = 2_000

/** The question for a client tool: the answer is its result. */
export function clientStandIn({
  name,
  description,
  answer,
}: Pick<Tool, 'name' | 'description'> & { readonly answer: ReadOutputSchema | undefined }): (input: Json) => StandIn {
  const schema = answer === undefined ? {} : { schema: answer.outputSchema }
  const answered =
    answer === undefined ? {} : { answered: (given: Json): unknown => checkedOutput(given, answer, name) }
  const what = description === undefined ? '' : ` (${description})`
  return (input) => {
    const text = `Carry out "${name}"${what} and give its result. Input: ${clip(JSON.stringify(input), SHOWN_INPUT)}`
    return { kind: 'question', input: { text, input, ...schema }, ...answered }
  }
}

/** Throws the error for calling a client tool where no client can answer. */
export function refuseToRun(name: string): never {
  throw new MandateError('TOOL_FAILED', `"${name}" is a client tool without a function, and no client is here.`)
}

/** Facts that a client tool cannot have, because nothing here could enforce them, with what to do instead. */
export function clientProblem(fact: (field: string) => unknown): { field: string; what: string } | undefined {
  const { needsApproval, risk, labels } = {
    needsApproval: fact('needsApproval') ?? false,
    risk: fact('risk') ?? 'read',
    labels: fact('labels'),
  }
  const why = 'does not apply to a tool without a function, which the client carries out'
  if (needsApproval !== false) return { field: 'needsApproval', what: `${why}: let the client ask` }
  if (risk !== 'read') return { field: 'risk', what: `${why}: it is judged as a question` }
  if (labels !== undefined) return { field: 'labels', what: why }
  if ((fact('toModelOutput') ?? fact('show')) !== undefined)
    return { field: 'toModelOutput', what: `${why}: the model reads what the client gives` }
  return undefined
}
