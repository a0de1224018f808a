import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Rolldown } from 'tsdown'

const root = join(import.meta.dirname, '..')

export interface Bundle {
  /** Compressed size of the chunks that are loaded before the first line runs. */
  readonly zipped: number
  readonly chunks: readonly {
    readonly file: string
    /** Whether it is loaded before the first line runs; other chunks are loaded at their first use. */
    readonly isInitial: boolean
    readonly bytes: number
    readonly zipped: number
  }[]
  /**
   * Runs the bundle to its end with these arguments, and returns the chunks that it loaded with their compressed size, which is the actual cost of the work.
   */
  run(...args: readonly string[]): {
    readonly stdout: string
    readonly loaded: readonly string[]
    readonly zipped: number
  }
}

/** Code that writes the list of loaded files when the process ends. */
const RECORDER = `
import { registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
const loaded = new Set()
registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
const list = process.env.LOADED_FILES
process.on('exit', () => writeFileSync(list, JSON.stringify([...loaded])))`

/** Bundles a file with all its imports as for a browser: minified, in as few chunks as its dynamic imports allow. */
export async function bundle(file: string): Promise<Bundle> {
  const bundled = await Rolldown.rolldown({ input: file, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundled.generate({ minify: true, format: 'esm' })
  const chunks = output.filter((one) => one.type === 'chunk')
  const initial = new Set<string>()
  const follow = (name: string): void => {
    if (initial.has(name)) return
    initial.add(name)
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) follow(next)
  }
  for (const { fileName, isEntry } of chunks) if (isEntry) follow(fileName)
  const start = chunks.filter(({ fileName }) => initial.has(fileName)).map(({ code }) => code)
  return {
    zipped: zippedSize(start.join('')),
    chunks: chunks.map(({ fileName, code }) => ({
      file: fileName,
      isInitial: initial.has(fileName),
      bytes: Buffer.byteLength(code),
      zipped: zippedSize(code),
    })),
    run: (...args) => runBundle(join(dirname(file), 'bundle'), chunks, args),
  }
}

function runBundle(
  folder: string,
  chunks: readonly Rolldown.OutputChunk[],
  args: readonly string[],
): ReturnType<Bundle['run']> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), code)
  const list = join(folder, 'loaded.json')
  const recorder = `data:text/javascript,${encodeURIComponent(RECORDER)}`
  const entry = chunks.find(({ isEntry }) => isEntry)!.fileName
  const ran = spawnSync(process.execPath, ['--import', recorder, join(folder, entry), ...args], {
    encoding: 'utf8',
    // Limits the time in case the process does not end by itself.
    timeout: 60_000,
    env: { ...process.env, NODE_OPTIONS: '', LOADED_FILES: list },
  })
  if (ran.status !== 0) throw new Error(`The bundle of ${entry} failed: ${ran.stderr}`)
  const urls = JSON.parse(readFileSync(list, 'utf8')) as readonly string[]
  const loaded = chunks.filter(({ fileName }) => urls.some((url) => url.endsWith(`/bundle/${fileName}`)))
  return {
    stdout: ran.stdout,
    loaded: loaded.map(({ fileName }) => fileName),
    zipped: zippedSize(loaded.map(({ code }) => code).join('')),
  }
}

function zippedSize(text: string): number {
  return gzipSync(text, { level: 9 }).length
}

export interface Declarations {
  /** The output of the compiler; empty if the file has no errors. */
  readonly complaint: string
  readonly files: readonly { readonly path: string; readonly lines: number }[]
}

/** Type-checks a file of a user project and returns the loaded declaration files, without those of the compiler. */
export function declarationsOf(file: string): Declarations {
  const options = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: [],
    lib: ['ES2024', 'DOM'],
  }
  const project = join(dirname(file), 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions: options, files: [basename(file)] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const ran = spawnSync(process.execPath, [compiler, '-p', project, '--listFiles'], { encoding: 'utf8' })
  const paths = ran.stdout.split('\n').filter((line) => line.endsWith('.d.ts') && !/\/lib\.[^/]+$/.test(line))
  return {
    complaint: ran.status === 0 ? '' : ran.stdout + ran.stderr,
    files: paths.map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length })),
  }
}
