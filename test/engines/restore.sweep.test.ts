import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dbosEngine, Fleet } from '../../src/engine/index.ts'
import { readAll, verifyEntries } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { minds, readWorld, toolsOf } from '../chaos/minds.ts'
import { mandate, useOwnFolder } from '../cli/mandate.fixture.ts'
import { findPostgres } from '../servers/binaries.ts'
import { keepServer } from '../servers/keeping.ts'
import { canKeep } from '../servers/servers.ts'

useOwnFolder()

/** A process that drives runs. */
async function joinAt(url: string, log: string): Promise<{ kernel: Kernel; leave: () => Promise<void> }> {
  const kernel = new Kernel({ journal: postgresJournal({ url }), engine: dbosEngine({ url, role: 'worker' }) })
  for (const mind of minds) kernel.registry.registerMind(mind)
  for (const tool of toolsOf(log)) kernel.registry.registerTool(tool)
  await kernel.attach()
  const leave = async (): Promise<void> => {
    await kernel.stop()
    await kernel.journal.close()
  }
  return { kernel, leave }
}

test.skipIf(!canKeep('postgres'))(
  'a backup is restored whole; a journal that is older than its queues is found and named',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-restore-'))
    const server = await keepServer({ kind: 'postgres', isSafe: true })
    onTestFinished(async () => {
      await server.stop()
      rmSync(folder, { recursive: true })
    })
    const log = join(folder, 'world')
    writeFileSync(log, '')
    const run = (program: string, ...words: string[]): string =>
      execFileSync(join(findPostgres()!.folder, program), words, { encoding: 'utf8' })
    const url = `${server.url}?schema=m`
    const dump = join(folder, 'backup')

    const before = await joinAt(url, log)
    await before.kernel.run({ kind: 'program', name: 'ask', input: null, runId: 'waits' })
    const head = (await before.kernel.journal.summary('waits'))!.head
    run('pg_dump', '-Fc', '-f', dump, server.url)
    // What happens after the backup is lost with it, and only with it.
    await before.kernel.run({ kind: 'program', name: 'steps', input: null, runId: 'late' })
    const [request] = await before.kernel.approvals('waits')
    await before.kernel.respond(request!.id, { answer: 'approve' })
    await expect.poll(async () => (await before.kernel.journal.summary('waits'))?.state).toBe('completed')
    await before.leave()

    // The journal alone, as when only some tables were restored: the queues know more, and say so.
    run('psql', '-q', '-c', 'DROP SCHEMA m CASCADE; CREATE SCHEMA m', server.url)
    run('pg_restore', '-n', 'm', '-d', server.url, dump)
    const fleet = new Fleet(url)
    expect((await fleet.ahead()).map(({ run: name }) => name)).toContain('late')
    await fleet.close()
    const doctor = await mandate('doctor', '--dir', url)
    expect(doctor.code).not.toBe(0)
    expect(doctor.out).toMatch(/WRONG {2}workers: the queues know more of \d+ runs?.*late.*older copy/u)

    // The whole database: journal and queues are of one moment again, and the run goes on from there.
    run('psql', '-q', '-c', 'DROP SCHEMA m CASCADE; DROP SCHEMA m_dbos CASCADE', server.url)
    run('pg_restore', '-d', server.url, dump)
    expect((await mandate('doctor', '--dir', url)).out).toMatch(/ok {5}workers/u)
    const after = await joinAt(url, log)
    expect((await after.kernel.journal.summary('waits'))!.head).toEqual(head)
    expect(verifyEntries('waits', await readAll(after.kernel.journal, 'waits')).ok).toBe(true)
    const [again] = await after.kernel.approvals('waits')
    await after.kernel.respond(again!.id, { answer: 'approve' })
    await expect.poll(async () => (await after.kernel.journal.summary('waits'))?.state).toBe('completed')
    await after.leave()
    // What was done outside since the backup is not known to a restored journal: people decide, as they did here, twice.
    expect(readWorld(log).get('waits/asked')).toBe(2)
  },
)
