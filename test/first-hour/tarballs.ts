import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagePackage } from '../../scripts/build-package.ts'
import { pack } from '../../scripts/pack.ts'
import { root } from '../tidy/sources.ts'

/** Packs this package and `create-mandate` as they are published, and unpacks both into the `node_modules` of an empty folder outside of the repository. */
export async function installTarballs(): Promise<{ readonly folder: string; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-first-hour-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const staged = join(folder, 'staged')
    await stagePackage(staged)
    for (const { name, filename } of pack([staged, join(root, 'packages/create-mandate')], folder)) {
      const target = join(folder, 'node_modules', name)
      mkdirSync(target, { recursive: true })
      execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', target])
    }
    rmSync(staged, { recursive: true })
    linkOthers(folder)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The other packages, as they are installed in this repository: what templates name, without a network. */
function linkOthers(folder: string): void {
  const from = join(root, 'node_modules')
  const link = (name: string): void => {
    const target = join(folder, 'node_modules', name)
    if (!existsSync(target)) symlinkSync(join(from, name), target)
  }
  for (const name of readdirSync(from)) {
    if (name === 'mandate' || name.startsWith('.')) continue
    if (!name.startsWith('@')) link(name)
    else {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true })
      for (const inner of readdirSync(join(from, name))) link(join(name, inner))
    }
  }
}
