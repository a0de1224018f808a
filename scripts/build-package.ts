import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsdown'
import config from '../tsdown.config.ts'
import { publishedManifest } from './published-manifest.ts'
import type { Manifest } from './published-manifest.ts'

const root = join(import.meta.dirname, '..')

/** Files of the repository that are published unchanged. */
const BESIDE = ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs']

export interface BuildOptions {
  /** `false` skips the declarations, which take most of the time. */
  readonly dts?: boolean
  /** `false` skips what programs do not need: the page of the studio, the bill of materials, documents. */
  readonly whole?: boolean
}

/** Builds the package as it is published into `folder`, from the current sources. */
export async function stagePackage(folder: string, { dts = true, whole = true }: BuildOptions = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const outDir = join(folder, 'dist')
  await build({ ...config, config: false, cwd: root, outDir, dts, logLevel: 'error' })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  if (dts) tolerateMissing(Object.keys(manifest.peerDependencies ?? {}), outDir)
  cpSync(join(root, 'templates'), join(folder, 'templates'), { recursive: true })
  if (whole) {
    const images = join(root, 'docs/images')
    for (const name of BESIDE)
      cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => path !== images })
    run('build-studio.mjs', join(outDir, 'studio'))
    if (!existsSync(join(outDir, 'studio/index.html'))) throw new Error('The page of the studio was not built.')
    run('sbom.ts', join(outDir, 'sbom.cdx.json'))
  }
  // Written last: npm publishes nothing from a folder without a manifest, so never a partial build.
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`)
}

/**
 * Lets declarations compile where an optional peer is not installed, also with `skipLibCheck: false`: its types are `any` there. TypeScript has no other
 * way to say that types may be missing.
 */
function tolerateMissing(peers: readonly string[], folder: string): void {
  const imported = new RegExp(`^(?:import|export) .*["'](?:${peers.join('|')})(?:/[^"']*)?["'];$`, 'gm')
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll(imported, '// @ts-ignore: an optional package\n$&'))
  }
}

/**
 * Creates a project in `folder` with this package, built by `stagePackage`, as a dependency, so that files in it can import the package by name. The folder
 * is inside this repository, so that the package finds its own dependencies.
 */
export async function buildPackage(folder: string, options: BuildOptions = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  await stagePackage(join(folder, 'node_modules', 'mandate'), { whole: false, ...options })
}

function run(script: string, target: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, script), target], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${script}: ${stderr}`)
  if (stderr !== '') console.error(stderr.trimEnd())
}
