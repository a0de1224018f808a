import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { UserConfig } from 'tsdown'
import { laterDoors, loadedWith } from './scripts/loaded-files.ts'

const { exports: doors } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string | Record<string, string>>
}

/** What is entered by name (subpaths, the command) and what is started by path (threads, which name themselves by `import.meta.url`): each is a file of its own. */
function entries(): Record<string, string> {
  const subpaths = Object.values(doors).flatMap((door) => (typeof door === 'string' ? [] : [door['mandate-source']!]))
  const started = globSync('src/**/*worker.ts', { cwd: import.meta.dirname })
  const files = [...subpaths, 'src/cli/main.ts', ...started].map((file) => posix.normalize(file))
  return Object.fromEntries(files.map((file) => [file.replace(/^src\/(.*)\.ts$/, '$1'), file]))
}

const atStart = loadedWith(['agent/index.ts'])
const later = loadedWith(laterDoors())

/** Of a room only what `import 'mandate'` needs, or only what its own code loads by first use. */
type Part = 'at start' | 'later' | 'all'

/** One chunk per room, lowest first: what needs the lower rooms alone does not load the higher ones, and a process reads a dozen files, not hundreds. */
const rooms: readonly (readonly [name: string, files: RegExp, part: Part])[] = [
  // What is loaded by its first use keeps a chunk of its own.
  ['secret-formats', /^core\/(?:secret-formats\/|redaction-(?!clean|late|suspects))/, 'all'],
  ...(['core', 'journal', 'tool', 'model', 'gate', 'run', 'agent'] as const).flatMap((room) => [
    [room, new RegExp(`^${room}/`), 'at start'] as const,
    [`${room}-later`, new RegExp(`^${room}/`), 'later'] as const,
  ]),
  ['expr', /^expr\//, 'all'],
  ['json-schema', /^tool\/json-schema/, 'all'],
  ['ai-sdk-models', /^model\/ai-sdk\//, 'all'],
  ['memory', /^memory\/(?!prompts\/(mustache|handlebars|liquid))/, 'all'],
]

/** Sources alone: declarations go through the same bundler. */
function isIn(files: RegExp, part: Part): (id: string) => boolean {
  return (id) => {
    const file = /\/src\/([^.]+)\.ts$/.exec(id.replaceAll('\\', '/'))?.[1] ?? ''
    if (!files.test(file)) return false
    if (part === 'all') return true
    return part === 'at start' ? atStart.has(file) : later.has(file) && !atStart.has(file)
  }
}

const config: UserConfig = {
  entry: entries(),
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  // `.js` rather than `.mjs`: the package is of type module, and the exports in package.json say so.
  fixedExtension: false,
  dts: true,
  sourcemap: true,
  clean: true,
  exports: false,
  // What follows needs it; a test holds that no door says more than its source.
  inputOptions: { preserveEntrySignatures: 'allow-extension' },
  outputOptions: {
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Maps lead to the sources, which the package carries; a second copy inside of them made it half as large again.
    sourcemapExcludeSources: true,
    // Said in the sources, which the package carries, and in the declarations; here they would only be read by the parser.
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      // A door names everything in its room; following it would put all of that wherever one name is used.
      includeDependenciesRecursively: false,
      groups: rooms.map(([name, files, part], index) => ({
        name,
        test: isIn(files, part),
        priority: rooms.length - index,
      })),
    },
  },
  publint: { strict: true },
  attw: { profile: 'esm-only', level: 'error' },
}

export default config
