import { expect, it, vi } from 'vitest'
import { exportRun, importRun, memoryJournal } from '../../journal/index.ts'
import type { Identity, Journal } from '../../journal/index.ts'
import { kernelWith, program } from './kernel.fixture.ts'
import type { Kernel } from './kernel.ts'
import { checkSession } from './session-owner.ts'

const ana: Identity = { id: 'ana', roles: ['owner'] }
const ben: Identity = { id: 'ben', roles: ['owner'] }
const service: Identity = { id: 'local', roles: ['owner'] }
const refused = { code: 'NOT_FOUND', message: 'There is no session "s" of "ben". Leave the id out to begin one.' }

interface World {
  readonly kernel: Kernel
  readonly journal: Journal
  readonly start: Start
}

function world(journal: Journal = memoryJournal(), from = 0): World {
  let time = from
  const clock = { now: () => ++time, timer: () => () => {} }
  const kernel = kernelWith({ journal, clock, identity: service, minds: [program('main', async (input) => input)] })
  const start: Start = (identity, runId) =>
    kernel.run({ kind: 'program', name: 'main', input: null, sessionId: 's', identity, ...(runId ? { runId } : {}) })
  return { kernel, start, journal }
}

const checked = (journal: Journal, by: Identity) => checkSession({ journal, identity: service }, 's', by)

type Start = (identity: Identity, runId?: string) => ReturnType<Kernel['run']>

it('a run enters only a session of its own identity, whatever its roles', async () => {
  const { kernel, start, journal } = world()
  await start(ana)
  await expect(start(ben)).rejects.toMatchObject(refused)
  expect(await start(ana)).toMatchObject({ state: 'completed' })
  expect(await journal.list()).toHaveLength(2)
  // One that is refused leaves its id free.
  await expect(start(ben, 'mine')).rejects.toMatchObject(refused)
  expect(await kernel.run({ kind: 'program', name: 'main', input: 1, runId: 'mine', identity: ben })).toMatchObject({
    output: 1,
  })
})

it('of a long session few runs are read', async () => {
  const { start, journal } = world()
  for (let count = 0; count < 20; count++) await start(ana)
  const read = vi.spyOn(journal, 'read')
  await checked(journal, ana)
  expect(read).toHaveBeenCalledOnce()
})

it('neither a fork, nor an import, nor what the service does about a run changes whose session it is', async () => {
  const { kernel, start, journal } = world()
  await start(ana, 'first')
  await kernel.fork('first', { runId: 'fork', identity: ben })
  await kernel.plan({ kind: 'program', name: 'main', input: null, runId: 'delivery', sessionId: 's' })
  const theirs = world(memoryJournal(), 1_000)
  await theirs.start(ben, 'theirs')
  const lines: string[] = []
  for await (const line of exportRun(theirs.journal, 'theirs')) lines.push(line)
  await importRun(journal, lines, 100)
  expect((await journal.list({ sessionId: 's' })).map(({ run }) => run)).toEqual([
    'theirs',
    'delivery',
    'fork',
    'first',
  ])
  await checked(journal, ana)
  await expect(checked(journal, ben)).rejects.toMatchObject(refused)
})

it('a session whose runs have been erased is nobody else’s: the service alone goes on with it', async () => {
  const { start, journal } = world()
  await start(ana, 'old')
  await start(ana, 'new')
  await journal.erase('new')
  await checked(journal, ana)
  await journal.erase('old')
  await expect(checked(journal, ana)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await checked(journal, service)
})
