import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MandateError, nearest } from '../core/index.ts'

/**
 * The templates folder, at the same relative path from the built files and the sources. The package contains it, and
 * `create-mandate` uses it through `mandate init`.
 */
const FOLDER = fileURLToPath(new URL('../../templates', import.meta.url))
/** The folder of the files that all templates share. */
const COMMON = '_common'

interface Template {
  readonly name: string
  readonly about: string
}

/** Lists the templates that `mandate init` offers. */
export function listTemplates(): readonly Template[] {
  const names = readdirSync(FOLDER).filter((name) => name !== COMMON)
  return names.map((name) => ({
    name,
    about: readJsonFile(join(FOLDER, name, 'package.json'))['description'] as string,
  }))
}

/** Checks the name of a template; the error for an unknown one suggests the nearest. */
export function checkTemplate(name: string): string {
  const names = listTemplates().map((template) => template.name)
  if (names.includes(name)) return name
  const meant = nearest(name, names)
  const hint = meant === undefined ? '' : `Did you mean "${meant}"? `
  throw new MandateError('INPUT_INVALID', `There is no template "${name}". ${hint}Templates: ${names.join(', ')}.`)
}

/** Returns the command to try a new project of this template. A template of a server has a `try` script for that, because the server waits for clients. */
export function firstScript(template: string): string {
  const { scripts } = readJsonFile(join(FOLDER, template, 'package.json')) as { scripts: { try?: string } }
  return scripts.try === undefined ? 'npm start' : 'npm run try'
}

/** Writes a project and returns the paths of its files. If any of the files exists, nothing is written. */
export function writeTemplate(template: string, folder: string, version: string): readonly string[] {
  const files = [COMMON, template].flatMap((part) => filesOf(join(FOLDER, part)))
  const targets = files.map(({ path, name }) => ({ path, name, target: join(folder, name) }))
  const taken = targets.filter(({ target }) => existsSync(target)).map(({ name }) => name)
  if (taken.length > 0)
    throw new MandateError(
      'INPUT_INVALID',
      `${shownFolder(folder)} already has ${taken.join(', ')}. Nothing was written: give the name of a new folder, such as my-agent.`,
    )
  const project = projectName(folder)
  for (const { path, name, target } of targets) {
    mkdirSync(dirname(target), { recursive: true })
    if (name === 'package.json') writeFileSync(target, manifest(path, project, version))
    else if (name.endsWith('.md'))
      writeFileSync(target, readFileSync(path, 'utf8').replaceAll('{{name}}', project), { flag: 'wx' })
    else cpSync(path, target, { force: false, errorOnExist: true })
  }
  return targets.map(({ name }) => name).toSorted()
}

/** Lists files with their names in a project. Files with a leading dot are stored with `_` instead, because npm would leave them out of the package. */
function filesOf(folder: string): readonly { readonly path: string; readonly name: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path, name: relative(folder, path).replace(/^_/, '.') }
    })
}

function manifest(path: string, name: string, version: string): string {
  const { dependencies, ...rest } = readJsonFile(path)
  const own = { ...(dependencies as object), mandate: `^${version}` }
  const sorted = Object.fromEntries(Object.entries(own).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify({ ...rest, name, dependencies: sorted }, null, 2)}\n`
}

function readJsonFile(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
}

/** Converts the name of a folder to a valid npm package name. */
function projectName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
  return name === '' ? 'agent' : name
}

function shownFolder(folder: string): string {
  return relative(process.cwd(), folder) || 'This folder'
}
