import { MandateError, messageOf } from './errors.ts'
import { importInstalled } from './installed-packages.ts'

/**
 * Loads an optional package. If it is not installed, throws an error with the install command; any other error is thrown unchanged. Optional packages
 * are loaded by this function alone, so that bundlers do not see them: a bundler would fail on one that is not installed, and include one that is.
 */
export async function loadPackage<Module>(specifier: string, what: string): Promise<Module> {
  try {
    return (await importInstalled(specifier)) as Module
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
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && messageOf(cause).includes(name)
}
