import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { shellIsolation } from 'mandate/connect'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresShop } from '../connect/sql.fixture.ts'
import { has } from '../servers/servers.ts'
import { REFUND, ROOT, commandLine, environment, store, useOwnFolder } from './mandate.fixture.ts'
import { MODEL, approvingAll, here, hostOfModel, mandate, results, scripts, useScriptedModel } from './packs.fixture.ts'

useOwnFolder()
useScriptedModel()

it('filesystem reads the folder at once and asks before it writes; the run goes on by its id', async () => {
  mkdirSync(join(here(), 'test'))
  const file = join(here(), 'test/sum.test.js')
  writeFileSync(file, 'assert.equal(sum(2, 2), 5)\n')
  scripts.set('fix', [
    ['search_files', { text: 'assert' }],
    ['edit_file', { path: 'test/sum.test.js', old_string: '5', new_string: '4' }],
    'The test expected 5; I corrected it.',
  ])
  const words = ['run', '--pack', 'filesystem', 'script fix: find the failing test']
  const asked = await mandate(words, { MANDATE_MODEL: MODEL })
  expect([asked.code, asked.notes]).toEqual([4, expect.stringContaining('mandate approve')])
  expect(results.get('fix')).toContain('assert.equal')
  expect(readFileSync(file, 'utf8')).toContain('5')
  await mandate(['approve', /mandate approve (\S+)/.exec(asked.notes)![1]!])
  // Neither a file nor a model is named again.
  const run = /mandate resume (\S+)/.exec(asked.notes)![1]!
  expect(await mandate(['resume', run])).toMatchObject({ code: 0, out: 'The test expected 5; I corrected it.\n' })
  expect(readFileSync(file, 'utf8')).toContain('4')
  expect(await mandate(['replay', run])).toMatchObject({ code: 0, out: /identical/ })
})

it('filesystem gives no secrets and nothing outside of the folder, also where a person agrees', async () => {
  writeFileSync(join(here(), '.env'), 'TOKEN=opensesame\n')
  scripts.set('leak', [['read_file', { path: '.env' }], ['read_file', { path: '../../etc/passwd' }], 'I cannot.'])
  expect(await approvingAll('run', '--pack', 'filesystem', '--model', MODEL, 'script leak')).toMatchObject({ code: 0 })
  expect(results.get('leak')).not.toMatch(/opensesame|root:/)
  expect(results.get('leak')).toContain('closed to these tools')
})

it('sql reads the database that was named, and asks before it changes it', async () => {
  const path = join(here(), 'shop.db')
  const database = new DatabaseSync(path)
  database.exec("CREATE TABLE orders (id TEXT, paid REAL); INSERT INTO orders VALUES ('A-17', 80)")
  database.close()
  scripts.set('sql', [
    ['sql_query', { sql: 'SELECT paid FROM orders' }],
    ['sql_execute', { sql: 'UPDATE orders SET paid = 0' }],
    'Done.',
  ])
  const said = await approvingAll('run', '--pack', 'sql=shop.db', '--model', MODEL, 'script sql')
  expect(said).toMatchObject({ code: 0, approvals: 1 })
  expect(results.get('sql')).toContain('80')
})

it.skipIf(!has('postgres'))(
  'sql reads a Postgres database, changes nothing in it, and keeps its password out of the journal',
  async () => {
    const shop = await PostgresShop.create('pack_shop')
    onTestFinished(() => shop.close())
    scripts.set('pg', [
      ['sql_query', { sql: 'SELECT name FROM t WHERE id = 2' }],
      ['sql_query', { sql: 'SELECT sneaky()' }],
      ['sql_execute', { sql: 'DELETE FROM t' }],
      'Done.',
    ])
    const before = await shop.content()
    const words = ['run', '--model', MODEL, '--dir', join(here(), 'store'), 'script pg', '--pack']
    const url = shop.readerUrl()
    const said = await mandate([...words, 'sql=env:SHOP_URL'], { SHOP_URL: url })
    expect(said).toMatchObject({ code: 0, out: 'Done.\n' })
    expect(results.get('pg')).toContain('[\\"c\\"]')
    expect(results.get('pg')).toContain('There is no tool \\"sql_execute\\"')
    expect(await shop.content()).toBe(before)
    expect(
      (await mandate(['export', /run (run_\S+)/.exec(said.notes)![1]!, '--dir', join(here(), 'store')])).out,
    ).not.toContain('reader@')
    expect(await mandate([...words, `sql=${url}`])).toMatchObject({ code: 2, notes: /sql=env:DATABASE_URL/ })
    expect(await mandate([...words, 'sql=env:NOTHING_HERE'])).toMatchObject({
      code: 2,
      notes: /NOTHING_HERE is not set/,
    })
  },
)

it('web fetches pages, of this machine only what was named', async () => {
  scripts.set('web', [['http_fetch', { url: `http://${hostOfModel()}/stock` }], 'Done.'])
  await approvingAll('run', '--pack', 'web', '--model', MODEL, 'script web')
  expect(results.get('web')).not.toContain('back in stock')
  await approvingAll('run', '--pack', `web=${hostOfModel()}`, '--model', MODEL, 'script web')
  expect(results.get('web')).toContain('back in stock')
})

it('mcp offers the tools of .mcp.json, which ask', async () => {
  const missing = await mandate(['run', '--pack', 'mcp', '--model', MODEL, 'script mcp'])
  expect(missing).toMatchObject({ code: 2, notes: /There is no \.mcp\.json here\. Write one/ })
  const [command, ...args] = commandLine(['mcp', join(ROOT, REFUND), '--dir', store()])
  const shop = { command, args, cwd: here(), env: { REFUNDS: environment()['REFUNDS'] } }
  writeFileSync(join(here(), '.mcp.json'), JSON.stringify({ mcpServers: { shop } }))
  scripts.set('mcp', [['shop__continue_run', { runId: 'none' }], 'Done.'])
  const asked = await mandate(['run', '--pack', 'mcp', '--model', MODEL, 'script mcp'])
  expect([asked.code, asked.notes]).toEqual([4, expect.stringContaining('? shop__continue_run')])
})

it('shell is off unless it is named, and then every command asks', async () => {
  scripts.set('ls', [['run_command', { argv: ['ls'] }], 'Done.'])
  const without = await mandate(['run', '--pack', 'filesystem', '--model', MODEL, 'script ls'])
  expect([without.code, without.notes]).toEqual([0, expect.stringContaining('There is no tool "run_command"')])
  const named = await mandate(['run', '--pack', 'shell', '--model', MODEL, 'script ls'])
  const isIsolated = shellIsolation().isolation === 'bubblewrap'
  expect(named).toMatchObject(isIsolated ? { code: 4, notes: /mandate approve/ } : { code: 6, notes: /bubblewrap/ })
})

it('says what is missing: a model, a prompt, a database; and which pack was meant', async () => {
  const model = await mandate(['run', '--pack', 'filesystem', 'script x'])
  const prompt = await mandate(['run', '--pack', 'filesystem', '--model', MODEL])
  const database = await mandate(['run', '--pack', 'sql', '--model', MODEL, 'script x'])
  const meant = await mandate(['run', '--pack', 'filesistem', '--model', MODEL, 'script x'])
  expect(model).toMatchObject({ code: 2, notes: /--model <provider\/model>, or MANDATE_MODEL/ })
  expect(prompt).toMatchObject({ code: 2, notes: /run --pack <name> <prompt>/ })
  expect(database).toMatchObject({ code: 2, notes: /--pack sql=<file>/ })
  expect(meant).toMatchObject({ code: 2, notes: /Did you mean "filesystem"\?/ })
  expect(existsSync(join(here(), '.mandate'))).toBe(false)
})
