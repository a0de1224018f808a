import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeApi, readDeclaration, readSubpaths, snapshotPath } from './tidy/api.ts'
import { type PackageLists, checkDependencies } from './tidy/dependencies.ts'
import { declarationsFolder } from './tidy/declarations.ts'
import { checkDocComments } from './tidy/doc-comments.ts'
import { checkImporters } from './tidy/importers.ts'
import { checkIsolation } from './tidy/isolation.ts'
import { checkShapes } from './tidy/lint.ts'
import { checkNames } from './tidy/names.ts'
import { MOST_PUBLIC_NAMES, checkMentions, publicNames, wordsForUsers } from './tidy/public-names.ts'
import { BEHIND_SERVICE, INNER, reachableFrom } from './tidy/reach.ts'
import { checkExports, checkImports, checkTable } from './tidy/rooms.ts'
import { checkFolders, checkSizes, describeLargest, medianLines } from './tidy/sizes.ts'
import { readSources, root } from './tidy/sources.ts'
import { readHouse } from './tidy/tables.ts'
import { checkWorld } from './tidy/world.ts'

const house = readHouse()
const sources = readSources('src')
const files = [...sources, ...readSources('test', 'examples', 'bench', 'scripts')]
const packageFile = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageLists & {
  exports: Record<string, string | Record<string, string>>
}
const subpaths = readSubpaths()
const doors = { subpaths: new Map([...subpaths].map(([subpath, source]) => [subpath.replace('.', 'mandate'), source])) }

/** Exports that nothing but tests imports, each with its reason. */
const KEPT: Readonly<Record<string, string>> = {
  'src/gate/index.ts PERMISSIONS': 'tests of the agents go through all of them',
  'src/tool/index.ts ToolDefinition': 'a fixture of the agents fills it in part by part',
  'src/connect/checks.ts withoutCheck': 'switches a check off, to show that its tests can fail',
  'src/graph/language/syntax/keywords.ts INNER_WORDS': 'the words of the TextMate grammar',
  'src/store/session-files.ts readCheckpoint': 'reads the files that `sessionFiles` writes',
  'src/store/sqlite/data/data-worker.ts serve': 'threads that tests keep serve one file after another',
  'src/store/sqlite/worker.ts serve': 'threads that tests keep serve one file after another',
  'src/vm/machine/value-serialization.ts readValues': 'the format of kept values (docs/vm-safety.md)',
  'src/vm/machine/value-serialization.ts writeValues': 'the format of kept values (docs/vm-safety.md)',
  'src/vm/script/guide.ts describeSubset': 'the text of docs/scripts.md',
  'src/vm/script/eval.ts runProgramOnce': 'hostile programs that no script can be compiled to',
}

/** A failure shows every violation, one per line, rather than the first. */
function expectNone(violations: readonly string[]): void {
  expect(violations.join('\n')).toBe('')
}

describe('rooms', () => {
  test('every room has a row and a folder, and rows point upward', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expectNone(
      checkTable(
        house,
        folders.map((entry) => entry.name),
      ),
    )
  })

  test('every import is one that the table allows, through the door', () => {
    expectNone(sources.flatMap((file) => checkImports(file, house, doors)))
  })

  test('every export has an importer', () => {
    expectNone(checkImporters([...files, ...readSources('studio/src')], doors, KEPT))
  })

  test('every export has a name', () => {
    expectNone(sources.flatMap(checkExports))
  })

  test('clock, chance, timers, network, files and process are touched only by their owners', () => {
    expectNone(sources.flatMap((file) => checkWorld(file, house)))
  })

  test('users install only the dependencies of the table, each imported by one file', () => {
    expectNone(checkDependencies(sources, packageFile, house))
  })

  test('every public function and class says what it promises', () => {
    const byPath = new Map(sources.map((file) => [file.path, file]))
    const found = sources.filter((file) => /\/(?:index|public)\.ts$/.test(file.path))
    expectNone([...new Set(found.flatMap((door) => checkDocComments(door, byPath)))])
  })
})

describe('sizes and names', () => {
  test('files stay small', () => {
    process.stdout.write(`${describeLargest(files)}\n`)
    expectNone(checkSizes(files))
    expect(medianLines(files), 'the median of the sources').toBeLessThanOrEqual(100)
  })

  test('folders hold what can be taken in at a glance', () => expectNone(checkFolders(files)))

  test('functions are short, shallow and take few arguments', () => {
    expectNone(checkShapes(root))
  })

  test('file names are kebab-case nouns with a meaning', () => {
    const paths = globSync('{src,test,examples,bench,scripts}/**/*.{ts,mjs,js,json,jsonl}', { cwd: root })
    expectNone(
      checkNames(paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !path.includes('node_modules'))),
    )
  })
})

test('tests that share a process leave modules and hooks alone', () => {
  expectNone(checkIsolation(files, readFileSync(join(root, 'vitest.config.ts'), 'utf8')))
})

describe('package', () => {
  const entries = Object.entries(packageFile.exports).filter(([subpath]) => subpath !== './package.json')

  test.each(entries)('%s offers source, types and built file, in this order', (_subpath, target) => {
    const source = typeof target === 'string' ? '' : (target['mandate-source'] ?? '')
    const built = source.replace('./src/', './dist/').replace(/\.ts$/, '')
    expect(Object.entries(target)).toEqual([
      ['mandate-source', source],
      ['types', `${built}.d.ts`],
      ['default', `${built}.js`],
    ])
    expect(existsSync(join(root, source)), `${source} exists`).toBe(true)
  })
})

describe('public API', () => {
  beforeAll(() => void declarationsFolder(), 60_000)

  test('every snapshot belongs to a subpath', () => {
    const expected = [...subpaths.keys()].map(snapshotPath).toSorted()
    const found = globSync('test/api/*.txt', { cwd: root }).map((path) => join(root, path))
    expect(found.toSorted(), 'accept with `npm run api:update`').toEqual(expected)
  })

  test.each([...subpaths])('%s is what was agreed', (subpath, source) => {
    const path = snapshotPath(subpath)
    const agreed = existsSync(path) ? readFileSync(path, 'utf8') : ''
    expect(describeApi(source, read), 'if this change is meant, accept it with `npm run api:update`').toBe(agreed)
  })

  /** Doors lead to the same files: each is read once. */
  const known = new Map<string, ReturnType<typeof readDeclaration>>()
  const read = (path: string): ReturnType<typeof readDeclaration> => {
    const file = known.get(path) ?? readDeclaration(path)
    known.set(path, file)
    return file
  }

  const publicFiles = new Map(
    [...subpaths].map(([subpath, source]) => [subpath, sources.find((file) => file.path === source)!]),
  )

  test(`has at most ${MOST_PUBLIC_NAMES} names`, () => {
    const names = [...publicFiles].flatMap(([subpath, door]) => publicNames(door).map((name) => `${subpath} ${name}`))
    process.stdout.write(`${names.length} public names over ${subpaths.size} subpaths\n`)
    expect(names.length).toBeLessThanOrEqual(MOST_PUBLIC_NAMES)
    expect(names.length, 'the doors were read').toBeGreaterThan(100)
  })

  test('has only names that a document or an example mentions', () => {
    expectNone(checkMentions(publicFiles, wordsForUsers()))
  })

  test('leads nowhere to the inner state of a run, and only the kit to a kernel', () => {
    for (const name of [...INNER, ...BEHIND_SERVICE])
      expect(
        sources.some((file) => file.text.includes(`class ${name}`)),
        name,
      ).toBe(true)
    expectNone(
      [...subpaths].flatMap(([subpath, source]) => {
        const closed = subpath === './kit' ? INNER : [...INNER, ...BEHIND_SERVICE]
        return reachableFrom(source, read).flatMap(({ name, way }) =>
          closed.includes(name) ? [`${subpath}: ${way}`] : [],
        )
      }),
    )
  })
})
