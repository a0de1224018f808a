import { defineTool } from 'mandate'
import type { AgentConfig, Json, JsonObject } from 'mandate'
import { httpFetch, kv } from 'mandate/connect'
import { scripted, textOf, toolResultsOf } from 'mandate/model'
import type { ModelRequest } from 'mandate/model'

/** The body of the last page that was fetched. */
function lastPage(request: ModelRequest): { latest?: string; version?: string; notes?: readonly string[] } {
  const pages = request.messages
    .flatMap((message) => toolResultsOf(message))
    .filter(({ name }) => name === 'http_fetch')
  const last = pages.at(-1)
  return last?.status === 'ok' ? (JSON.parse((last.value as { body: string }).body) as ReturnType<typeof lastPage>) : {}
}

const UNREADABLE = 'I could not read the release notes: the site did not answer.'

function summaryOf({ version, notes = [] }: ReturnType<typeof lastPage>): string {
  const changes = notes.filter((note) => note.startsWith('API: ')).map((note) => `- ${note.slice(5)}`)
  return [`tangram ${version}: ${changes.length} changes affect the API.`, ...changes].join('\n')
}

/** Stands in for a model: it plans as one would, from what the tools really gave, and costs nothing. */
function pretendModel(origin: string): AgentConfig['model'] {
  return scripted(
    [
      {
        text: 'Let me see what has been released.',
        toolCalls: [{ name: 'http_fetch', input: { url: `${origin}/releases` } }],
      },
      (request) => {
        const { latest } = lastPage(request)
        if (latest === undefined) return UNREADABLE
        return {
          text: 'I read the notes of the latest release.',
          toolCalls: [{ name: 'http_fetch', input: { url: `${origin}/releases/${latest}` } }],
        }
      },
      (request) => {
        const page = lastPage(request)
        if (page.version === undefined) return UNREADABLE
        return {
          text: 'I keep them, and tell the site that they were read.',
          toolCalls: [
            { name: 'kv_set', input: { key: `notes/${page.version}`, value: page.notes ?? [] } },
            { name: 'mark_as_read', input: { version: page.version } },
          ],
        }
      },
      (request) => {
        const summary = summaryOf(lastPage(request))
        if (!request.messages.some((message) => message.role === 'user' && textOf(message).includes('announce')))
          return summary
        return {
          text: 'The summary is ready. I would like to announce it.',
          toolCalls: [{ name: 'announce', input: { text: summary } }],
        }
      },
      (request) => {
        const announced = toolResultsOf(request.messages.at(-1)!).at(-1)?.status === 'ok'
        return `${summaryOf(lastPage(request))}${announced ? '' : '\n(It was not announced.)'}`
      },
    ],
    { name: 'release-reader' },
  )
}

/** Sends JSON to the site. Not idempotent: doing it twice is twice as much, so it must never be repeated by accident. */
function post(origin: string, path: string): (input: Json) => Promise<Json> {
  return async (input) => {
    const response = await fetch(`${origin}${path}`, { method: 'POST', body: JSON.stringify(input) })
    return { ok: response.ok }
  }
}

/** Finds the latest release notes, caches them, and summarises what changes for users of the API. */
export function releaseNotes(origin: string): AgentConfig {
  const text = (name: string): JsonObject => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  })
  return {
    id: 'release-notes',
    instructions: 'You read release notes and say, briefly, what changes for users of the API.',
    model: pretendModel(origin),
    tools: [
      httpFetch({ allow: [origin] }),
      ...kv(),
      defineTool({
        name: 'mark_as_read',
        description: 'Tells the site that a release was read.',
        risk: 'write',
        inputSchema: text('version'),
        run: post(origin, '/reads'),
      }),
      defineTool({
        name: 'announce',
        description: 'Posts a text for everyone to see.',
        risk: 'write',
        needsApproval: true,
        inputSchema: text('text'),
        run: post(origin, '/announcements'),
      }),
    ],
    // The network is off unless it is granted.
    mandate: { grant: ['http_fetch'], budget: { toolCalls: 20, totalTokens: 50_000 } },
  }
}

const config: AgentConfig = releaseNotes(process.env['RELEASE_NOTES_URL'] ?? 'http://127.0.0.1:4100')
export default config
