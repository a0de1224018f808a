import { MandateError, checkFields, messageOf } from '../../core/index.ts'
import type { FieldNames, Json, JsonObject } from '../../core/index.ts'
import { defineTool } from '../define-tool.ts'
import { jsonSchemaCheck } from '../json-schema/json-schema.ts'
import type { StandIn, Tool } from '../tool.ts'

/** Options of the tool that asks a person. */
interface AskUserOptions {
  /** Its name; `ask_user` by default. */
  readonly name?: string | undefined
  /** Its description for the model: when to ask, and what for. */
  readonly description?: string | undefined
}

const ASK_USER_OPTIONS: FieldNames<AskUserOptions> = { name: 'text', description: 'text' }

const DESCRIPTION =
  'Asks the person you work for a question and waits for the answer, however long it takes. Use it when only they can know or decide something. Ask one thing at a time.'

const INPUT: JsonObject = {
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, maxLength: 4_000, description: 'The question, in full.' },
    choices: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 500 },
      minItems: 2,
      maxItems: 50,
      description: 'The possible answers, if there are only these.',
    },
    schema: {
      type: 'object',
      description: 'JSON Schema of the answer, if it shall have fields. Not together with `choices`.',
    },
  },
  required: ['question'],
  not: { required: ['choices', 'schema'] },
  additionalProperties: false,
}

/**
 * Creates a tool with which a model asks a person. The question is durable: the run suspends with the reason `question`, and continues when it is
 * answered from code (`service.answer`), the command (`mandate answer`), an MCP client or a chat page.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { askUser } from 'mandate/tool'
 * const agent = new Agent({ id: 'booker', model: scripted(['Done.']), tools: [askUser()] })
 * ```
 */
export function askUser(options: AskUserOptions = {}): Tool {
  checkFields(options, 'an option of `askUser`', ASK_USER_OPTIONS)
  return defineTool({
    name: options.name ?? 'ask_user',
    description: options.description ?? DESCRIPTION,
    inputSchema: INPUT,
    outputSchema: {},
    risk: 'read',
    takesTokens: true,
    standsFor: (input) => questionOf(input as unknown as Question),
    run: (input) => refuseSchema(input as Question),
  })
}

interface Question {
  readonly question: string
  readonly choices?: readonly string[] | undefined
  readonly schema?: JsonObject | undefined
}

/** `undefined` if no answer could be valid: then it is a call of the tool, which reports that. */
function questionOf({ question, choices, schema }: Question): StandIn | undefined {
  if (schema !== undefined && schemaProblem(schema) !== undefined) return undefined
  const input: Record<string, Json> = { text: question }
  if (choices !== undefined) input['choices'] = choices
  if (schema !== undefined) input['schema'] = schema
  return { kind: 'question', input }
}

function refuseSchema({ schema = {} }: Question): never {
  throw new MandateError(
    'INPUT_INVALID',
    `\`schema\` cannot be used: ${schemaProblem(schema)}. Correct it and ask again.`,
  )
}

function schemaProblem(schema: JsonObject): string | undefined {
  try {
    jsonSchemaCheck(schema, 'the answer')(null)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
