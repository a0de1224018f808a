import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/runtimes')

/** What is installed by name when it is needed, each in a folder of its own: as dependencies they would be hundreds of megabytes for everyone. */
export const VERSIONS = {
  node22: 'node@22.18.0',
  node24: 'node@24.21.0',
  node26: 'node@26.9.0',
  bun: 'bun@1.4.4',
  deno: 'deno@2.9.6',
  esbuild: 'esbuild@0.28.2',
  next: 'next@16.4.6',
  miniflare: 'miniflare@4.20260730.0',
  typescript5: 'typescript@5.9.3',
  typescript7: 'typescript@7.0.2',
} as const

export type Runtime = keyof typeof VERSIONS

/** The folder of a package, which is installed first where it is missing; nothing where it cannot be installed. */
export function installed(runtime: Runtime): string | undefined {
  const spec = VERSIONS[runtime]
  const name = spec.slice(0, spec.lastIndexOf('@'))
  const prefix = join(CACHE, spec.replace('@', '-'))
  const folder = join(prefix, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  mkdirSync(prefix, { recursive: true })
  const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error', '--ignore-scripts=false']
  const { status } = spawnSync('npm', ['install', '--prefix', prefix, ...flags, spec], {
    cwd: prefix,
    stdio: 'inherit',
  })
  return status === 0 && existsSync(join(folder, 'package.json')) ? folder : undefined
}

/** The program of a runtime. */
export function programOf(runtime: Exclude<Runtime, 'miniflare'>): string | undefined {
  const folder = installed(runtime)
  if (folder === undefined) return undefined
  if (runtime.startsWith('node')) return join(folder, 'bin/node')
  return join(folder, '../.bin', runtime.startsWith('typescript') ? 'tsc' : runtime)
}
