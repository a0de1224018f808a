import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Json } from 'mandate'
import { AgentService } from 'mandate'
import { fileTools } from 'mandate/connect'
import { scripted } from 'mandate/model'
import type { ToolContext } from 'mandate/tool'
import { describe, expect, it } from 'vitest'
import { withoutCheck } from '../../src/connect/checks.ts'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import { SECRET, ground } from './workspace.fixture.ts'
import type { Ground } from './workspace.fixture.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly tool: string
  readonly input: { readonly [name: string]: Json }
  readonly expect: string
  readonly reason: string
  readonly setup?: readonly string[]
}

const cases = [...readCorpus<Case>('fs'), ...readOwn<Case>('fs')]

/** Ids whose description needs a hand: races and stores have suites of their own, named beside them. */
const ELSEWHERE: { readonly [category: string]: string } = {
  toctou: 'test/files/race.sweep.test.ts',
  store: 'test/faults and src/store/sqlite (chain, fsync, writers); encryption is not there yet',
}

/** What our tools do not offer cannot be misused. */
const NOT_OFFERED = new Set(['fs.mkdir', 'fs.move', 'fs.copy', 'fs.symlink', 'fs.extract'])

/** The cases that stand for a pair, or a policy, as they are really tried. */
const REAL: { readonly [id: string]: string } = {
  'fs-name-01': 'SECRET.ENV',
  'fs-name-16': 'cafe\u0301.txt',
  'fs-name-23': '\u0430dmin.txt',
}

type Outcome = { readonly error: string } | Json

const PATHS = new Set(['traversal', 'name', 'type'])
const PLACES = new Set(['symlink', 'hardlink', 'special'])

/** Runs one case of a path; throws where anything that it states does not hold. */
async function runPath(one: Case): Promise<void> {
  const place = ground({ deny: ['secret.env'] })
  const before = snapshot(place.outside)
  const outcome = await attempt(place, one)
  expect(snapshot(place.outside)).toEqual(before)
  expect(JSON.stringify(outcome)).not.toContain(SECRET)
  expect(JSON.stringify(outcome)).not.toContain('root:')
  switch (one.expect) {
    case 'deny':
    case 'error':
      return expect(outcome).toHaveProperty('error')
    case 'inside':
      return expect(readdirSync(place.root)).toEqual([])
    case 'allow':
    // What other programs make of these names is for the host to say (`protect`); by default they are names.
    case 'policy':
      return expect(outcome).not.toHaveProperty('error')
    // A name that could deceive is refused, or shown for what it is.
    case 'visible':
      return expect(JSON.stringify(outcome)).toMatch(/\\\\u\{/)
    case 'one-name':
      await place.call('write_file', { path: 'caf\u00e9.txt', content: 'y' })
      return expect(readdirSync(place.root)).toHaveLength(1)
    default:
      throw new Error(`${one.id} expects "${one.expect}", which nothing here can show`)
  }
}

/** Runs one case of a link or a special file; says false where this machine cannot make it. */
async function runPlace(one: Case): Promise<boolean> {
  if (NOT_OFFERED.has(one.tool)) {
    const offered = fileTools({ root: '.', write: true }).map(({ name }) => name)
    expect(offered).toEqual(['read_file', 'list_files', 'search_files', 'write_file', 'edit_file'])
    return true
  }
  const place = ground({ maxFileBytes: 100_000, maxEntries: 500 })
  if (!setUp(place, one)) return false
  const before = snapshot(place.outside)
  const outcomes = await attempts(place, one)
  for (const outcome of outcomes) {
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
    expect(JSON.stringify(outcome)).not.toContain('root:')
    if (['deny', 'allow|deny'].includes(one.expect)) expect(outcome).toHaveProperty('error')
  }
  expect(snapshot(place.outside)).toEqual(before)
  if (['deny', 'allow|deny'].includes(one.expect)) return true
  const check = BY_ID[one.id] ?? BY_EXPECT[one.expect]
  if (check === undefined) throw new Error(`${one.id} expects "${one.expect}", which nothing here can show`)
  await check(outcomes, place)
  return true
}

type Check = (outcomes: readonly Outcome[], place: Ground) => void | Promise<void>

const isRefused: Check = (outcomes) => {
  for (const outcome of outcomes) expect(outcome).toHaveProperty('error')
}

/** The listing, then what reading and searching each name gave. */
const listed = ([first]: readonly Outcome[]): readonly string[] => (first as { entries: string[] }).entries
const errorOf = ([, read]: readonly Outcome[]): string => (read as { error?: string }).error ?? 'it was read'

const BY_EXPECT: { readonly [expected: string]: Check } = {
  error: isRefused,
  'no-follow': (outcomes) => {
    expect(JSON.stringify(outcomes)).not.toContain('d/')
    expect(JSON.stringify(outcomes)).not.toContain('"line"')
  },
  // Files with other names are refused; a search passes over them.
  policy: ([outcome]) => {
    if ('matches' in (outcome as object)) expect(outcome).toMatchObject({ matches: [], files: 1 })
    else expect(outcome).toMatchObject({ error: expect.stringContaining('other names') as string })
  },
}

const BY_ID: { readonly [id: string]: Check } = {
  'fs-hardlink-02': isRefused,
  'own-hardlink-01': isRefused,
  'fs-special-12': (outcomes) => {
    expect(listed(outcomes)).toEqual(['[special] p'])
    expect(errorOf(outcomes)).toContain('not a regular file')
  },
  'fs-special-14': (outcomes) => {
    expect(listed(outcomes)).toEqual(['[special] c'])
    expect(errorOf(outcomes)).toContain('not a regular file')
  },
  'fs-special-15': (outcomes) => expect(errorOf(outcomes)).toContain('is a folder'),
  'fs-special-16': (outcomes) => expect(errorOf(outcomes)).toContain('more than 100000 bytes'),
  'own-size-01': (outcomes) => expect(errorOf(outcomes)).toContain('more than 100000 bytes'),
  'fs-special-18': (outcomes) => {
    expect(listed(outcomes)).toHaveLength(500)
    expect(outcomes[0]).toHaveProperty('truncated')
  },
  'fs-special-19': (outcomes) => expect(listed(outcomes)).toHaveLength(16),
  'fs-special-20': (outcomes) => {
    expect(listed(outcomes)).toHaveLength(1)
    for (const control of ['\n', '\u001b']) expect(listed(outcomes)[0]).not.toContain(control)
  },
  // No program gets these names, so they are names like any other.
  'fs-special-21': ([, read]) => expect(read).toMatchObject({ content: 'x' }),
  'fs-special-22': ([, read]) => expect(read).toMatchObject({ content: 'x' }),
  async 'fs-special-25'(_, { root, call }) {
    await expect(call('write_file', { path: 'new', content: 'x' })).rejects.toThrow('permissions')
    chmodSync(root, 0o755)
  },
  async 'fs-special-26'(_, { call }) {
    const [old, now] = ['o'.repeat(50_000), 'n'.repeat(50_000)]
    await call('write_file', { path: 'f', content: old })
    const reads = Promise.all(Array.from({ length: 20 }, () => call('read_file', { path: 'f' })))
    await call('write_file', { path: 'f', content: now })
    for (const read of await reads) expect([old, now]).toContain((read as { content: string }).content)
  },
  async 'fs-symlink-17'(_, { root, outside }) {
    const link = join(outside, '../link')
    symlinkSync(root, link)
    writeFileSync(join(root, 'a.txt'), 'x')
    const [read] = fileTools({ root: link })
    expect(await read!.run({ path: 'a.txt' }, {} as ToolContext)).toMatchObject({ content: 'x' })
  },
}

describe('the corpus of hostile file paths', () => {
  for (const one of cases.filter(({ category }) => PATHS.has(category)))
    it(`${one.id}: ${one.reason}`, async () => {
      expect.hasAssertions()
      await runPath(one)
    })

  for (const one of cases.filter(({ category }) => PLACES.has(category)))
    it(`${one.id}: ${one.reason}`, async ({ skip }) => {
      if (!(await runPlace(one))) skip(`${one.setup?.join()} cannot be made here`)
      expect.hasAssertions()
    })

  it.each([
    ['files.listing-cap', ['fs-special-18']],
    ['files.depth-cap', ['fs-special-19']],
    ['files.regular-only', ['fs-special-12']],
    ['files.hard-links', ['fs-hardlink-01', 'own-hardlink-02']],
    ['files.size-cap', ['own-size-01']],
    ['files.deny-list', ['fs-name-01']],
    ['files.protected', ['own-name-33']],
  ] as const)('without %s cases fail', async (check, ids) => {
    for (const id of ids) {
      const one = cases.find((candidate) => candidate.id === id)!
      const run = (): Promise<unknown> => (PATHS.has(one.category) ? runPath(one) : runPlace(one))
      await expect(withoutCheck(check, run)).rejects.toThrow('expected')
    }
  })

  it.each(cases.filter(({ category }) => category === 'session-id').map((one) => [one.id, one] as const))(
    '%s',
    (_, one) => {
      const service = new AgentService({ agents: [{ id: 'a', model: scripted([]) }] })
      const open = (): unknown => service.createSession('a', { sessionId: one.input['id'] as string })
      // "s1.jsonl" is a plain name to a store that makes no file of it.
      if (one.id === 'fs-session-id-27' || ['allow', 'literal'].includes(one.expect)) open()
      else expect(open).toThrow('is not usable')
    },
  )

  it('has no case that nobody runs', () => {
    const run = new Set(['traversal', 'name', 'type', 'symlink', 'hardlink', 'special', 'session-id'])
    for (const { category } of cases) expect(run.has(category) || category in ELSEWHERE).toBe(true)
  })
})

async function attempt({ call }: Ground, { id, tool, input }: Case): Promise<Json> {
  const path = REAL[id] ?? input['path'] ?? 'a'
  const given = tool === 'fs.write' ? { path, content: 'x' } : { path }
  return call(tool === 'fs.write' ? 'write_file' : 'read_file', given).catch((error: Error) => ({
    error: error.message,
  }))
}

async function attempts(place: Ground, one: Case): Promise<readonly Json[]> {
  const answered = (name: string, input: Json): Promise<Json> =>
    place.call(name, input).catch((error: Error) => ({ error: error.message }))
  if (one.tool === 'fs.search') return [await answered('search_files', { text: 'r' })]
  if (!one.tool.includes('|')) return [await attempt(place, one)]
  const names = readdirSync(place.root, { encoding: 'utf8' }).slice(0, 3)
  return [
    await answered('list_files', { depth: 16 }),
    ...(await Promise.all(
      names.flatMap((path) => [answered('read_file', { path }), answered('search_files', { text: 'x', path })]),
    )),
  ]
}

/** Makes what the case describes; false where this machine cannot. */
function setUp({ root, outside }: Ground, { id, setup = [] }: Case): boolean {
  try {
    for (const line of setup) prepare(line, root, outside)
    if (id === 'fs-symlink-08')
      for (let i = 1; i <= 50; i++) symlinkSync(i === 50 ? join(outside, 'secret') : `c${i + 1}`, join(root, `c${i}`))
    return true
  } catch (error) {
    if (error instanceof UnknownSetup) throw error
    return false
  }
}

class UnknownSetup extends Error {}

/** What the check of a case makes itself. */
const MADE_LATER = new Set([
  'chain of 50 symlinks inside ws, the last one outside',
  'ws itself is a symlink to /data/ws',
  'file changed while reading',
])

function prepare(line: string, root: string, outside: string): void {
  const inside = (path: string): string => path.replace(/^ws\//, `${root}/`)
  const target = (path: string): string => path.replace(/^\/outside/, outside)
  const [, soft, from, to] = /^ln (-s )?(\S+) (ws\/\S+)$/.exec(line) ?? []
  if (to !== undefined) (soft === undefined ? linkSync : symlinkSync)(target(from!), inside(to))
  else if (line.startsWith('mkfifo')) execFileSync('mkfifo', [join(root, 'p')])
  else if (line.startsWith('mknod')) execFileSync('mknod', [join(root, 'c'), 'c', '1', '5'])
  else if (line.startsWith('directory')) mkdirSync(join(root, 'd'))
  else if (line.startsWith('sparse')) {
    writeFileSync(join(root, 'big'), '')
    truncateSync(join(root, 'big'), 2 ** 40)
  } else if (line.startsWith('1e6 files')) for (let i = 0; i < 700; i++) writeFileSync(join(root, `f${i}`), '')
  else if (line.startsWith('nested'))
    mkdirSync(join(root, ...Array.from({ length: 40 }, () => 'd')), { recursive: true })
  else if (line.includes('\\n')) writeFileSync(join(root, 'a\n\u001b[31m'), 'x')
  else if (line.startsWith('file name')) writeFileSync(join(root, line.split('"')[1]!), 'x')
  else if (/^[\w.]+$/.test(line)) writeFileSync(join(root, line), 'x')
  else if (line.startsWith('large file')) writeFileSync(join(root, 'large'), 'x'.repeat(200_000))
  else if (line === 'read-only ws') {
    // Whoever is root writes all the same.
    if (process.getuid?.() === 0) throw new Error('root')
    chmodSync(root, 0o555)
  } else if (!MADE_LATER.has(line)) throw new UnknownSetup(line)
}

function snapshot(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8')}`)
}
