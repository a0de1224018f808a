// Runs the SQLite store on the oldest and the newest Node of every line that `engines` allows, or on the versions given: node scripts/oldest-node.mjs 22.18.0 24
// Each is installed from npm into a folder of its own under node_modules/.cache: as a dependency it would take the place of node_modules/.bin/node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The lowest version that package.json promises. */
export function oldestNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, major, minor = '0'] = /^>=(\d+)(?:\.(\d+))?/.exec(engines.node)
  return `${major}.${minor}.0`
}

/** The lowest version of every line that package.json promises, the newest of that line, and the newest of all. */
export function promisedNodes() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const lines = [...engines.node.matchAll(/>=(\d+)(?:\.(\d+))?/g)]
  return [...lines.flatMap(([, major, minor = '0']) => [`${major}.${minor}.0`, major]), 'latest']
}

/** Where the binary of a version is, once it was installed. */
export function nodeFile(version) {
  return join(root, 'node_modules', '.cache', `node-${version}`, 'node_modules', 'node', 'bin', 'node')
}

function install(version) {
  const prefix = join(root, 'node_modules', '.cache', `node-${version}`)
  mkdirSync(prefix, { recursive: true })
  const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error', '--ignore-scripts=false']
  const ran = spawnSync('npm', ['install', '--prefix', prefix, ...flags, `node@${version}`], {
    cwd: prefix,
    stdio: 'inherit',
  })
  return ran.status === 0 && existsSync(nodeFile(version))
}

/** True when every statement of the store works there. */
export function smoke(version) {
  const args = [
    '--conditions=mandate-source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'test/stores/sqlite-smoke.ts'),
  ]
  return spawnSync(nodeFile(version), args, { cwd: root, encoding: 'utf8' })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2)
  for (const version of given.length > 0 ? given : promisedNodes()) {
    if (!existsSync(nodeFile(version)) && !install(version)) throw new Error(`Node ${version} could not be installed.`)
    const { status, stdout, stderr } = smoke(version)
    console.log(`Node ${version}: ${status === 0 ? stdout.trim() : `FAILED\n${stderr}`}`)
    if (status !== 0) process.exitCode = 1
  }
}
