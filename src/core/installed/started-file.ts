import { MandateError } from '../errors.ts'
import { hostModules, manifestOf } from './packages.ts'
import type { Host } from './packages.ts'
import { VERSION } from '../version.ts'

/**
 * The URL of a file of this package that a thread or a process is started with. `here` is the `import.meta.url` of that file: in a bundle it may be the
 * URL of the bundle, and starting that would run the user's program a second time. The file is then taken from the package as it is installed.
 */
export function startedFile(here: string | undefined, path: string): URL {
  const host = hostModules()
  const own = here !== undefined && new RegExp(`/${path}\\.[jt]s$`).test(here) ? new URL(here) : undefined
  if (own !== undefined && (host === undefined || host.files.existsSync(own))) return own
  for (const from of host === undefined ? [] : [here, manifestOf(host)]) {
    const manifest = from === undefined ? undefined : manifestFrom(host!, from)
    const file = manifest === undefined ? undefined : new URL(`dist/${path}.js`, manifest)
    if (file !== undefined && host!.files.existsSync(file)) return file
  }
  throw new MandateError(
    'CONFIG_INVALID',
    `This bundle needs a file of the package that is started by itself, \`dist/${path}.js\` of mandate ${VERSION}, and the package is not installed where it runs. Install it there: \`npm install mandate@${VERSION}\`, or leave \`mandate\` out of the bundle.`,
  )
}

/** The manifest of the installed package, if it is of this version. */
function manifestFrom({ modules, url }: Host, from: string): URL | undefined {
  try {
    const require = modules.createRequire(from)
    const { version } = require('mandate/package.json') as { readonly version?: unknown }
    return version === VERSION ? url.pathToFileURL(require.resolve('mandate/package.json')) : undefined
  } catch {
    return undefined
  }
}
