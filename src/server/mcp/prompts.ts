import type { JsonObject } from '../../core/index.ts'
import type { PromptStore, PromptTemplate } from '../../memory/index.ts'
import type { McpServerOptions, OfferedArgument, OfferedPrompt } from './options.ts'
import { protocol } from './protocol.ts'
import type { GetPromptResult, McpServer, fromJsonSchema, jsonSchemaValidator } from './protocol.ts'

/** Registers prompts: the templates of a store, whose required variables become arguments, or prompts as they were given. */
export async function addPrompts(server: McpServer, prompts: McpServerOptions['prompts']): Promise<void> {
  if (prompts === undefined) return
  const offered = isStore(prompts) ? (await prompts.list()).map((template) => fromTemplate(prompts, template)) : prompts
  for (const prompt of offered) addPrompt(server, prompt)
  addCompletion(server, offered)
}

function isStore(prompts: PromptStore | readonly OfferedPrompt[]): prompts is PromptStore {
  return !Array.isArray(prompts)
}

function fromTemplate(store: PromptStore, { id, name, requiredVars = [] }: PromptTemplate): OfferedPrompt {
  return {
    name: id,
    description: name,
    arguments: requiredVars.map((variable) => ({ name: variable, required: true })),
    async get(args) {
      const { text } = await store.render(id, args)
      return [{ role: 'user', content: { type: 'text', text } }]
    },
  }
}

function addPrompt(server: McpServer, prompt: OfferedPrompt): void {
  const { name, description, arguments: list = [] } = prompt
  const get = async (args: Readonly<Record<string, string>>): Promise<GetPromptResult> => ({
    messages: (await prompt.get(args)).map(({ role, content }) => ({ role, content })),
  })
  const about = description === undefined ? {} : { description }
  if (list.length === 0) server.registerPrompt(name, about, () => get({}))
  else server.registerPrompt(name, { ...about, argsSchema: argumentsOf(list) }, (args) => get(args))
}

function argumentsOf(list: readonly OfferedArgument[]): ReturnType<typeof fromJsonSchema<Record<string, string>>> {
  const properties = Object.fromEntries(
    list.map(({ name, description }) => [
      name,
      { type: 'string', ...(description === undefined ? {} : { description }) },
    ]),
  )
  const required = list.flatMap(({ name, required: isRequired = false }) => (isRequired ? name : []))
  const schema: JsonObject = { type: 'object', properties, required }
  return protocol.fromJsonSchema<Record<string, string>>(schema, checkingFor(required))
}

/** Returns a validator that checks only for missing arguments, because all prompt arguments are strings. */
function checkingFor(required: readonly string[]): jsonSchemaValidator {
  return {
    getValidator: () => (input) => {
      const missing = required.filter((name) => typeof (input as JsonObject | undefined)?.[name] !== 'string')
      if (missing.length === 0) return { valid: true, data: input as never, errorMessage: undefined }
      return { valid: false, data: undefined, errorMessage: `Missing: ${missing.join(', ')}.` }
    },
  }
}

/** The maximum number of suggestions that the protocol allows. */
const SUGGESTIONS = 100

function addCompletion(server: McpServer, offered: readonly OfferedPrompt[]): void {
  server.server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const prompt = ref.type === 'ref/prompt' ? offered.find(({ name }) => name === ref.name) : undefined
    const found = await prompt?.arguments?.find(({ name }) => name === argument.name)?.complete?.(argument.value)
    const values = (found ?? []).slice(0, SUGGESTIONS)
    return { completion: { values, total: found?.length ?? 0, hasMore: (found?.length ?? 0) > SUGGESTIONS } }
  })
}
