import { lstat, readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MandateError, messageOf } from '../core/index.ts'
import { parseSkill } from '../tool/index.ts'
import type { Skill } from '../tool/index.ts'

const FILE = 'SKILL.md'
/** Longer instructions would fill the context they are meant to help with. */
const BYTES_MAX = 256 * 1024

/**
 * Loads the skills of a folder: every `SKILL.md` in it or in a folder directly below, by name. Descriptions are read now, instructions when an agent
 * loads the skill. Links are not followed: an untrusted folder must not expose files outside of it.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { skillsIn } from 'mandate/connect'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ model: scripted(['Hello.']), skills: await skillsIn('skills') })
 * ```
 */
export async function skillsIn(folder: string): Promise<readonly Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new MandateError('INPUT_INVALID', `The skills in ${folder} cannot be read: ${messageOf(cause)}`, { cause })
  })
  const folders = [folder, ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))]
  const found = await Promise.all(folders.map(readSkill))
  return found.filter((skill) => skill !== undefined).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function readSkill(folder: string): Promise<Skill | undefined> {
  const path = join(folder, FILE)
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  if (stats.size > BYTES_MAX)
    throw new MandateError('CONFIG_INVALID', `${path} has ${stats.size} bytes. Keep a skill below ${BYTES_MAX}.`)
  const { name, description } = await parse(path, folder)
  return { name, description, load: async () => (await parse(path, folder)).load() }
}

async function parse(path: string, folder: string): Promise<Skill> {
  try {
    return parseSkill(await readFile(path, 'utf8'), { name: basename(folder) })
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `${path}: ${messageOf(cause)}`, { cause })
  }
}
