import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsdown'
import config from '../tsdown.config.ts'

const root = join(import.meta.dirname, '..')

/**
 * Creates a project in `folder` with this package, built from the current sources, as a dependency, so that files in it can import the package by name. The
 * folder is inside this repository, so that the package finds its own dependencies. Declarations take most of the time; `dts: false` skips them.
 */
export async function buildPackage(folder: string, options: { readonly dts?: boolean } = {}): Promise<void> {
  const target = join(folder, 'node_modules', 'mandate')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  cpSync(join(root, 'package.json'), join(target, 'package.json'))
  cpSync(join(root, 'templates'), join(target, 'templates'), { recursive: true })
  const outDir = join(target, 'dist')
  const dts = options.dts ?? true
  await build({ ...config, config: false, cwd: root, outDir, dts, logLevel: 'error', publint: false, attw: false })
}
