import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './sources.ts'

const shapeRules = /\((max-lines-per-function|max-params|max-depth|no-cycle|no-eval|no-new-func)\)/

/** What the linter says about the shape of functions in `src`; its other rules are the business of `npm run check`.
 *  The rules are those of the `.oxlintrc.json` in the given folder. */
export function checkShapes(folder: string): string[] {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const own = mkdtempSync(join(tmpdir(), 'mandate-lint-'))
  try {
    const config = join(own, 'oxlintrc.json')
    writeFileSync(config, withoutTypes(readFileSync(join(folder, '.oxlintrc.json'), 'utf8')))
    const args = [oxlint, '--format', 'unix', '--disable-typescript-plugin', '--config', config, 'src']
    const ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    if (ran.status !== 0 && ran.status !== 1) throw new Error(`oxlint did not run: ${ran.stderr}${ran.stdout}`)
    return ran.stdout.split('\n').filter((line) => shapeRules.test(line))
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/** The same rules without those about types: none is about shapes, and finding the types takes most of the time. Paths in it are taken from
 *  its own folder, so they are made to hold anywhere. */
function withoutTypes(config: string): string {
  return config.replace('"typeAware": true', '"typeAware": false').replaceAll(/"files": \["(?!\*)/g, '$&**/')
}
