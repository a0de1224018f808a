import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { shellIsolation } from 'mandate/connect'
import { beforeEach, expect, it } from 'vitest'
import { useOwnFolder } from './mandate.fixture.ts'
import { MODEL, approvingAll, here, hostOfModel, results, scripts, useScriptedModel } from './packs.fixture.ts'

useOwnFolder()
useScriptedModel()

const SECRET = 'opensesame'
/** Where keys are usually kept. */
const CLOSED = [
  '.env',
  '.env.local',
  'sub/.env',
  'keys/server.pem',
  'id_rsa',
  '.ssh/known',
  '.npmrc',
  '.git-credentials',
]

let outside = ''
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'mandate-outside-'))
  return () => rmSync(outside, { recursive: true })
})

/** A folder with secrets, with links out of it and to a secret, and with names that only look like secrets. */
function plant(): void {
  for (const folder of ['sub', 'keys', '.ssh']) mkdirSync(join(here(), folder))
  for (const name of CLOSED) writeFileSync(join(here(), name), `TOKEN=${SECRET}\n`)
  writeFileSync(join(outside, 'theirs'), `TOKEN=${SECRET}\n`)
  symlinkSync(join(outside, 'theirs'), join(here(), 'file-link'))
  symlinkSync(outside, join(here(), 'folder-link'))
  symlinkSync('.env', join(here(), 'settings'))
  writeFileSync(join(here(), 'id_generator.js'), 'export const TOKEN = "harmless"\n')
}

/** Lets the model make these calls, approves each that asks, and gives what it was told. */
async function told(pack: string, calls: readonly (readonly [string, object])[]): Promise<string> {
  scripts.set('hostile', [...calls, 'Done.'])
  const said = await approvingAll('run', '--pack', pack, '--model', MODEL, 'script hostile')
  expect(said).toMatchObject({ code: 0, out: 'Done.\n' })
  return results.get('hostile')!
}

const PATHS = [
  ...CLOSED,
  ...['../theirs', 'sub/../.env', './.env', '.ENV', '/etc/passwd', 'file-link', 'folder-link/theirs', 'settings'],
]

it('filesystem reads and changes nothing that is closed or outside, whatever a person approves', async () => {
  plant()
  const said = await told('filesystem', [
    ...PATHS.map((path) => ['read_file', { path }] as const),
    ['search_files', { text: 'TOKEN' }],
    ...['folder-link/new', '../new', '.env', 'file-link'].map(
      (path) => ['write_file', { path, content: 'mine' }] as const,
    ),
  ])
  expect(said).not.toMatch(new RegExp(`${SECRET}|root:`))
  expect(said).toContain('id_generator.js')
  expect(readFileSync(join(outside, 'theirs'), 'utf8')).toContain(SECRET)
  expect(readFileSync(join(here(), '.env'), 'utf8')).toContain(SECRET)
})

it.skipIf(shellIsolation().isolation === 'none')(
  'shell shows nothing that is closed or outside, and no shell reads its arguments, whatever a person approves',
  async () => {
    plant()
    const said = await told(
      'shell',
      [
        ...PATHS.map((path) => ['cat', path]),
        ['grep', '-r', 'TOKEN', '.'],
        ['cat', 'id_generator.js', ';', 'cat', '.env'],
        ['cat', '$(cat .env)', '`cat .env`', '|', '&&', '>', 'new'],
        ['head', '-c', '40', 'sub/.env'],
        ['sh', '-c', 'cat .env'],
      ].map((argv) => ['run_command', { argv }] as const),
    )
    expect(said).not.toMatch(new RegExp(`${SECRET}|root:`))
    // Names that only look like those of keys are open, and what was closed is as it was.
    expect(said).toContain('harmless')
    expect(readFileSync(join(here(), '.env'), 'utf8')).toContain(SECRET)
  },
)

it('sql changes nothing by what only reads, and reaches no other file', async () => {
  const path = join(here(), 'shop.db')
  const database = new DatabaseSync(path)
  database.exec("CREATE TABLE orders (id TEXT, paid REAL); INSERT INTO orders VALUES ('A-17', 80)")
  database.close()
  const before = readFileSync(path)
  const said = await told(
    'sql=shop.db',
    [
      'DELETE FROM orders',
      'SELECT 1; DELETE FROM orders',
      'WITH gone AS (SELECT 1) DELETE FROM orders',
      'INSERT INTO orders SELECT * FROM orders RETURNING id',
      'DROP TABLE orders',
      'PRAGMA writable_schema = 1',
      `ATTACH DATABASE '${join(outside, 'new.db')}' AS other`,
      `VACUUM INTO '${join(outside, 'copy.db')}'`,
      "SELECT load_extension('evil')",
      `SELECT readfile('${join(outside, 'theirs')}')`,
    ].map((sql) => ['sql_query', { sql }] as const),
  )
  expect(said.match(/"error|\\"error/g)?.length).toBe(10)
  expect(readFileSync(path)).toEqual(before)
  expect(() => readFileSync(join(outside, 'copy.db'))).toThrow('ENOENT')
})

it('web reaches no address of this machine or its network, however it is written, and of named hosts only those', async () => {
  const [host = '', port = ''] = hostOfModel().split(':')
  const urls = [
    `http://${host}:${port}/`,
    `http://localhost:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://192.168.0.1/',
    'file:///etc/passwd',
  ]
  const calls = urls.map((url) => ['http_fetch', { url }] as const)
  for (const pack of ['web', 'web=example.com']) {
    const said = await told(pack, calls)
    expect(said).not.toMatch(/back in stock|root:/)
    expect([pack, said.match(/DENIED|INPUT_INVALID/g)?.length]).toEqual([pack, urls.length])
  }
})
