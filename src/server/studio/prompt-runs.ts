import type { Json } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Call, Route } from '../http/route.ts'

/** How many of the latest runs are searched, and how many of the first entries of each: a prompt is rendered before other effects. */
const RUNS = 300
const ENTRIES = 12

/** `GET /api/prompts/{promptId}/runs`: returns which of the latest runs used a prompt, and in which version. */
export const promptRunsRoute: Route = {
  method: 'GET',
  path: '/api/prompts/{promptId}/runs',
  summary: 'Which of the latest runs used a prompt, and in which version.',
  tag: 'prompts',
  access: 'identity',
  permission: ['change-prompt', 'read-journal'],
  answer: {
    status: 200,
    schema: {
      type: 'object',
      properties: { runs: { type: 'array', items: { type: 'object' } } },
      required: ['runs'],
    },
  },
  handle: runsOf,
}

async function runsOf({ service, params }: Call): Promise<Json> {
  const found: Json[] = []
  for (const { run, name, state, createdAt } of await service.runs({ limit: RUNS })) {
    const version = await versionIn(service, run, params['promptId']!).catch(() => undefined)
    if (version !== undefined) found.push({ run, name, state, createdAt, version })
  }
  return { runs: found }
}

/** Returns the version of a prompt that a run rendered, from the journal entries of that effect. */
async function versionIn(service: Call['service'], run: string, promptId: string): Promise<string | undefined> {
  let isAsked = false
  for await (const entry of service.entries(run)) {
    if (entry.seq > ENTRIES || isErased(entry)) return undefined
    if (entry.key !== 'prompt') continue
    if (entry.type === 'effect-start') isAsked = (entry.data.input as { readonly id?: string } | null)?.id === promptId
    if (entry.type !== 'effect-end' || !isAsked || entry.data.outcome.status !== 'ok') continue
    const { meta } = entry.data.outcome.value as { readonly meta?: { readonly version?: string } }
    return meta?.version
  }
  return undefined
}
