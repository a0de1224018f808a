import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'peers')

function read(path: string): { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(path, 'utf8')) as object
}

function areThere(): boolean {
  const { dependencies = {} } = read(join(folder, 'package.json'))
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(folder, 'node_modules', name, 'package.json')
    return existsSync(file) && read(file).version === version
  })
}

/** Installs the packages that only comparisons need, and reports a failure visibly. Returns false if they are not available. */
export function installPeers(): boolean {
  if (areThere()) return true
  console.error('bench: installing the peers into bench/peers/node_modules (once, about a minute)')
  const flags = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.platform === 'win32' ? { shell: true } : {}
  // npm can look for versions that fit each other without end.
  spawnSync('npm', ['install', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
    ...npm,
  })
  if (areThere()) return true
  console.error('bench: SKIPPED the peers: npm could not install them. Run `npm install` in bench/peers.')
  return false
}
