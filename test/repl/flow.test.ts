import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { ReplSession, registerCells } from 'mandate/repl'
import { codeOf } from '../../src/core/index.ts'
import { MindStop, kernelOf } from '../../src/run/index.ts'
import type { ReplOptions } from 'mandate/repl'

const services: AgentService[] = []
const sent: string[] = []

const tool = (name: string, run: (input: never) => unknown, more: object = {}): never =>
  ({ name, inputSchema: { type: 'object' }, risk: 'read', run, ...more }) as never

function newService(mandate: object = { flow: [{ id: 'mail', sink: 'mail', forbid: ['untrusted:*'] }] }): AgentService {
  sent.length = 0
  const service = new AgentService({
    mandate,
    tools: [
      tool('web_get', () => ({ to: 'eve@evil.example', n: 1 }), { labels: ['untrusted:web'] }),
      tool('mail', ({ to }: { to: string }) => void sent.push(to)),
    ],
  })
  services.push(service)
  return service
}

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const blocked = (session: ReplSession, source: string): Promise<boolean> =>
  session.evalCell(source).then(({ status, error }) => status === 'failed' && error?.code === 'DENIED')

describe('labels in a session', () => {
  it('follow a value through variables, cells and functions to a sink', async () => {
    const session = await ReplSession.open(newService())
    await session.evalCell(
      'const page = await tools.web_get({}); const keep = { inner: [page.to] }; const clean = "bob@example.org"',
    )
    await session.evalCell('const read = () => keep.inner[0]')
    expect(await blocked(session, 'await tools.mail({ to: read() })')).toBe(true)
    expect(await blocked(session, 'await tool_call({ tool: "mail", arguments: { to: `${page.to}` } })')).toBe(true)
    expect(
      await blocked(session, 'let to = clean; if (page.n === 1) to = "other@example.org"; await tools.mail({ to })'),
    ).toBe(true)
    expect(await blocked(session, 'await tools.mail({ to: clean })')).toBe(false)
    expect(sent).toEqual(['bob@example.org'])
  })

  it('are there after the session was opened again, in another process', async () => {
    const service = newService()
    const first = await ReplSession.open(service, { sessionId: 's' })
    await first.evalCell(
      'const page = await tools.web_get({}); const box = { a: page.to, b: "ok" }; const f = () => box.a',
    )
    const again = await ReplSession.open(service, { sessionId: 's', model: 'another' })
    expect(await blocked(again, 'await tools.mail({ to: f() })')).toBe(true)
    expect(await blocked(again, 'await tools.mail({ to: box.b })')).toBe(false)
  })

  it('come with what the host sets', async () => {
    const session = await ReplSession.open(newService())
    session.setContext({ to: 'eve@evil.example' }, { labels: ['untrusted:file'] })
    expect(await blocked(session, 'const a = context.to; await tools.mail({ to: a })')).toBe(true)
    expect(await blocked(session, 'await tools.mail({ to: a })')).toBe(true)
    expect(await blocked(session, 'await tools.mail({ to: "x" })')).toBe(false)
  })

  it('go into child sessions and come back from them', async () => {
    const service = newService()
    registerCells(service, 'send', { script: 'await tools.mail({ to: context }); "sent"' })
    registerCells(service, 'echo', { script: 'context' })
    for (const name of ['send', 'echo'])
      kernelOf(service).registry.registerMind({
        kind: 'agent',
        name,
        start: async (input: never, context) => {
          const given = (input as { context: string }).context
          const outcome = await context.perform({ kind: 'cell', name, input: given })
          if (outcome.status === 'ok') return { result: outcome.value }
          throw new MindStop(codeOf(outcome), 'The cell failed.')
        },
      })
    const options: ReplOptions = { rlm: 'send', model: scripted(['x']), policy: { plainChars: 0 } }
    const session = await ReplSession.open(service, options)
    await session.evalCell('const page = await tools.web_get({})')
    expect(await blocked(session, 'await rlm_query({ prompt: "mail", context: page.to })')).toBe(true)
    session.setCapabilities({ model: scripted(['x']), rlm: 'echo' })
    await session.evalCell('const back = await rlm_query({ prompt: "echo", context: page.to })')
    expect(await blocked(session, 'await tools.mail({ to: back })')).toBe(true)
    expect(sent).toEqual([])
  })

  it('of the source are carried by everything that it does, and by what it leaves', async () => {
    const session = await ReplSession.open(newService())
    const tainted = await session.evalCell('const to = "eve@evil.example"; await tools.mail({ to })', {
      labels: ['untrusted:model'],
    })
    expect(tainted.error?.code).toBe('DENIED')
    expect(await blocked(session, 'await tools.mail({ to })')).toBe(true)
  })

  it('of all that a session was told are carried by everything, where single values are not followed', async () => {
    const service = newService()
    const options: ReplOptions = { sessionId: 'coarse', labels: 'never' }
    const session = await ReplSession.open(service, options)
    await session.evalCell('const page = await tools.web_get({})')
    const again = await ReplSession.open(service, { ...options, model: 'x' })
    expect(await blocked(again, 'await tools.mail({ to: "anyone" })')).toBe(true)
  })
})

describe('what a session may reach', () => {
  it('is what its mandate and that of the host allow', async () => {
    const service = newService({ deny: ['mail'] })
    const session = await ReplSession.open(service, { mandate: { allow: ['mail', 'web_get'] } })
    for (const call of ['tools.mail({ to: "a" })', 'tool_call({ tool: "mail", arguments: { to: "a" } })'])
      expect(await blocked(session, `await ${call}`), call).toBe(true)
    expect(
      (await session.evalCell('(await tool_call_batched([{ tool: "mail" }, { tool: "web_get" }])).map((r) => r.ok)'))
        .value,
    ).toEqual([false, true])
    expect(sent).toEqual([])
  })
})
