import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagePackage } from '../../scripts/build-package.ts'
import { pack } from '../../scripts/pack.ts'

const root = join(import.meta.dirname, '../..')

/** A project outside of the repository that has installed the package from its tarball: nothing of the repository can stand in for what is missing. */
export interface Project {
  readonly folder: string
  readonly tarball: string
  /** The subpaths that the package offers, as users import them. */
  readonly doors: readonly string[]
  /** Writes a file into the project. */
  write(name: string, text: string): string
  /** Puts a file of the tests into it, without its types. */
  add(path: string, name: string): string
  remove(): void
}

/** Builds and packs the package, and installs it as a user does. Declarations take most of the time. */
export async function makeProject(options: { readonly dts: boolean }): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-runtimes-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const built = join(root, '.cache/runtimes-build')
    await stagePackage(built, options)
    const tarball = join(folder, pack([built], folder)[0]!.filename)
    const user = join(folder, 'user')
    mkdirSync(user)
    writeFileSync(join(user, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
    npm(['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], user)
    const write = (name: string, text: string): string => {
      const path = join(user, name)
      writeFileSync(path, text)
      return path
    }
    const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as { exports: object }
    const doors = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))
    return {
      folder: user,
      tarball,
      doors: doors.map((door) => door.replace('.', 'mandate')),
      write,
      add: (path, name) =>
        write(
          name,
          stripTypeScriptTypes(readFileSync(join(root, path), 'utf8')).replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"),
        ),
      remove,
    }
  } catch (error) {
    remove()
    throw error
  }
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
}
