import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './sources.ts'

const shapeRules = /\((max-lines-per-function|max-params|max-depth|no-cycle|no-eval|no-new-func)\)/

/** What the linter says about the shape of functions in `src`; its other rules are the business of `npm run check`.
 *  The rules are those of the `.oxlintrc.json` in the given folder. */
export function checkShapes(folder: string): string[] {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  // Without the rules about types: none is about shapes, and finding the types takes most of the time.
  const args = [oxlint, '--format', 'unix', '--disable-typescript-plugin', 'src']
  const ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (ran.status !== 0 && ran.status !== 1) throw new Error(`oxlint did not run: ${ran.stderr}${ran.stdout}`)
  return ran.stdout.split('\n').filter((line) => shapeRules.test(line))
}
