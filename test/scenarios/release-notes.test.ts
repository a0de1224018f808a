import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AgentService, planSteps } from 'mandate'
import type { AgentConfig } from 'mandate'
import { httpFetch, kv } from 'mandate/connect'
import { inMemoryDatabase } from 'mandate/memory'
import { checkTranscript } from '../../src/model/index.ts'
import { scripted, toolResultsOf } from 'mandate/model'
import { openStore, sessionFiles } from 'mandate/sqlite'
import { readCheckpoint } from '../../src/store/session-files.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newFolder } from './folder.fixture.ts'

const NOTES = ['API: `get` now returns null', 'Fixed a flicker', 'API: removed `getAll`']

/** A site with release notes, on this machine. */
async function site(): Promise<{ readonly origin: string; readonly host: string; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const pages: Record<string, unknown> = { '/releases': { latest: '2.0.0' }, '/releases/2.0.0': { notes: NOTES } }
    const page = pages[request.url ?? '']
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(page ?? { error: 'nothing here' }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin: `http://${host}`, host, seen }
}

/** Reads what the tools really gave, as a model would. */
function reader(origin: string) {
  return scripted([
    { text: 'I look for releases.', toolCalls: [{ name: 'http_fetch', input: { url: `${origin}/releases` } }] },
    ({ messages }) => {
      const [page] = toolResultsOf(messages.at(-1)!)
      const { latest } = JSON.parse((page!.value as { body: string }).body) as { latest: string }
      return { toolCalls: [{ name: 'http_fetch', input: { url: `${origin}/releases/${latest}` } }] }
    },
    ({ messages }) => {
      const [page] = toolResultsOf(messages.at(-1)!)
      const { notes } = JSON.parse((page!.value as { body: string }).body) as { notes: string[] }
      return {
        toolCalls: [{ name: 'kv_set', input: { key: 'notes/2.0.0', value: notes } }],
      }
    },
    { toolCalls: [{ name: 'kv_get', input: { key: 'notes/2.0.0' } }] },
    ({ messages }) => {
      const cached = toolResultsOf(messages.at(-1)!).find(({ name }) => name === 'kv_get')!.value as {
        value: readonly string[]
      }
      return `2 changes affect the API:\n${cached.value.filter((note) => note.startsWith('API: ')).join('\n')}`
    },
  ])
}

const SUMMARY = `2 changes affect the API:\n${NOTES[0]}\n${NOTES[2]}`

describe('find the latest release notes and summarise what affects the API', () => {
  it('uses HTTP and a key-value store in one run, and everything can be seen afterwards', async () => {
    const { origin, host, seen } = await site()
    const cache = inMemoryDatabase()
    const dir = newFolder()
    const { journal } = await openStore({ dir })
    const agent: AgentConfig = {
      id: 'release-notes',
      prompt: 'Find the latest release notes and summarise the changes that affect the API.',
      model: reader(origin),
      tools: [httpFetch({ allow: [host] }), ...kv({ store: cache })],
      mandate: { grant: ['http_fetch'] },
    }
    const service = new AgentService({ store: { journal }, agents: [agent], sinks: [sessionFiles({ dir, journal })] })
    const result = await service.runOnce('release-notes', { sessionId: 'notes-1' })
    expect({ ...result, ...result.report() }).toMatchObject({
      status: 'completed',
      steps: 5,
      toolsUsed: ['http_fetch', 'kv_set', 'kv_get'],
      lastText: SUMMARY,
      result: SUMMARY,
    })
    expect(seen).toEqual(['GET /releases', 'GET /releases/2.0.0'])
    // What it was made from is kept with it.
    expect(await cache.read('kv', 'notes/2.0.0')).toEqual({ value: NOTES, 'mandate:labels': ['untrusted:web'] })
    expect(result.actions.every(({ ok }) => ok)).toBe(true)
    expect(checkTranscript(await service.messages(result.id))).toEqual([])
    expect(await service.replay(result.id)).toMatchObject({ identical: true, complete: true })
    expect(await service.verify(result.id)).toMatchObject({ ok: true })
    expect(seen).toHaveLength(2)
    await service.stop()

    const folder = join(dir, 'sessions', 'notes-1')
    const events = readFileSync(join(folder, 'events.jsonl'), 'utf8').trim().split('\n')
    const types = events.map((line) => (JSON.parse(line) as { type: string }).type)
    expect([types[0], types.at(-1)]).toEqual(['run-start', 'run-end'])
    // Nine calls of the agent, and the write of the key-value tool, which is an effect of its own.
    expect(types.filter((type) => type === 'effect-start')).toHaveLength(10)
    // Files of a session show sizes, not what was said, unless someone asks for it.
    expect(events.join('\n')).not.toContain('flicker')
    const [checkpoint] = readdirSync(join(folder, 'checkpoints'))
    expect(existsSync(join(folder, 'checkpoints', checkpoint!))).toBe(true)
    expect(await readCheckpoint(dir, 'notes-1', checkpoint!.replace(/\.json$/, ''))).toMatchObject({
      phase: 'completed',
      runId: result.id,
      sessionId: 'notes-1',
      head: result.report().provenance.head,
    })
  })

  it('goes the same way with a planner that needs no model', async () => {
    const { origin, host } = await site()
    const planner = planSteps(
      { type: 'tool', toolId: 'http_fetch', input: { url: `${origin}/releases/2.0.0` } },
      { type: 'tool', toolId: 'kv_set', input: { key: 'notes', value: NOTES } },
      { type: 'finish', message: SUMMARY },
    )
    const service = new AgentService({
      agents: [
        { id: 'main', planner, tools: [httpFetch({ allow: [host] }), ...kv()], mandate: { grant: ['http_fetch'] } },
      ],
    })
    expect(await service.run('main', 'Go.')).toMatchObject({
      status: 'completed',
      actions: [{ toolId: 'http_fetch' }, { toolId: 'kv_set' }],
      result: SUMMARY,
    })
  })

  it('reaches no network that was not granted, and says what would have to be', async () => {
    const { origin, host, seen } = await site()
    const call = scripted([
      { toolCalls: [{ name: 'http_fetch', input: { url: `${origin}/releases` } }] },
      'I could not.',
    ])
    const ungranted = new AgentService({ agents: [{ id: 'main', model: call, tools: [httpFetch({ allow: [host] })] }] })
    const result = await ungranted.run('main', 'Go.')
    expect(result.report().diagnostics.warnings).toEqual([expect.stringMatching(/not safe by default.*grant/)])
    const elsewhere = new AgentService({
      agents: [
        {
          id: 'main',
          model: call,
          tools: [httpFetch({ allow: ['example.test'] })],
          mandate: { grant: ['http_fetch'] },
        },
      ],
    })
    expect((await elsewhere.run('main', 'Go.')).actions).toMatchObject([{ ok: false }])
    expect(seen).toEqual([])
  })
})
