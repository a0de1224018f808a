// Uses every statement of the SQLite store once. Run with the oldest Node that `engines` allows: node scripts/oldest-node.mjs
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { importRun } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { keyRing, openStore, retain } from 'mandate/sqlite'

async function smoke(folder: string, isEncrypted: boolean): Promise<void> {
  const ring = isEncrypted ? { encryption: keyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`) } : {}
  const store = await openStore({ dir: join(folder, isEncrypted ? 'sealed' : 'plain'), ...ring })
  const done: unknown[] = []
  const wipe = defineTool({
    name: 'wipe',
    description: 'Wipes.',
    risk: 'destructive',
    inputSchema: { type: 'object' },
    run: async (input: unknown) => (done.push(input), 'wiped'),
  })
  const model = scripted([{ toolCalls: [{ name: 'wipe', input: {} }] }, 'Done.'])
  const service = new AgentService({ store, agents: [{ id: 'a', model, tools: [wipe] }] })
  const { id } = await service.run('a', 'Wipe it.')
  const [request] = await service.approvals(id)
  await service.approve(request!.id)
  assert.equal((await service.resume(id)).status, 'completed')
  assert.equal(done.length, 1)
  assert.equal((await service.verify(id)).ok, true)
  const lines: string[] = []
  for await (const line of service.export(id)) lines.push(line)
  const database = store.data.database()
  await database.write('users', 'ada', { name: 'Ada' })
  assert.deepEqual(await database.read('users', 'ada'), { name: 'Ada' })
  // Words are found, and writes go on after deletions in the full-text index.
  for (const name of ['bob', 'eve', 'mallory']) await database.write('users', name, { name, note: `hello ${name}` })
  assert.equal((await database.search('hello')).length, 3)
  await database.trim({ collection: 'users', maxCount: 1 })
  await database.write('users', 'bob', { name: 'Bob' })
  assert.deepEqual(await database.read('users', 'bob'), { name: 'Bob' })
  const prompts = store.data.prompts()
  await prompts.put({ id: 'p', text: 'Hello' })
  if (isEncrypted) await store.rekey()
  assert.equal((await store.journal.list({ state: 'completed' })).length, 1)
  await retain(store.journal, { olderThanMs: 0, now: Date.now() + 1_000 })
  const other = await openStore({ dir: join(folder, `other-${String(isEncrypted)}`) })
  assert.equal((await importRun(other.journal, lines, 0)).entries, lines.length)
  await other.close()
  await service.stop()
}

const folder = mkdtempSync(join(tmpdir(), 'mandate-smoke-'))
try {
  await smoke(folder, false)
  await smoke(folder, true)
  console.log(`ok: ${process.version}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
