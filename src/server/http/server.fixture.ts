import { onTestFinished } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import type { AgentConfig, ServiceOptions } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { httpServer } from './http-server.ts'
import type { HttpServer, HttpServerOptions } from './options.ts'

/** One token for each role of the tests; their names say whose they are. */
export const TOKENS = {
  owner: 'token-of-the-owner-0001',
  operator: 'token-of-the-operator-01',
  other: 'token-of-the-operator-02',
  viewer: 'token-of-the-viewer-0001',
  auditor: 'token-of-the-auditor-001',
  reviewer: 'token-of-the-reviewer-01',
} as const
export type Role = keyof typeof TOKENS

const ROLE_OF: Readonly<Record<Role, string>> = {
  owner: 'owner',
  operator: 'operator',
  other: 'operator',
  viewer: 'viewer',
  auditor: 'auditor',
  reviewer: 'reviewer',
}

/** What the roles of the tests may do. */
export const ROLES = {
  operator: ['run-agent'],
  viewer: ['read-journal'],
  auditor: ['read-journal'],
  reviewer: ['approve', 'read-journal'],
} as const

export interface Bench {
  readonly service: AgentService
  readonly server: HttpServer
  /** Calls the server as it would be called over the network. */
  call(path: string, init?: RequestInit & { readonly as?: Role | null }): Promise<Response>
  /** The same with a JSON body, and the answer as JSON. */
  json(method: string, path: string, body?: unknown, as?: Role): Promise<Answered>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect of it
  readonly body: any
}

export const HOST = 'http://127.0.0.1:8080'

/** A server over a service with one agent, and a client of it. */
export function bench(
  options: Partial<HttpServerOptions> | ((host: AgentService) => Partial<HttpServerOptions>) = {},
  {
    agents = [greeter()],
    ...service
  }: Omit<ServiceOptions, 'agents'> & { readonly agents?: readonly AgentConfig[] } = {},
): Bench {
  const host = new AgentService({ mandate: { roles: ROLES }, ...service, agents })
  const tokens = (Object.keys(TOKENS) as Role[]).map((role) => ({
    token: TOKENS[role],
    identity: { id: role, roles: [ROLE_OF[role]] },
  }))
  const server = httpServer(host, { tokens, ...(typeof options === 'function' ? options(host) : options) })
  onTestFinished(async () => {
    await server.close()
    await host.stop()
  })
  const call: Bench['call'] = (path, { as = 'owner', ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('host')) headers.set('host', '127.0.0.1:8080')
    if (as !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${TOKENS[as]}`)
    return server.fetch(new Request(`${HOST}${path}`, { ...init, headers }))
  }
  return {
    service: host,
    server,
    call,
    async json(method, path, body, as) {
      const sent =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await call(path, { method, ...sent, ...(as === undefined ? {} : { as }) })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
  }
}

export function greeter(): AgentConfig {
  return { id: 'greeter', description: 'Greets.', model: scripted(() => 'Hello.') }
}
