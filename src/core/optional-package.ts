import { MandateError, messageOf } from './errors.ts'

/**
 * The error for an optional package that could not be loaded: if it is not installed, an error with the install command; any other error is returned
 * unchanged. For the `catch` around a plain `await import(…)`, from which bundlers infer that the package may be missing.
 */
export function missingPackage(cause: unknown, name: string, what: string): unknown {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  const isMissing = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && messageOf(cause).includes(name)
  if (!isMissing) return cause
  return new MandateError(
    'CONFIG_INVALID',
    `${what} needs the package \`${name}\`, which is not installed. Install it: \`npm install ${name}\`.`,
    { cause },
  )
}
