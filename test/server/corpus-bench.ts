import { expect } from 'vitest'
import { AgentService, defineTool } from '../../src/agent/public.ts'
import { scripted } from '../../src/model/index.ts'
import { httpServer } from '../../src/server/index.ts'
import type { HttpServer, HttpServerOptions } from '../../src/server/index.ts'
import { exchange, requestBytes } from './raw-requests.ts'
import type { Answer, Header } from './raw-requests.ts'

/** One case of the corpus. */
export interface Case {
  readonly id: string
  readonly category: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expect: number | string
  readonly reason: string
}

export type Run = (one: Case) => Promise<unknown>

/** Cases that are refused with another status than the one that the case names. */
export const AS_STRICT: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  'web-csrf-08': [400, 'the path takes GET, and the parameter is not known'],
  'web-limit-20': [414, 'the query is too long before it is read; a short one of the kind is refused with 400'],
  'web-rbac-04': [404, 'there is no such path, for whomever'],
  'web-rbac-18': [404, 'there is no such path, for whomever: nobody changes roles over HTTP'],
}

export const GOOD = 'good-token-of-the-owner'
export const TOKENS = {
  owner: 'good-token-of-the-owner',
  admin: 'token-of-the-administrator',
  viewer: 'token-of-the-viewer-0001',
  auditor: 'token-of-the-auditor-001',
  operator: 'token-of-the-operator-01',
  other: 'token-of-the-operator-02',
} as const
export type Caller = keyof typeof TOKENS
const ROLE_OF: Readonly<Record<Caller, string>> = {
  owner: 'owner',
  admin: 'owner',
  viewer: 'viewer',
  auditor: 'viewer',
  operator: 'operator',
  other: 'operator',
}
export const EVIL = '<img src=x onerror=alert(1)>'
export const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`]

export const service: AgentService = new AgentService({
  mandate: {
    roles: { viewer: ['read-journal'], operator: ['run-agent', 'approve'] },
    selfApproval: false,
    rules: [{ id: 'ask', when: { tool: 'deploy' }, then: 'ask', reason: 'A person decides.' }],
  },
  agents: [
    { id: 'echo', model: scripted((request) => JSON.stringify(request.messages.at(-1)?.content)) },
    {
      id: 'deployer',
      model: scripted([{ toolCalls: [{ name: 'deploy', input: { to: 'prod' } }] }, 'Done.']),
      tools: [defineTool({ name: 'deploy', description: EVIL, risk: 'write', run: () => 'deployed' })],
    },
  ],
})
const tokens = (Object.keys(TOKENS) as Caller[]).map((caller) => ({
  token: TOKENS[caller],
  identity: { id: caller, roles: [ROLE_OF[caller]] },
}))
export const open: HttpServer[] = []
let port = 0
export const portOf = (): number => port

/** A server of its own for cases that use up a limit. */
export async function serverWith(options: Partial<HttpServerOptions>): Promise<{ server: HttpServer; at: number }> {
  const server = httpServer(service, { tokens, ...options })
  open.push(server)
  return { server, at: (await server.listen()).port }
}

/** Starts the server that most cases are sent to. */
export async function openBench(): Promise<void> {
  port = (await serverWith({ limits: { strangersPerMinute: 10_000 } })).at
}

export async function closeBench(): Promise<void> {
  await Promise.all(open.map((server) => server.close()))
  await service.stop()
}

export interface Sent {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  readonly host?: readonly string[]
  readonly headers?: readonly Header[]
  readonly type?: string | undefined
  readonly token?: readonly Header[]
  readonly body?: string | Buffer
  readonly at?: number
}

export const RUN: string = JSON.stringify({ agent: 'echo', prompt: 'Hello.' })
const WRITES = new Set(['POST', 'PUT', 'PATCH'])

/** Sends a request as it is, by default one that is answered with 200. */
export function send(sent: Sent = {}): Promise<Answer> {
  const { method = 'GET', target = '/api/runs', version = '1.1', at = port, token = [bearer(GOOD)], body = RUN } = sent
  const { host = [`127.0.0.1:${at}`], type = 'application/json', headers = [] } = sent
  const hasBody = WRITES.has(method)
  const lines: Header[] = [
    ...host.map((name): Header => ['Host', name]),
    ...token,
    ...(hasBody
      ? ([
          ['Content-Type', type],
          ['Content-Length', String(Buffer.byteLength(body))],
        ] as const)
      : []),
    ...(headers.some(([name]) => name.toLowerCase() === 'connection') ? [] : [['Connection', 'close'] as const]),
    ...headers,
  ]
  return exchange(requestBytes(`${method} ${target} HTTP/${version}`, lines, hasBody ? body : ''), at)
}

export const as = (caller: Caller): Pick<Sent, 'token'> => ({ token: [bearer(TOKENS[caller])] })
// oxlint-disable-next-line typescript/no-explicit-any -- each case says what it expects
export async function told(sent: Sent): Promise<any> {
  const { text } = await send(sent)
  // Bodies of unknown length come in pieces, each behind its length.
  return JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? 'null')
}
export const start = (
  caller: Caller,
  agent: string,
  prompt = 'Go.',
): Promise<{ id: string; pending: { approvalId: string; hash: string }[]; text: string }> =>
  told({ ...as(caller), method: 'POST', target: '/api/runs?wait=30', body: JSON.stringify({ agent, prompt }) })

export const ownPort = (text: string): string => text.replace('8787', String(port))
export const headersIn = (input: Case['input']): Readonly<Record<string, string>> =>
  (input['headers'] ?? {}) as Readonly<Record<string, string>>

/** The statuses that a case allows: `400|421`, `415 or 413`, or our own one where it is listed. */
export function allowed(one: Case): readonly number[] {
  const ours = AS_STRICT[one.id]
  if (ours !== undefined) return [ours[0]]
  return [...String(one.expect).matchAll(/\b[1-5]\d\d\b/g)].map(([status]) => Number(status))
}

export async function expectStatus(one: Case, sent: Sent): Promise<Answer> {
  expect(allowed(one), `${one.id} names a status`).not.toEqual([])
  const answer = await send(sent)
  expect(allowed(one)).toContain(answer.status)
  return answer
}
