import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'
import { installCost } from '../../scripts/install-cost.ts'
import { packageFaults } from '../../scripts/package-faults.ts'
import { pack } from '../../scripts/pack.ts'
import { root } from '../tidy/sources.ts'

/** A project that has the package as it is published. */
const userFolder = join(root, '.cache/package-published')
const folder = join(userFolder, 'node_modules/mandate')
let paths: readonly string[]
let size: number

beforeAll(async () => {
  await buildPackage(userFolder, { whole: true })
  const [packed] = pack([folder])
  paths = packed!.files.map(({ path }) => path)
  size = packed!.size
}, 120_000)

function temporaryFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mandate-published-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

test('every path of the manifest is in the package, and none leads to sources', () => {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { exports, bin } = JSON.parse(text) as { exports: object; bin: object }
  const named = JSON.stringify([exports, bin])
    .match(/"\.\/[^"]+\.\w+"/g)!
    .map((path) => path.slice(3, -1))
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !paths.includes(path))).toEqual([])
  expect(text).not.toContain('mandate-source')
})

test('it brings what runs, its page, its bill of materials and its documents, and no sources, source maps or pictures', () => {
  for (const path of ['dist/cli/main.js', 'dist/studio/index.html', 'dist/sbom.cdx.json', 'CHANGELOG.md', 'LICENSE'])
    expect(paths).toContain(path)
  expect(
    paths.filter((path) => /^src\/|\.map$|\.(?:png|webp)$|\.test\.ts$/.test(path) && !path.startsWith('templates/')),
  ).toEqual([])
  const links = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+\.md)/g)].map(
    ([, link]) => link!,
  )
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((link) => !paths.includes(link))).toEqual([])
})

test('it is smaller than ai, packed and installed, alone and with all that comes along', () => {
  const [ours, theirs] = ['mandate', 'ai'].map((name) => installCost(userFolder, [name]))
  const packed = (folders: readonly string[]): number => pack(folders).reduce((sum, one) => sum + one.size, 0)
  const figures = [
    ['packages', ours!.packages.length, theirs!.packages.length],
    ['bytes', ours!.bytes, theirs!.bytes],
    ['bytes packed', packed(ours!.folders), packed(theirs!.folders)],
    ['bytes packed, alone', size, packed([join(root, 'node_modules/ai')])],
  ] as const
  process.stdout.write(`${figures.map(([what, own, other]) => `${what}: ${own}, ai: ${other}`).join('\n')}\n`)
  expect(figures.filter(([, own, other]) => own >= other)).toEqual([])
})

test('a package whose manifest names a file that is not there is refused before it is published', async () => {
  const made = temporaryFolder()
  mkdirSync(join(made, 'wrong'))
  const exports = { '.': { types: './index.d.ts', default: './index.js' } }
  const manifest = { name: 'wrong', version: '1.0.0', type: 'module', files: ['index.d.ts'], exports }
  writeFileSync(join(made, 'wrong/package.json'), JSON.stringify(manifest))
  writeFileSync(join(made, 'wrong/index.d.ts'), 'export declare const a: number\n')
  const [packed] = pack([join(made, 'wrong')], made)
  expect((await packageFaults(join(made, packed!.filename))).join('\n')).toContain('index.js')
})

test('the root is not packed by mistake', () => {
  const { status, stderr } = spawnSync(
    'npm',
    ['pack', '--ignore-scripts=false', '--pack-destination', temporaryFolder()],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  expect(status).not.toBe(0)
  expect(stderr).toContain('npm run package')
})
