import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
const BUILDS = join(ROOT, '.cache/built')
const DAY_MS = 86_400_000

/** Loaded first in a process: whoever imports `mandate` there, from whichever folder, gets the build beside this file. */
const HOOK = `import { registerHooks } from 'node:module'
const parentURL = new URL('user.js', import.meta.url).href
registerHooks({
  resolve: (name, context, next) => next(name, /^mandate(?:\\/|$)/.test(name) ? { ...context, parentURL } : context),
})
`

/** The package as built from the sources of now: what tests start in a process of its own begins in a third of the time that it takes
 *  from sources. */
export interface BuiltPackage {
  /** Flags of Node with which `mandate` means the build. */
  readonly flags: readonly string[]
  /** The file of the command. */
  readonly main: string
  /** The folder of the built files, as an address. */
  readonly dist: string
  /** The project that has the package among its dependencies. */
  readonly folder: string
}

/** Builds once for each state of the sources: the build is kept in `.cache/built` under their hash, for this run and later ones. */
export async function builtPackage(): Promise<BuiltPackage> {
  const folder = join(BUILDS, hashOfSources())
  if (!existsSync(folder)) await makeBuild(folder)
  const dist = join(folder, 'node_modules/mandate/dist')
  return {
    flags: ['--import', join(folder, 'hook.js')],
    main: join(dist, 'cli/main.js'),
    dist: pathToFileURL(dist).href,
    folder,
  }
}

/** What is made of the sources is kept under it. */
export function hashOfSources(): string {
  const hash = createHash('sha256')
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))
  const templates = globSync('templates/**/*', { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  for (const path of [
    ...sources.toSorted(),
    ...templates.toSorted(),
    'package.json',
    'package-lock.json',
    'tsdown.config.ts',
    'scripts/build-package.ts',
    'scripts/published-manifest.ts',
  ])
    hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex').slice(0, 16)
}

async function makeBuild(folder: string): Promise<void> {
  removeOld(BUILDS)
  // Another worker may build at the same time: whoever is done first gives the folder its name.
  const making = `${folder}-${process.pid}`
  const { buildPackage } = await import('../scripts/build-package.ts')
  await buildPackage(making, { dts: false })
  writeFileSync(join(making, 'hook.js'), HOOK)
  try {
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** Removes what was made more than a day ago in a folder of `.cache`. */
export function removeOld(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true })
  }
}
