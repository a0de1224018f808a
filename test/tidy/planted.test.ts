// The tidy checks, each against a planted violation: a check that cannot fail guards nothing.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { describeApi } from './api.ts'
import { checkDependencies } from './dependencies.ts'
import { checkDocComments } from './doc-comments.ts'
import { checkImporters } from './importers.ts'
import { checkIsolation } from './isolation.ts'
import { checkShapes } from './lint.ts'
import { checkNames } from './names.ts'
import { checkMentions, publicNames, wordsIn } from './public-names.ts'
import { reachableFrom } from './reach.ts'
import { checkExports, checkImports, checkTable } from './rooms.ts'
import { checkFolders, checkSizes, medianLines } from './sizes.ts'
import { type SourceFile, parseSource, root } from './sources.ts'
import { parseHouse } from './tables.ts'
import { checkWorld } from './world.ts'

const house = parseHouse(`
| folder | what lives there | may import |
|---|---|---|
| \`core\` | the ground | |
| \`tool\` | tools | \`core\` |
| \`store\` | disks | \`core\` |
| \`run\` | the kernel | \`core\`, \`tool\` |
| \`testing\` | suites | \`core\` |

| thing | only in |
|---|---|
| clock, randomness, timers | \`core\` |
| network, files, process, \`node:\` modules, console | \`store\` |
| code made from strings | |

| package | room | why |
|---|---|---|
| \`@cfworker/json-schema\` | \`tool\` | schemas |

| loaded package | why |
|---|---|
| \`zod\` | schemas |
`)
const doors = {
  subpaths: new Map([
    ['mandate/run', 'src/run/public.ts'],
    ['mandate/sqlite', 'src/store/sqlite/public.ts'],
  ]),
}
const folders = ['core', 'tool', 'store', 'run', 'testing']

describe('the table', () => {
  test('matching folders pass', () => expect(checkTable(house, folders)).toEqual([]))

  test('a row without a folder and a folder without a row are found', () => {
    expect(checkTable(house, ['core', 'tool', 'store', 'run', 'attic'])).toEqual([
      'src/README.md: room testing has no folder',
      'src/attic: no row in src/README.md',
    ])
  })

  test('a row that names a room below it is found', () => {
    const rooms = new Map([...house.rooms, ['core', ['run']]])
    expect(checkTable({ ...house, rooms }, folders).join()).toContain('core may not import run, which is not above it')
  })

  test('a text without the table is refused rather than taken as empty', () => {
    expect(() => parseHouse('# nothing')).toThrow('no table whose first column is "folder"')
  })
})

describe('importers', () => {
  const check = (texts: Readonly<Record<string, string>>, kept: Readonly<Record<string, string>> = {}): string[] =>
    checkImporters(
      Object.entries(texts).map(([path, text]) => parseSource(path, text)),
      doors,
      kept,
    ).map((line) => line.slice(0, line.indexOf(':')))
  const used = { 'src/tool/a.ts': 'export const a = 1', 'src/tool/index.ts': `export { a } from './a.ts'` }

  test.each([
    ['an import', `import { a } from '../tool/index.ts'`],
    ['a type', `type A = import('../tool/index.ts').a`],
    ['a re-export', `export { a as b } from '../tool/index.ts'\n`],
    ['a name out of a module that is loaded later', `const { a: b } = await import('../tool/index.ts')`],
    ['a member of it', `void (await import('../tool/index.ts')).a`],
    ['a whole module', `import * as tool from '../tool/index.ts'`],
  ])('%s of another room is an importer', (_what, text) => {
    expect(check({ ...used, 'src/run/public.ts': text })).toEqual([])
  })

  test.each([
    ['nothing', {}],
    ['its own room', { 'src/tool/b.ts': `import { a } from './index.ts'` }],
    ['a test of another room', { 'src/run/b.test.ts': `import { a } from '../tool/index.ts'` }],
    ['a test that spans rooms', { 'test/b.ts': `import { a } from '../src/tool/index.ts'` }],
    ['another name', { 'src/run/public.ts': `const { b } = await import('../tool/index.ts')` }],
  ])('a name that %s imports is not needed in a door', (_who, more) => {
    expect(check({ ...used, ...more })).toEqual(['src/tool/index.ts a'])
  })

  test('what a subpath offers is used, and so is what tests import from `testing`', () => {
    expect(check({ ...used, 'src/tool/public.ts': `export { a } from './index.ts'` })).toEqual([])
    const suites = { 'src/testing/index.ts': 'export const a = 1' }
    expect(check({ ...suites, 'test/b.test.ts': `import { a } from '../src/testing/index.ts'` })).toEqual([])
    expect(check(suites)).toEqual(['src/testing/index.ts a'])
  })

  test('an export for tests alone is used by its own file, or it is dead', () => {
    const tested = { 'src/tool/a.test.ts': `import { a } from './a.ts'` }
    expect(check({ ...tested, 'src/tool/a.ts': 'export const a = 1\nvoid a' })).toEqual([])
    expect(check({ ...tested, 'src/tool/a.ts': 'export const a = 1 // a' })).toEqual(['src/tool/a.ts a'])
    expect(check({ 'src/tool/a.ts': 'export const a = 1\nvoid a' })).toEqual(['src/tool/a.ts a'])
  })

  test('exceptions are named, and only as long as they are some', () => {
    expect(check({ 'src/tool/a.ts': 'export const a = 1' }, { 'src/tool/a.ts a': 'why' })).toEqual([])
    expect(check({}, { 'src/tool/a.ts a': 'why' })).toEqual(['src/tool/a.ts a'])
  })
})

describe('imports', () => {
  const check = (path: string, text: string): string[] => checkImports(parseSource(path, text), house, doors)

  test.each([
    ['src/run/a.ts', `import { x } from '../tool/index.ts'`],
    ['src/run/a.ts', `export { x } from './b.ts'`],
    ['src/run/a.test.ts', `import { x } from '../testing/index.ts'`],
    ['src/run/a.test.ts', `import { rotate } from '../../test/rotation.ts'`],
    ['src/run/a.test.ts', `import { x } from 'mandate/run'`],
  ])('%s: %s passes', (path, text) => expect(check(path, text)).toEqual([]))

  test.each([
    ['src/core/a.ts', `import { x } from '../run/index.ts'`, 'core may not import run'],
    ['src/core/a.ts', `import type { X } from '../run/index.ts'`, 'core may not import run'],
    ['src/core/a.ts', `let x: import('../run/index.ts').X`, 'core may not import run'],
    ['src/core/a.ts', `const x = await import('../run/index.ts')`, 'core may not import run'],
    ['src/core/a.ts', `export { x } from '../run/index.ts'`, 'core may not import run'],
    ['src/core/deep/a.ts', `import '../../run/index.ts'`, 'core may not import run'],
    ['src/run/a.ts', `import { x } from '../testing/index.ts'`, 'run may not import testing'],
    ['src/run/a.ts', `import { x } from '../tool/parts.ts'`, 'enter tool by its index.ts'],
    ['src/run/a.test.ts', `import { x } from '../tool/parts.ts'`, 'enter tool by its index.ts'],
    ['src/run/a.ts', `import { x } from '../tool/public.ts'`, 'enter tool by its index.ts'],
    ['src/run/a.test.ts', `import { x } from 'mandate/sqlite'`, 'run may not import store'],
    ['src/run/a.ts', `import { x } from 'mandate/run'`, 'import rooms by path'],
    ['src/run/a.ts', `import { x } from '../../test/rotation.ts'`, 'leaves src'],
    ['src/attic/a.ts', `import { x } from '../core/index.ts'`, 'attic may not import core'],
  ])('%s: %s is found', (path, text, complaint) => expect(check(path, text).join()).toContain(complaint))

  test('a database is entered by its own door', () => {
    const rooms = new Map([...house.rooms, ['cli', ['store']]])
    const file = parseSource('src/cli/a.ts', `import { x } from '../store/sqlite/index.ts'`)
    expect(checkImports(file, { ...house, rooms }, doors)).toEqual([])
  })

  test('the line of a violation is told', () => {
    expect(check('src/core/a.ts', `\n\nimport '../run/index.ts'`)[0]).toMatch(/^src\/core\/a\.ts:3: /)
  })

  test.each([`export * from './b.ts'`, `export * as b from './b.ts'`, `export default 1`])('%s is found', (text) => {
    expect(checkExports(parseSource('src/core/a.ts', text))).toHaveLength(1)
  })
})

describe('the world', () => {
  const check = (text: string, room = 'run'): string[] => checkWorld(parseSource(`src/${room}/a.ts`, text), house)

  test.each([
    [`Date.now()`, 'clock'],
    [`new Date()`, 'clock'],
    [`new Date`, 'clock'],
    [`Date()`, 'clock'],
    [`const D = Date`, 'clock'],
    [`[1].map(Date.now)`, 'clock'],
    [`performance.now()`, 'clock'],
    [`globalThis.Date.now()`, 'clock'],
    [`Math.random()`, 'randomness'],
    [`Math['random']()`, 'randomness'],
    [`const { random } = Math`, 'randomness'],
    [`crypto.randomUUID()`, 'randomness'],
    [`globalThis.crypto?.getRandomValues(x)`, 'randomness'],
    [`setTimeout(() => {}, 1)`, 'timers'],
    [`AbortSignal.timeout(5)`, 'timers'],
    [`const go = options.fetch ?? fetch`, 'network'],
    [`globalThis['fetch']('x')`, 'network'],
    [`new WebSocket('ws://x')`, 'network'],
    [`process.env.X`, 'process'],
    [`const g = globalThis; g.fetch`, 'process'],
    [`const { fetch } = globalThis`, 'process'],
    [`console.log(1)`, 'console'],
    [`import { readFile } from 'node:fs/promises'`, 'modules'],
    [`import fs from 'fs'`, 'modules'],
    [`const fs = await import('node:fs')`, 'modules'],
    [`const fs = require('node:fs')`, 'modules'],
    [`eval('1')`, 'code made from strings'],
    [`new Function('return 1')`, 'code made from strings'],
    [`(0, globalThis.eval)('1')`, 'code made from strings'],
    [`function f(fetch: unknown) { return fetch }\nexport const y = fetch`, 'network'],
    [`{ const process = 1; use(process) }\nexport const y = process.pid`, 'process'],
  ])('%s is found', (text, thing) => {
    const found = check(text)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(thing)
  })

  test.each([
    `new Date(0).toISOString()`,
    `x instanceof Date`,
    `Math.max(1, 2)`,
    `clock.now()`,
    `export function f(fetch: typeof globalThis.fetch) { return fetch('x') }`,
    `import { process } from './b.ts'; process()`,
    `const { setTimeout } = scheduling; setTimeout(1)`,
    `export interface X { fetch: typeof fetch; process(): void }`,
    `const x = { fetch: 1, eval: 2 }; x.fetch`,
    `for (const process of list) process.start()`,
    `try { x() } catch (console) { console.y }`,
    `class A { fetch() {} performance = 1 }`,
    `(({ fetch, ...rest }, [process]) => fetch(process, rest))({}, [])`,
    `AbortSignal.any([a, b])`,
    `x satisfies Date`,
  ])('%s passes', (text) => expect(check(text)).toEqual([]))

  test('owners may, and owning one thing is not owning another', () => {
    expect(check(`setTimeout(f, Date.now() + Math.random())`, 'core')).toEqual([])
    expect(check(`import fs from 'node:fs'; fetch(process.argv[2])`, 'store')).toEqual([])
    expect(check(`fetch('x')`, 'core').join()).toContain('network')
    expect(check(`Date.now()`, 'store').join()).toContain('clock')
    expect(check(`import { randomUUID } from 'node:crypto'`, 'store').join()).toContain('randomness')
    expect(check(`import { setTimeout } from 'node:timers/promises'`, 'store').join()).toContain('timers')
    expect(check(`import vm from 'node:vm'`, 'store').join()).toContain('no room may use')
  })

  test('core may ask the platform for built-in modules, and for nothing else of the process', () => {
    expect(check(`globalThis.process?.getBuiltinModule?.('node:crypto')`, 'core')).toEqual([])
    expect(check(`process.env.HOME`, 'core').join()).toContain('process')
  })

  test('tests may touch everything', () => {
    expect(checkWorld(parseSource('src/run/a.test.ts', `Date.now(); fetch('x')`), house)).toEqual([])
  })
})

describe('dependencies', () => {
  const lists = { dependencies: { '@cfworker/json-schema': '4.1.6' }, peerDependencies: { zod: '4' } }
  const file = (path: string, name = '@cfworker/json-schema'): SourceFile => parseSource(path, `import '${name}'`)

  test('the listed package in one file of its room passes', () => {
    expect(checkDependencies([file('src/tool/a.ts')], lists, house)).toEqual([])
  })

  test('a second importer, another room, an unlisted package and an unknown import are found', () => {
    const check = (files: SourceFile[], given = lists): string => checkDependencies(files, given, house).join('\n')
    expect(check([file('src/tool/a.ts'), file('src/tool/b.ts')])).toContain('src/tool/a.ts, src/tool/b.ts')
    expect(check([file('src/run/a.ts')])).toContain('not by exactly one file of tool')
    expect(
      check([file('src/tool/a.ts')], {
        ...lists,
        dependencies: { ...lists.dependencies, lodash: '4' },
      } as typeof lists),
    ).toContain('package.json: lodash')
    expect(check([file('src/tool/a.ts'), file('src/run/a.ts', 'zod/mini')])).toContain('src/run/a.ts:1: zod')
    expect(check([parseSource('src/tool/a.ts', 'export {}')])).toContain('imported by no file')
    expect(check([file('src/tool/a.ts')], { ...lists, peerDependencies: {} as never })).toContain('zod is no peer')
    expect(check([file('src/tool/a.ts')], { ...lists, peerDependencies: { zod: '4', pg: '8' } as never })).toContain(
      'pg is not',
    )
  })
})

describe('sizes and names', () => {
  const long = (path: string, count: number): SourceFile => parseSource(path, 'x()\n'.repeat(count))

  test.each([
    ['src/run/a.ts', 300],
    ['src/gate/a.ts', 300],
    ['src/journal/a.ts', 300],
    ['src/agent/a.ts', 500],
    ['src/run/a.test.ts', 600],
    ['test/a.ts', 600],
  ])('%s may have %i lines and not one more', (path, limit) => {
    expect(checkSizes([long(path, limit)])).toEqual([])
    expect(checkSizes([long(path, limit + 1)])).toHaveLength(1)
  })

  test('the median is that of the sources, tests apart', () => {
    const files = [
      long('src/run/a.ts', 10),
      long('src/run/b.ts', 30),
      long('src/run/c.ts', 90),
      long('src/a.test.ts', 500),
    ]
    expect(medianLines(files)).toBe(30)
  })

  test('a folder may have 20 files beside its tests and not one more', () => {
    const folder = (count: number): SourceFile[] => [
      long('src/run/a.test.ts', 1),
      ...Array.from({ length: count }, (_, index) => long(`src/run/a${index}.ts`, 1)),
    ]
    expect(checkFolders(folder(20))).toEqual([])
    expect(checkFolders(folder(21))).toHaveLength(1)
  })

  test.each([
    'src/run/reading.ts',
    'src/core/string-utils.ts',
    'src/helpers/a.ts',
    'src/run/runManager.ts',
    'src/run/Run.ts',
    'src/a_b.ts',
  ])('%s is refused', (path) => expect(checkNames([path])).toHaveLength(1))

  test('plain names pass', () =>
    expect(checkNames(['src/core/canonical-json.test.ts', 'scripts/setup.mjs'])).toEqual([]))
})

describe('doc comments', () => {
  test('a public function without one is found, also behind a re-export', () => {
    const door = parseSource(
      'src/run/index.ts',
      `export { bare, told, both, type T } from './a.ts'\nexport function own() {}`,
    )
    const overloads = `/** Both. */\nexport function both(a: 1): void\nexport function both(a: 2): void\nexport function both() {}`
    const text = `export function bare() {}\n/** Tells. */\nexport function told() {}\n// no\nexport interface T {}\n${overloads}`
    const files = new Map([['src/run/a.ts', parseSource('src/run/a.ts', text)]])
    expect(checkDocComments(door, files)).toEqual([
      'src/run/a.ts:1: bare is public and has no doc comment',
      'src/run/index.ts:2: own is public and has no doc comment',
    ])
  })
})

describe('public API', () => {
  const read = (texts: Record<string, string>) => (path: string) => parseSource(path, texts[path] ?? '')
  const door = `export { f, type T as U } from './a.ts';\nexport { deep } from './b.ts';\n`
  const texts = {
    'src/x/index.ts': door,
    'src/x/a.ts': `export declare function f(a: number): void;\nexport interface T {\n    a: string;\n}\n`,
    'src/x/b.ts': `export { deep } from './c.ts';`,
    'src/x/c.ts': `export declare const deep: 1;\nexport declare const hidden: 2;`,
  }

  test('shows names, kinds and types, through re-exports, and nothing that is not exported', () => {
    expect(describeApi('src/x/index.ts', read(texts))).toBe(
      'interface T {\n  a: string\n} // as U\nconst deep: 1\nfunction f(a: number): void\n',
    )
  })

  test('a changed parameter changes it', () => {
    const changed = { ...texts, 'src/x/a.ts': texts['src/x/a.ts'].replace('number', 'string') }
    expect(describeApi('src/x/index.ts', read(changed))).not.toBe(describeApi('src/x/index.ts', read(texts)))
  })
})

describe('shapes of functions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-planted-'))
  const plant = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('a long function, a fifth parameter, a deep nest and eval are found', () => {
    mkdirSync(join(folder, 'src'))
    cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    plant('src/long.ts', `export function long(): void {\n${'  use()\n'.repeat(70)}}\n`)
    plant('src/wide.ts', `export function wide(a: 1, b: 2, c: 3, d: 4, e: 5): unknown {\n  return [a, b, c, d, e]\n}\n`)
    plant('src/deep.ts', `if (a) { if (b) { if (c) { if (d) { if (e) { use() } } } } }\n`)
    plant('src/code.ts', `eval('1')\n`)
    plant('src/fine.ts', `export function fine(a: 1, b: 2, c: 3, d: 4): unknown {\n  return [a, b, c, d]\n}\n`)
    const found = checkShapes(folder).map((line) => /(\w+)\.ts:.*\(([\w-]+)\)/.exec(line)?.slice(1).join(' ') ?? line)
    expect(found.toSorted()).toEqual([
      'code no-eval',
      'deep max-depth',
      'long max-lines-per-function',
      'wide max-params',
    ])
  })
})

test('a file that replaces modules beside others, and a hook that is set once for many files, are found', () => {
  const texts = {
    'src/a.test.ts': [`vi.mock`, `('./b.ts')`].join(''),
    'test/b.test.ts': ['vi.resetModules', '()'].join(''),
    'test/c.ts': 'afterEach(f)',
  }
  const files = Object.entries(texts).map(([path, text]) => parseSource(path, text))
  const found = checkIsolation(files, `['test/b.test.ts']`)
  expect(found.map((line) => line.split(/[ :]/, 1)[0])).toEqual(['src/a.test.ts', 'test/c.ts'])
  expect(checkIsolation([parseSource('test/d.test.ts', 'afterEach(f)')], '')).toEqual([])
})

describe('public names', () => {
  const door = parseSource(
    'src/run/public.ts',
    `export { a, b as c } from './index.ts'\nexport type { D } from './index.ts'`,
  )

  test('are counted as users write them', () => expect(publicNames(door)).toEqual(['a', 'c', 'D']))

  test('a name that is only part of another word is not mentioned', () => {
    const found = checkMentions(new Map([['./run', door]]), wordsIn('`a` and `cD`'))
    expect(found.map((line) => line.split(' is in')[0])).toEqual([
      'src/run/public.ts: c of ./run',
      'src/run/public.ts: D of ./run',
    ])
  })
})

test('a type is reached through imports, re-exports and members', () => {
  const texts: Record<string, string> = {
    'src/x/public.ts': `export { open } from './index.ts'`,
    'src/x/index.ts': `export { open } from './open.ts'`,
    'src/x/open.ts': `import type { Opened as O } from './opened.ts'\nexport declare function open(): O`,
    'src/x/opened.ts': `interface Part { inner: Inner }\nexport interface Opened { part: Part }\ndeclare class Inner {}\ndeclare class Other {}`,
  }
  const ways = reachableFrom('src/x/public.ts', (path) => parseSource(path, texts[path]!)).map(({ way }) => way)
  expect(ways).toEqual(['open', 'open > O', 'open > O > Part', 'open > O > Part > Inner'])
})
