import { MandateError, checkFields } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { AgentInput } from '../output/output-types.ts'
import { readInput } from './run-options.ts'
import type { Prompt } from './run-options.ts'

const MEMBERS = { prompt: true, history: true, context: true, model: true }
const SHAPE =
  'a prompt (a text or a message of the user), or { prompt, history, context, model } with what shall be different'

/** The input of a fork of an agent's run: a prompt alone replaces the prompt; members that are not named stay as they were. */
export function readForkInput(edit: Json, before: Json): Json {
  const was = before as unknown as AgentInput
  if (typeof edit === 'string') return { ...was, prompt: promptOf(edit, was) }
  if (typeof edit !== 'object' || edit === null || Array.isArray(edit))
    throw new MandateError('CONFIG_INVALID', `\`edit.input\` of a fork of an agent is ${SHAPE}.`)
  if (Object.hasOwn(edit, 'role')) return { ...was, prompt: promptOf(edit as unknown as Prompt, was) }
  checkFields(edit, `part of \`edit.input\`, which is ${SHAPE}`, MEMBERS)
  const {
    prompt = was.prompt,
    history = was.history,
    context = was.context,
    model = was.model,
  } = edit as unknown as Partial<AgentInput>
  return { ...was, ...readInput(prompt ?? undefined, undefined, { history, context, model }) }
}

function promptOf(prompt: Prompt, { history }: AgentInput): AgentInput['prompt'] {
  return readInput(prompt, undefined, { history }).prompt
}
