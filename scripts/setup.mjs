// Makes `npm start` and `npm test` work on a fresh clone: installs the dependencies when they are missing or differ
// from package-lock.json, and checks that the Node 24 they bring can run. Plain JavaScript without dependencies,
// because it runs before anything is installed, on the Node of the machine (22.18 or later).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The oldest Node that can stand in for the one in node_modules (`engines` in package.json). */
const oldestNode = [22, 18]

/** Returns why node_modules cannot be used, or undefined if it matches the lock file. */
export function findMismatch(folder) {
  const installedFile = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installedFile)) return 'node_modules is missing'
  const wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages ?? {}
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages ?? {}
  for (const [path, entry] of Object.entries(wanted)) {
    // The root, and packages that npm may leave out (those of other platforms), are no evidence about the installation.
    if (path === '' || entry.optional || entry.devOptional || entry.peer) continue
    const name = path.replace(/^.*node_modules\//, '')
    if (installed[path] === undefined || !existsSync(join(folder, path))) return `${name} is not installed`
    if (installed[path].version !== entry.version) return `${name} is ${installed[path].version}, not ${entry.version}`
  }
  return undefined
}

/** Returns the problem with the Node that npm scripts will use, or undefined if it runs. */
export function findNodeFault(folder, currentVersion = process.versions.node) {
  const node = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  const ran = spawnSync(node, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
  if (ran.status === 0 && /^v\d+\./.test(ran.stdout)) return undefined
  // Without a link in .bin, scripts fall through to the Node of the machine, which is fine when it is new enough.
  if (ran.error?.code === 'ENOENT' && isRecent(currentVersion)) return undefined
  return (
    `node_modules/.bin/node does not run (${ran.error?.message ?? (ran.stderr.trim() || 'no version printed')}).\n` +
    'Fix: `npm rebuild node --ignore-scripts=false`. If this platform has no prebuilt Node 24, put Node ' +
    `${oldestNode.join('.')} or later on your PATH and delete node_modules/.bin/node.`
  )
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}

/** Runs npm silently and returns its error output, or undefined if it succeeded. */
function runNpm(args) {
  // Under npm the same npm is used; its command-line file is started with this Node, so no shell is needed.
  const npmFile = process.env.npm_execpath
  const isNpm = npmFile !== undefined && /npm-cli\.c?js$/.test(npmFile)
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] }
  const flags = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const ran = isNpm
    ? spawnSync(process.execPath, [npmFile, ...args, ...flags], options)
    : spawnSync('npm', [...args, ...flags], { ...options, shell: process.platform === 'win32' })
  return ran.status === 0 ? undefined : `${ran.error?.message ?? ran.stderr}`
}

function install(reason) {
  console.log(`setup: ${reason}, installing dependencies (once, about a minute)`)
  if (runNpm(['ci']) === undefined) return
  // `npm ci` rejects a lock file without the packages of other platforms, which is the result if it was written with a registry that has only some of them.
  // `npm install` keeps the locked versions and hashes and adds the packages of this platform.
  const complaint = runNpm(['install', '--no-save'])
  if (complaint === undefined) return
  fail(`npm could not install the dependencies:\n${complaint}\nFix: check the network, then run \`npm install\`.`)
}

function fail(message) {
  console.error(`setup: ${message}`)
  process.exit(1)
}

function main() {
  const reason = findMismatch(root)
  if (reason !== undefined) install(reason)
  // A user's `ignore-scripts` setting leaves the node package without its binary; it is repaired once before giving up.
  if (findNodeFault(root) !== undefined) runNpm(['rebuild', 'node', '--ignore-scripts=false'])
  const fault = findNodeFault(root)
  if (fault !== undefined) fail(fault)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
