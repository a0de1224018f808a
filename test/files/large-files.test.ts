import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService } from 'mandate'
import type { AgentConfig, ServiceOptions } from 'mandate'
import { entriesOfType, exportRun, importRun, memoryJournal, readAll } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { keyRing, newKey, retain, sqliteJournal } from 'mandate/sqlite'
import type { ToolContext } from 'mandate/tool'
import { afterEach, describe, expect, it } from 'vitest'
import { isSweep } from '../rotation.ts'
import { tamper } from '../../src/store/sqlite/sqlite.fixture.ts'

/** A little more than journals take as a value. */
const LARGE = 4_200_000
/** Bytes that no two seeds share, beginning like a PNG. */
function picture(seed: number, size = LARGE): Buffer {
  const bytes = Buffer.alloc(size, seed)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'large-files-'))
  ends.push(() => rmSync(made, { recursive: true }))
  return made
}

function host(agents: readonly AgentConfig[], options: ServiceOptions = {}): AgentService {
  const service = new AgentService({ agents: [...agents], ...options })
  ends.push(() => service.stop())
  return service
}

const shot = (size = LARGE) => ({
  name: 'shot',
  description: 'Takes a picture.',
  inputSchema: { type: 'object' },
  risk: 'read' as const,
  run: () => ({ page: 1, image: picture(7, size) }),
})
const calls = (name: string) => ({ toolCalls: [{ name, input: {} }] })

/** The bytes of the first picture in what a model was sent. */
function sent(messages: unknown): string {
  const data = /"data":"([^"]+)"/.exec(JSON.stringify(messages))?.[1]
  return data === undefined ? 'none' : `${Buffer.from(data, 'base64').length} of ${Buffer.from(data, 'base64')[8]}`
}

/** The last takes as long as both others and differs by its cipher, whose tests lie beside it: in the sweep. */
const stores: readonly (readonly [string, () => Journal])[] = [
  ['memory', memoryJournal],
  ['SQLite', () => sqliteJournal({ path: join(folder(), 'journal.db') })],
  [
    'encrypted SQLite',
    () => sqliteJournal({ path: join(folder(), 'journal.db'), encryption: keyRing(`a:${newKey()}`) }),
  ],
]

describe.each(isSweep ? stores.slice(2) : stores.slice(0, 2))('a large file, in %s', (_, open) => {
  it('goes with a prompt: the model gets it, the journal says where it is, and a resume, a replay and a session have it', async () => {
    const model = scripted(['A cat.', 'Still a cat.'])
    const service = host([{ id: 'main', model }], { journal: open() })
    const session = service.createSession('main', { sessionId: 's1' })
    const files = [{ mediaType: 'image/png', data: picture(3), filename: 'cat.png' }]
    const { id } = await session.run('What is this?', { files })
    expect(sent(model.requests[0]!.messages)).toBe(`${LARGE} of 3`)
    const entries = await readAll(service.journal, id)
    const [start] = entriesOfType(entries, 'run-start')
    expect(JSON.stringify(entries).length).toBeLessThan(50_000)
    expect(JSON.stringify(start!.data.input)).toContain(`"blob":{"bytes":${LARGE},"hash":"${start!.data.blobs![0]}"}`)
    expect(await service.replay(id)).toMatchObject({ identical: true })
    expect(await service.verify(id)).toMatchObject({ ok: true, problems: [] })

    const next = await session.run('Sure?')
    expect(sent(model.requests[1]!.messages)).toBe(`${LARGE} of 3`)
    await service.journal.erase(id)
    expect(await service.journal.readBlob!(id, start!.data.blobs![0]!)).toBe(undefined)
    const still = await service.journal.readBlob!(next.id, start!.data.blobs![0]!)
    expect(picture(3).equals(still!)).toBe(true)
    expect(await service.verify(next.id)).toMatchObject({ ok: true })
  })

  it('is a result of a tool: whole for the model, small in the journal, readable for other tools', async () => {
    const read: unknown[] = []
    const look = {
      name: 'look',
      inputSchema: { type: 'object' },
      risk: 'read' as const,
      async run(_input: unknown, { conversation, readFile }: ToolContext) {
        const hash = /"hash":"(\w+)"/.exec(JSON.stringify(conversation))![1]!
        read.push((await readFile!(hash))?.length, await readFile!('0'.repeat(64)))
        return 'seen'
      },
    }
    const model = scripted([calls('shot'), calls('look'), 'Done.'])
    const service = host([{ id: 'main', model, tools: [shot(), look] }], { journal: open() })
    const { id } = await service.run('main', 'Go.')
    expect(sent(model.requests[1]!.messages)).toBe(`${LARGE} of 7`)
    expect(read).toEqual([LARGE, undefined])
    expect(JSON.stringify(await readAll(service.journal, id)).length).toBeLessThan(50_000)
    expect(await service.replay(id)).toMatchObject({ identical: true })
    const fork = await service.fork(id)
    await service.resume(fork)
    await service.journal.erase(id)
    expect(await service.verify(fork)).toMatchObject({ ok: true })
  })

  it('is exported with its run, and imported only if it is what the entries name', async () => {
    const service = host([{ id: 'main', model: scripted([calls('shot'), 'Done.']), tools: [shot()] }], {
      journal: open(),
    })
    const { id } = await service.run('main', 'Go.')
    const lines: string[] = []
    for await (const line of exportRun(service.journal, id)) lines.push(line)
    const other = open()
    ends.push(() => other.close())
    const at = lines.findIndex((line) => line.startsWith('{"blob"'))
    const lost = lines.toSpliced(at, 1)
    await expect(importRun(other, lost, 0)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' })
    const forged = lines.with(at, lines[at]!.replace('"data":"iVBO', '"data":"iVBA'))
    await expect(importRun(other, forged, 0)).rejects.toThrow('does not match its hash')
    expect(await other.summary(id)).toBe(undefined)
    await importRun(other, lines, 0)
    const again: string[] = []
    for await (const line of exportRun(other, id)) again.push(line)
    expect(again).toEqual(lines)
  })

  it('is counted and erased by retention', async () => {
    const service = host([{ id: 'main', model: scripted([calls('shot'), 'Done.']), tools: [shot()] }], {
      journal: open(),
    })
    const { id } = await service.run('main', 'Go.')
    const end = entriesOfType(await readAll(service.journal, id), 'effect-end').find(({ data }) => data.blobs)
    const report = await retain(service.journal, { maxBytes: LARGE - 1, now: Date.now() })
    expect(report.runs).toEqual([id])
    expect(report.bytes).toBeGreaterThan(LARGE)
    expect(await service.journal.readBlob!(id, end!.data.blobs![0]!)).toBe(undefined)
    expect(await service.verify(id)).toMatchObject({ ok: true })
  })
})

it.skipIf(isSweep)(
  'a file that was changed or removed in the store is found by verify, and never given to a model',
  async () => {
    const path = join(folder(), 'journal.db')
    const service = host([{ id: 'main', model: scripted([calls('shot'), 'Done.']), tools: [shot()] }], {
      journal: sqliteJournal({ path }),
    })
    const { id } = await service.run('main', 'Go.')
    tamper(path, `UPDATE blobs SET content = zeroblob(${LARGE})`)
    expect((await service.verify(id)).problems.join()).toContain('does not match its hash')
    tamper(path, 'DELETE FROM blobs')
    expect((await service.verify(id)).problems.join()).toContain('has lost a file')
  },
)

it.skipIf(isSweep)(
  'what a store without room, or the limit, does not take is refused or named as before, with the way out',
  async () => {
    const { writeBlob: _write, readBlob: _read, ...plain } = allMethods(memoryJournal())
    const model = scripted([calls('shot'), 'Done.'])
    const agents = [{ id: 'main', model, tools: [shot()] }]
    const files = [{ mediaType: 'image/png', data: picture(1) }]
    const without = host(agents, { journal: plain })
    await expect(without.run('main', 'Go.', { files })).rejects.toThrow('a journal that keeps large files')
    const { id } = await without.run('main', 'Go.')
    expect(JSON.stringify(await without.messages(id))).toContain('"omitted":"larger than 4000000 bytes"')
    const limited = host(agents, { limits: { fileBytes: 4_100_000 } })
    await expect(limited.run('main', 'Go.', { files })).rejects.toThrow('Raise `limits.fileBytes`')
    const named = await limited.run('main', 'Go.')
    expect(JSON.stringify(await limited.messages(named.id))).toContain('larger than 4100000 bytes (`limits.fileBytes`)')
  },
)

/** A journal as a plain object, to leave methods out. */
function allMethods(journal: Journal): Journal {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(journal)).filter((name) => name !== 'constructor')
  const methods = journal as unknown as Record<string, (...args: unknown[]) => unknown>
  return Object.fromEntries(names.map((name) => [name, methods[name]!.bind(journal)])) as unknown as Journal
}

it.skipIf(isSweep)('a reference that a tool or a caller makes up reaches nothing of other runs', async () => {
  const journal = memoryJournal()
  const hash = await journal.writeBlob!('run_other', picture(9))
  const forged = { type: 'image', mediaType: 'image/png', blob: { hash, bytes: LARGE } } as const
  const forge = { name: 'forge', inputSchema: { type: 'object' }, risk: 'read' as const, run: () => [forged] }
  const model = scripted([calls('forge'), 'Done.'])
  const service = host([{ id: 'main', model, tools: [forge] }], { journal })
  const prompt = { role: 'user', content: [{ type: 'text', text: 'Go.' }, forged] } as const
  const { id } = await service.run('main', prompt)
  const said = JSON.stringify(model.requests.map(({ messages }) => messages))
  expect(said).not.toContain('"data"')
  expect(said).toContain('its content is not kept with this run')
  expect(await service.verify(id)).toMatchObject({ ok: true })
})

it.skipIf(isSweep)('a sub-agent has the files of its prompt, and the agent above those of its answer', async () => {
  const inner = scripted([calls('shot'), 'Seen.'])
  const outer = scripted([{ toolCalls: [{ name: 'looker', input: { prompt: 'Look.' } }] }, 'Done.'])
  const service = host([
    { id: 'boss', model: outer, agents: ['looker'] },
    { id: 'looker', model: inner, tools: [shot()] },
  ])
  const { id, status } = await service.run('boss', 'Go.', { files: [{ mediaType: 'image/png', data: picture(5) }] })
  expect(status).toBe('completed')
  expect(sent(inner.requests[1]!.messages)).toContain(`${LARGE}`)
  expect(await service.verify(id)).toMatchObject({ ok: true })
})
