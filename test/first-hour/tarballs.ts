import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../tidy/sources.ts'

const npm = join(dirname(process.execPath), 'npm')

/** Packs this package and `create-mandate` as they would be published, and unpacks both into the `node_modules` of an empty folder outside of the repository. */
export function installTarballs(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-first-hour-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    for (const source of [root, join(root, 'packages/create-mandate')]) {
      const packed = pack(source, folder)
      const target = join(folder, 'node_modules', packed.name)
      mkdirSync(target, { recursive: true })
      execFileSync('tar', ['-xzf', join(folder, packed.file), '--strip-components=1', '-C', target])
    }
    linkOthers(folder)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function pack(source: string, folder: string): { name: string; file: string } {
  const args = ['pack', '--json', '--pack-destination', folder, ...(source === root ? [] : ['--ignore-scripts'])]
  const program = existsSync(npm) ? npm : 'npm'
  const said = execFileSync(program, args, { cwd: source, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [packed] = JSON.parse(said.slice(said.indexOf('[\n'))) as [{ name: string; filename: string }]
  return { name: packed.name, file: packed.filename }
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
