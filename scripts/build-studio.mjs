// Builds the page of the studio into dist/studio or the given folder, which takes a few seconds, unless the existing page is newer than its sources.
// Used by clones and tests; the published package contains the built page.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = process.argv[2] ?? join(root, 'dist/studio')
const page = join(folder, 'index.html')
const sources = [
  'studio/**/*.{ts,tsx,css,html,svg}',
  'src/journal/*.ts',
  'src/server/studio/light-entry.ts',
  'src/core/text/*.ts',
  'src/connect/files/diff.ts',
].flatMap((pattern) => globSync(pattern, { cwd: root }))
const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs))

const lock = `${folder}.lock`
const LOCK_MS = 120_000

/** Runs one build at a time: several tests may start a build concurrently, and each build empties the folder first. */
function locked(work) {
  mkdirSync(dirname(folder), { recursive: true })
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      // A killed build leaves its lock behind, so an old lock is removed.
      if (Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs > LOCK_MS)
        rmSync(lock, { recursive: true, force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  try {
    work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

locked(() => {
  if (existsSync(page) && statSync(page).mtimeMs >= newest) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const built = spawnSync(process.execPath, [vite, 'build', 'studio', '--outDir', folder, '--logLevel', 'error'], {
    cwd: root,
    encoding: 'utf8',
    // Tests set another NODE_ENV; the page is built as in production.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  // Only a message, because everything but the studio works without the page.
  if (built.status !== 0) console.error(`setup: the page of the studio could not be built: ${built.stderr.trim()}`)
})
