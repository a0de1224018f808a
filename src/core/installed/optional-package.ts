import { MandateError, messageOf } from '../errors.ts'
import { importInstalled } from './packages.ts'
import { checkFields } from '../options.ts'

/** What is loaded of optional packages. */
const OPTIONAL = {
  '@dbos-inc/dbos-sdk': true,
  '@dbos-inc/dbos-sdk/internal/system_database': true,
  '@dbos-inc/dbos-sdk/internal/wfqueue': true,
  '@modelcontextprotocol/client': true,
  '@modelcontextprotocol/server': true,
  '@modelcontextprotocol/server/stdio': true,
  '@redis/client': true,
  '@restatedev/restate-sdk': true,
  ai: true,
  handlebars: true,
  liquidjs: true,
  pg: true,
  undici: true,
} as const

type OptionalPackage = keyof typeof OPTIONAL

const provided = new Map<string, () => Promise<unknown>>()

/**
 * Brings optional packages along in a bundle that runs where they are not installed, such as a Worker or a single file. Elsewhere installed packages are
 * found without it.
 *
 * @example
 * ```ts
 * import { providePackages } from 'mandate'
 * providePackages({ ai: () => import('ai') })
 * ```
 */
export function providePackages(packages: { readonly [name in OptionalPackage]?: () => Promise<unknown> }): void {
  checkFields(packages, 'an optional package', OPTIONAL)
  for (const [name, load] of Object.entries(packages)) provided.set(name, load)
}

/**
 * Loads an optional package. If it is not installed, throws an error with the install command; any other error is thrown unchanged. Optional packages
 * are loaded by this function alone, so that bundlers do not see them: a bundler would fail on one that is not installed, and include one that is.
 */
export async function loadPackage<Module>(specifier: OptionalPackage, what: string): Promise<Module> {
  try {
    const load = provided.get(specifier) ?? (() => importInstalled(specifier))
    return (await load()) as Module
  } catch (cause) {
    throw missingPackage(cause, specifier, what)
  }
}

function missingPackage(cause: unknown, specifier: string, what: string): unknown {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (!isMissing(cause, name)) return cause
  return new MandateError(
    'CONFIG_INVALID',
    `${what} needs the package \`${name}\`, which is not installed. Install it: \`npm install ${name}\`.`,
    { cause },
  )
}

/** Whether this package itself is missing, and not one that it imports. */
function isMissing(cause: unknown, name: string): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  const message = messageOf(cause)
  const isAbsent =
    code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || message.startsWith('No such module')
  return isAbsent && message.includes(name)
}
