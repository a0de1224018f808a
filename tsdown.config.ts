import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { UserConfig } from 'tsdown'

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

/** One chunk per room: a process reads a dozen files, not hundreds, and every room is whole once any of it is loaded. */
const rooms = [
  'core',
  'regexp',
  'redact',
  'expr',
  'journal',
  'tool',
  'model',
  'memory',
  'gate',
  'run',
  'agent',
  'vm',
  'evals',
  'store/postgres',
]

/** Optional capabilities, loaded as a whole at their first use. */
const apart = /^(?:model\/ai-sdk|agent\/ai-sdk|memory\/prompts)\//

/** The little that other doors take from a room that they do not need whole: programs and graphs run on a kernel, and do not bring one. */
const shared = /^(?:run\/(?:kernel\/kernel-owner|mind\/mind)|gate\/(?:content\/intents|rules\/targets)|model\/message)$/

/** A module by its path in the sources, without the ending. Sources alone: declarations go through the same bundler. */
function moduleOf(id: string): string {
  return /\/src\/([^.]+)\.ts$/.exec(id.replaceAll('\\', '/'))?.[1] ?? ''
}

function isIn(room: string): (id: string) => boolean {
  return (id) => {
    const file = moduleOf(id)
    return file.startsWith(`${room}/`) && !apart.test(file) && !shared.test(file)
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
  clean: true,
  exports: false,
  // An agent loads code mode by the name of the package: bundled, it would be a second copy of every room below it.
  deps: { neverBundle: [/^mandate(?:\/|$)/] },
  // What follows needs it; a test holds that no door says more than its source.
  inputOptions: { preserveEntrySignatures: 'allow-extension' },
  outputOptions: {
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Said in the declarations; here they would only be read by the parser.
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      // A door names everything in its room; following it would put all of that wherever one name is used.
      includeDependenciesRecursively: false,
      groups: [
        { name: 'shared', test: (id) => shared.test(moduleOf(id)) },
        ...rooms.map((name) => ({ name, test: isIn(name) })),
      ],
    },
  },
}

export default config
