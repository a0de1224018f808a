import { MandateError } from '../../../core/index.ts'
import type { PromptDraft } from '../../../memory/index.ts'
import type { JsonSchema, Route } from '../route.ts'
import { plain } from './run-schemas.ts'
import { list, object, oneOf, openObject, text, texts } from './schemas.ts'

const draft: Readonly<Record<string, JsonSchema>> = {
  text,
  'name?': text,
  'requiredVars?': texts,
  'engine?': oneOf('handlebars', 'liquid', 'mustache', 'fstring'),
  'tags?': texts,
  'metadata?': openObject({}),
}
const prompt = object({ id: text, version: text, ...draft, 'createdBy?': text, 'createdAt?': text })
const READS = ['change-prompt', 'read-journal'] as const

/** Routes for the prompts of the service's store. */
export const promptRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/prompts',
    summary: 'The newest version of each prompt.',
    tag: 'prompts',
    access: 'identity',
    permission: READS,
    query: object({ 'tag?': text, 'name?': text }),
    answer: { status: 200, schema: object({ prompts: list(prompt) }) },
    handle: async ({ service, query }) => plain({ prompts: await service.prompts(query) }),
  },
  {
    method: 'GET',
    path: '/api/prompts/{promptId}',
    summary: 'A prompt: its newest version, or one by its number or label.',
    tag: 'prompts',
    access: 'identity',
    permission: READS,
    query: object({ 'version?': text }),
    answer: { status: 200, schema: prompt },
    async handle({ service, params, query }) {
      const { version } = query as { readonly version?: string }
      const found = await service.prompt(params['promptId']!, version)
      if (found === null) throw new MandateError('NOT_FOUND', 'There is no such prompt, or not in this version.')
      return plain(found)
    },
  },
  {
    method: 'PUT',
    path: '/api/prompts/{promptId}',
    summary: 'Stores a new version of a prompt, with its author.',
    tag: 'prompts',
    access: 'identity',
    permission: 'change-prompt',
    body: object(draft),
    answer: { status: 200, schema: prompt },
    handle: async ({ service, params, body }) =>
      plain(await service.putPrompt({ ...(body as object), id: params['promptId']! } as PromptDraft)),
  },
  {
    method: 'GET',
    path: '/api/prompts/{promptId}/versions',
    summary: 'All versions of a prompt, oldest first, and what its labels point at.',
    tag: 'prompts',
    access: 'identity',
    permission: READS,
    answer: { status: 200, schema: object({ versions: list(prompt), labels: openObject({}) }) },
    async handle({ service, params }) {
      const found = await service.promptVersions(params['promptId']!)
      if (found.versions.length === 0) throw new MandateError('NOT_FOUND', 'There is no such prompt.')
      return plain(found)
    },
  },
  {
    method: 'PUT',
    path: '/api/prompts/{promptId}/labels/{label}',
    summary: 'Points a label of a prompt at a version; a label that exists moves.',
    tag: 'prompts',
    access: 'identity',
    permission: 'change-prompt',
    body: object({ version: text }),
    answer: { status: 200, schema: object({ id: text, label: text, version: text }) },
    async handle({ service, params, body }) {
      const { version } = body as { readonly version: string }
      const { promptId = '', label = '' } = params
      await service.labelPrompt(promptId, label, version)
      return { id: promptId, label, version }
    },
  },
]
