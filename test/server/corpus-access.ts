import { expect } from 'vitest'
import { visible } from '../../src/core/index.ts'
import { EVIL, RUN, TOKENS, as, bearer, expectStatus, send, start, told } from './corpus-bench.ts'
import type { Caller, Case, Run, Sent } from './corpus-bench.ts'
import type { Answer } from './raw-requests.ts'

const approve = (caller: Caller, id: string, hash: string): Sent => ({
  ...as(caller),
  method: 'POST',
  target: `/api/approvals/${id}/approve`,
  body: JSON.stringify({ hash }),
})

const RBAC: Readonly<Record<string, Run>> = {
  'web-rbac-07': async () => {
    const { pending } = await start('operator', 'deployer')
    const { approvalId, hash } = pending[0]!
    expect((await send(approve('operator', approvalId, hash))).status).toBe(403)
    expect((await send(approve('other', approvalId, hash))).status).toBe(200)
  },
  'web-rbac-20': async (one) => {
    const { id } = await told({ ...as('operator'), method: 'POST', target: '/api/cell-sessions', body: '{}' })
    const cell = { method: 'POST', target: `/api/cell-sessions/${id}/cells`, body: '{"source":"1"}' }
    expect((await send({ ...as('operator'), ...cell })).status).toBe(200)
    await expectStatus(one, { ...as('other'), ...cell })
    await expectStatus(one, { ...as('other'), target: `/api/cell-sessions/${id}` })
    // Nor can it be entered by starting a run in it.
    await expectStatus(one, {
      ...as('other'),
      method: 'POST',
      body: JSON.stringify({ agent: 'echo', prompt: 'Hi.', sessionId: id }),
    })
  },
  'web-rbac-22': async () => {
    const { pending } = await start('operator', 'deployer')
    const { approvalId, hash } = pending[0]!
    expect((await send(approve('owner', approvalId, hash))).status).toBe(200)
    expect((await send(approve('other', approvalId, hash))).status).toBe(409)
  },
  'web-rbac-23': async () => {
    const { pending } = await start('operator', 'deployer')
    const { approvalId, hash } = pending[0]!
    expect(
      (
        await send(
          approve(
            'owner',
            approvalId,
            hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
          ),
        )
      ).status,
    ).toBe(409)
    expect((await send({ ...approve('owner', approvalId, hash), body: '{}' })).status).toBe(400)
  },
}

/** The paths of the cases as they are here. */
const PATHS: Readonly<Record<string, readonly [target: string, body: string]>> = {
  '/api/runs': ['/api/runs', RUN],
  '/api/approve/1': ['/api/approvals/run_1-ap1/approve', '{"hash":"x"}'],
  '/api/policy': ['/api/policy', '{"mandate":null}'],
  '/api/journal': ['/api/audit', ''],
  '/api/journal/1': ['/api/runs/run_1/entries', '{}'],
}

export async function runRbac(one: Case): Promise<unknown> {
  const run = RBAC[one.id]
  if (run !== undefined) return run(one)
  const { role, action } = one.input as { readonly role: string; readonly action: string }
  const [method, path, ...rest] = action.split(' ') as [string, string, ...string[]]
  const [target, body] = PATHS[path] ?? [path, rest.join(' ') || '{}']
  const token = role === 'anonymous' ? [] : [bearer(TOKENS[role as Caller])]
  if (method !== 'PUT' || role !== 'admin' || path !== '/api/policy')
    return expectStatus(one, { method, target, body, token })
  const { mandate } = await told({ target: '/api/policy' })
  return expectStatus(one, { method, target, body: JSON.stringify({ mandate }), token })
}

/** Data that a browser cannot take for a page, whatever is in it. */
function expectInert({ status, headers }: Answer): void {
  expect(status).toBeLessThan(300)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox$/)
}

export async function runXss(one: Case): Promise<unknown> {
  const modelText = String(one.input['modelText'])
  const { id } = await start('owner', 'echo', modelText)
  for (const rest of ['result', 'entries', 'messages', 'report'])
    expectInert(await send({ target: `/api/runs/${id}/${rest}` }))
  // Where text goes to a terminal, what a terminal would obey is shown instead.
  return expect(visible(modelText)).toMatch(/^[\P{C}\t\n]*$/u)
}

const SINKS: Readonly<Record<string, Run>> = {
  'tool name': async () => expectInert(await send({ target: `/api/agents` })),
  'tool description from an MCP server': async () => {
    const answer = await send({ target: '/api/agents/deployer' })
    expectInert(answer)
    expect(answer.text).toContain(EVIL)
  },
  'journal entry': async () => {
    const { id } = await start('owner', 'echo', EVIL)
    const answer = await send({ target: `/api/runs/${id}/entries` })
    expectInert(answer)
    expect(answer.text).toContain(EVIL)
  },
  'JSON viewer key': async () => {
    const body = JSON.stringify({ agent: 'echo', prompt: 'Hi.', context: { [EVIL]: 1 } })
    expectInert(await send({ method: 'POST', target: '/api/runs?wait=30', body }))
  },
}

export const runSink: Run = async (one) => SINKS[String(one.input['where'])]!(one)
