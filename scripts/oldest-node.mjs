// Runs the SQLite store on the oldest and the newest Node of every release line in `engines`, or on the given versions: node scripts/oldest-node.mjs 22.18.0 24
// Each version is installed from npm into its own folder under node_modules/.cache: as a dependency it would replace node_modules/.bin/node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Returns the lowest version in `engines` of package.json. */
export function oldestNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, major, minor = '0'] = /^>=(\d+)(?:\.(\d+))?/.exec(engines.node)
  return `${major}.${minor}.0`
}

/** Returns the lowest and the newest version of every release line in `engines`, and the latest version of all. */
export function promisedNodes() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const lines = [...engines.node.matchAll(/>=(\d+)(?:\.(\d+))?/g)]
  return [...lines.flatMap(([, major, minor = '0']) => [`${major}.${minor}.0`, major]), 'latest']
}

/** Returns the path of the installed binary of a version. */
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

/** Runs the smoke test of the SQLite store on a version and returns the result of the process. */
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
