// Builds the page of the studio into dist/studio, or the folder that is given, in a few seconds, unless what is there is newer than its sources.
// For clones and tests: the package brings it along.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
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

if (!existsSync(page) || statSync(page).mtimeMs < newest) {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const built = spawnSync(process.execPath, [vite, 'build', 'studio', '--outDir', folder, '--logLevel', 'error'], {
    cwd: root,
    encoding: 'utf8',
    // Tests say otherwise of themselves; the page is built as it is shipped.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  // Everything but the studio works without the page.
  if (built.status !== 0) console.error(`setup: the page of the studio could not be built: ${built.stderr.trim()}`)
}
