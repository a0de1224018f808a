import { afterEach, describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { ReplSession, registerCells } from 'mandate/repl'
import type { CellResult, ReplOptions } from 'mandate/repl'
import type { Tool } from '../../tool/index.ts'

const services: AgentService[] = []

function newService(options: object = {}): AgentService {
  const service = new AgentService(options)
  services.push(service)
  return service
}

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, risk: 'read', inputSchema: { type: 'object' }, run: () => `${name} ran`, ...more })

const DENIES: ReplOptions = { mandate: { deny: ['danger'] } }

/** What a cell gave, or the code of its error. */
const cell = async (session: ReplSession, source: string): Promise<unknown> => told(await session.evalCell(source))
const told = ({ value, error, status }: CellResult): unknown => value ?? error?.code ?? status

describe('what a session was given is for this session alone', () => {
  it('its tools', async () => {
    const service = newService()
    const a = await ReplSession.open(service, { sessionId: 'a', tools: [tool('one')] })
    const b = await ReplSession.open(service, { sessionId: 'b', tools: [tool('two')] })
    expect(await cell(a, 'await tools.one({})')).toBe('one ran')
    expect(await cell(b, 'await tools.two({})')).toBe('two ran')
    expect(await cell(a, "await tool_call({ tool: 'two' })")).toBe('TOOL_UNKNOWN')
    expect(await cell(b, "await tool_call({ tool: 'one' })")).toBe('TOOL_UNKNOWN')
    expect(a.describe()).not.toContain('two')
  })

  it('its model', async () => {
    const service = newService()
    const a = await ReplSession.open(service, { model: scripted(['from a']) })
    const b = await ReplSession.open(service, { model: scripted(['from b']) })
    expect(await cell(a, "await model_query('?')")).toBe('from a')
    expect(await cell(b, "await model_query('?')")).toBe('from b')
  })

  it('its mandate, whatever other sessions are opened with', async () => {
    const service = newService({ tools: [tool('danger')] })
    const a = await ReplSession.open(service, { ...DENIES, sessionId: 'a' })
    const others = [await ReplSession.open(service, { tools: [tool('z')] }), await ReplSession.open(service)]
    for (const other of others) expect(await cell(other, 'await tools.danger({})')).toBe('danger ran')
    expect(await cell(a, 'await tools.danger({})')).toBe('DENIED')
    expect(await cell(await a.fork(), 'await tools.danger({})')).toBe('DENIED')
    const again = await ReplSession.open(service, { sessionId: 'a' })
    expect(await cell(again, 'await tools.danger({})')).toBe('DENIED')
  })

  it('over what was registered for its name', async () => {
    const service = newService()
    registerCells(service, 'work', { tools: [tool('shared')], model: scripted(['registered']) })
    const session = await ReplSession.open(service, { name: 'work', model: scripted(['own']) })
    expect(await cell(session, "[await tools.shared({}), await model_query('?')]")).toEqual(['shared ran', 'own'])
    registerCells(service, 'work', { tools: [tool('other')] })
    expect(await cell(session, 'await tools.other({})')).toBe('other ran')
  })
})

describe('a cell that waits for an approval', () => {
  const options: ReplOptions = { sessionId: 'w', tools: [tool('pay', { needsApproval: true })], ...DENIES }

  it('goes on with the tools of its session after another session was opened', async () => {
    const service = newService()
    const session = await ReplSession.open(service, options)
    const { pending } = await session.evalCell('await tools.pay({})')
    await ReplSession.open(service, { tools: [tool('zip')] })
    await service.approve(pending[0]!.approvalId!)
    expect(told(await session.resume())).toBe('pay ran')
  })

  it('goes on in another process that opens the session with the same options, and in no other', async () => {
    const journal = memoryJournal()
    const first = await ReplSession.open(newService({ journal }), options)
    const { pending, run } = await first.evalCell('await tools.pay({})')
    const service = newService({ journal })
    await ReplSession.open(service, { sessionId: 'other' })
    await service.approve(pending[0]!.approvalId!)
    await expect(service.resume(run)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('Session "w" of the cell "cells" is not open here') as string,
    })
    const session = await ReplSession.open(service, options)
    expect(told(await session.resume())).toBe('pay ran')
  })
})

describe('setCapabilities', () => {
  it('keeps what is not given, the mandate first of all', async () => {
    const service = newService()
    const other = await ReplSession.open(service, { model: scripted(['other']) })
    const session = await ReplSession.open(service, { ...DENIES, tools: [tool('one')], model: scripted(['before']) })
    session.setCapabilities({ model: scripted(['after']) })
    expect(await cell(session, "[await tools.one({}), await model_query('?')]")).toEqual(['one ran', 'after'])
    session.setCapabilities({ tools: [tool('danger')], mandate: undefined })
    expect(await cell(session, 'await tools.danger({})')).toBe('DENIED')
    expect(await cell(other, "await model_query('?')")).toBe('other')
  })
})
