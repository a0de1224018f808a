import type { AgentService } from '../../../agent/index.ts'
import { VERSION } from '../../../core/index.ts'
import { ENTRY_VERSION } from '../../../journal/index.ts'
import type { Route } from '../route.ts'
import { count, flag, object, oneOf, text } from './schemas.ts'

const health = object({ ok: flag, store: oneOf('ok', 'failed', 'closed') })

/** Returns the routes for health, identity and version. The public ones reveal nothing that is useful to unauthenticated callers. */
export function systemRoutes(service: AgentService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process answers.',
      tag: 'system',
      access: 'public',
      answer: { status: 200, schema: object({ ok: flag }) },
      handle: async () => ({ ok: true }),
    },
    {
      method: 'GET',
      path: '/api/health',
      summary: 'Whether the service can do its work: it tries its store.',
      tag: 'system',
      access: 'public',
      answer: { status: 200, schema: health, also: { 503: health } },
      async handle() {
        const { ok, store } = await service.health()
        return Response.json({ ok, store }, { status: ok ? 200 : 503 })
      },
    },
    {
      method: 'GET',
      path: '/api/me',
      summary: 'In whose name the caller acts.',
      tag: 'system',
      access: 'identity',
      answer: { status: 200, schema: object({ id: text, roles: { type: 'array', items: text } }) },
      handle: async ({ identity: { id, roles } }) => ({ id, roles }),
    },
    {
      method: 'GET',
      path: '/api/version',
      summary: 'The version of the server, and of the entries that it writes.',
      tag: 'system',
      access: 'identity',
      answer: { status: 200, schema: object({ version: text, entryVersion: count }) },
      handle: async () => ({ version: VERSION, entryVersion: ENTRY_VERSION }),
    },
  ]
}
