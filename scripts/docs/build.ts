// `npm run docs`: builds the site in `site/dist` from the pages in `docs/`. It installs its packages if they are missing; later builds need no network.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findMismatch } from '../setup.mjs'
import { rawPath, renderLlmsFull, renderLlmsList } from './llms.ts'
import { readPages, renderHome, renderPage } from './pages.ts'
import { topicPages } from './reference-topics.ts'
import { subpathPages } from './reference.ts'
import { sidebarOf } from './sidebar.ts'

const root = join(import.meta.dirname, '../..')
const site = join(root, 'site')
const content = join(site, 'src/content/docs')

/** Returns the environment without the variables of a test runner (`DEV`, `MODE`, …), with which Astro would build a site without a search. */
function environment(): NodeJS.ProcessEnv {
  const { DEV: _dev, PROD: _prod, MODE: _mode, SSR: _ssr, BASE_URL: _base, ...env } = process.env
  return { ...env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' }
}

const env = environment()

function run(command: string, args: readonly string[], stdio: 'inherit' | 'ignore' = 'inherit'): boolean {
  return spawnSync(command, args, { cwd: site, stdio, env }).status === 0
}

/** Installs the locked versions. If the lock file lacks packages of this platform, `npm install` adds them. */
function install(): boolean {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  return run('npm', ['ci', ...flags], 'ignore') || run('npm', ['install', '--no-save', ...flags])
}

function fail(message: string): never {
  console.error(`docs: ${message}`)
  process.exit(1)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const mismatch = findMismatch(site)
if (mismatch !== undefined) {
  console.log(`docs: ${mismatch}, installing the packages of the site (once, about a minute)`)
  if (!install())
    fail('npm could not install the packages of the site. Check the network, then run `npm run docs` again.')
}

const generated = [...topicPages(), ...subpathPages()]
const generatedPaths = new Set(generated.map(({ path }) => path))
const pages = [...readPages(root), ...generated]
const sidebar = sidebarOf(pages)
rmSync(content, { recursive: true, force: true })
for (const page of pages) write(join(content, `${page.slug}.md`), renderPage(page, root, generatedPaths))
write(join(content, 'index.md'), renderHome(root))
write(join(site, 'src/sidebar.json'), JSON.stringify(sidebar))
rmSync(join(site, 'public/images'), { recursive: true, force: true })
cpSync(join(root, 'docs/images'), join(site, 'public/images'), { recursive: true })
cpSync(join(root, 'studio/public/icon.svg'), join(site, 'public/favicon.svg'))

if (!run(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build', '--silent']))
  fail('Astro could not build the site.')

const dist = join(site, 'dist')
write(join(dist, 'llms.txt'), renderLlmsList(sidebar, pages))
write(join(dist, 'llms-full.txt'), renderLlmsFull(pages))
for (const page of pages) write(join(dist, rawPath(page)), `# ${page.title}\n\n${page.body}\n`)

const bytes = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .map((name) => statSync(join(dist, name)))
  .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
console.log(
  `docs: ${pages.length + 1} pages in site/dist (${(bytes / 1e6).toFixed(1)} MB). Look at them: npx astro preview --root site`,
)
