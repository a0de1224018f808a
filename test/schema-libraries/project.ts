import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))

/**
 * Runs one of the programs in `projects` as a project of its own, which has the given packages installed under the names on the left, and gives
 * what the program printed. It is how users meet a library: the version that they installed, under its own name.
 */
export async function runProject(program: string, packages: Readonly<Record<string, string>>): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-schema-'))
  try {
    for (const [name, installed] of Object.entries({ ...packages, mandate: '' })) {
      const place = join(folder, 'node_modules', name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(name === 'mandate' ? root : join(root, 'node_modules', installed), place, 'junction')
    }
    for (const file of ['probe.mjs', program]) await copyFile(join(here, 'projects', file), join(folder, file))
    const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
    const { stdout } = await run(process.execPath, [...flags, program], { cwd: folder, timeout: 60_000 })
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
