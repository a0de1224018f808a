import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, removeOld } from '../built-package.ts'
import { root } from './sources.ts'

const KEPT = join(root, '.cache/declarations')
const folders = new Map<boolean, string>()

/** Where the declaration files of `src` are: written once for each state of the sources, for all tests that read them. With their comments
 *  they are what the reference is made from. */
export function declarationsFolder(hasComments = false): string {
  const folder = folders.get(hasComments) ?? join(KEPT, `${hashOfSources()}${hasComments ? '-comments' : ''}`)
  folders.set(hasComments, folder)
  if (!existsSync(folder)) write(folder, hasComments)
  return folder
}

function write(target: string, hasComments: boolean): void {
  removeOld(KEPT)
  // Another worker may write at the same time: whoever is done first gives the folder its name.
  const making = `${target}-${process.pid}`
  mkdirSync(making, { recursive: true })
  const config = {
    extends: join(root, 'tsconfig.json'),
    // Not checked, which takes most of the time: with `isolatedDeclarations` a declaration follows from its own file, and errors are the business of the type check.
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      emitDeclarationOnly: true,
      removeComments: !hasComments,
      // For the same reason nothing that the sources import from packages is read.
      noResolve: true,
      types: [],
      lib: ['ES2024', 'ESNext.Disposable'],
      rootDir: root,
      outDir: '.',
    },
    include: [join(root, 'src/**/*.ts')],
    exclude: [join(root, 'src/**/*.test.ts')],
  }
  writeFileSync(join(making, 'tsconfig.json'), JSON.stringify(config))
  const ran = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', making], {
    encoding: 'utf8',
  })
  if (ran.error !== undefined || ran.signal !== null || !existsSync(join(making, 'src')))
    throw new Error(`tsc did not run: ${ran.error?.message ?? ''}${ran.stderr}${ran.stdout}`)
  try {
    renameSync(making, target)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}
