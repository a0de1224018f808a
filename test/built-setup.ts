import type { TestProject } from 'vitest/node'
import { builtPackage } from './built-package.ts'

/** Builds the package before `npm test` and its like, and tells the processes of the tests where it is. A run of some files by `npx vitest`
 *  starts sooner without; while the sources are watched, they change under a build. */
export async function setup({ vitest }: TestProject): Promise<void> {
  const isWhole = process.env['npm_lifecycle_event']?.startsWith('test') === true
  if (isWhole && !vitest.config.watch) process.env['MANDATE_BUILT'] = (await builtPackage()).dist
}
