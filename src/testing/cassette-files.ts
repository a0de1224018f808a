import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MandateError } from '../core/index.ts'
import { cassette } from '../model/index.ts'
import type { Cassette, CassetteMode, CassetteOptions, CassetteReport, CassetteStorage } from '../model/index.ts'

const VARIABLE = 'MANDATE_CASSETTE'

export interface FileCassetteOptions extends Omit<CassetteOptions, 'mode' | 'storage' | 'name' | 'rerecord'> {
  /** Fixes the mode. When absent, `MANDATE_CASSETTE=record|replay|live` decides. */
  readonly mode?: CassetteMode | undefined
  /** Registers the function that closes the cassette after the tests: `afterAll` of vitest or jest, `after` of node:test. */
  readonly after?: ((close: () => Promise<void>) => unknown) | undefined
  /** What to do about recordings that no test used; `warn` when absent. */
  readonly unused?: 'warn' | 'fail' | 'ignore' | undefined
  /** The environment variables to read; those of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Receives notes; they go to standard error when absent. */
  readonly note?: ((text: string) => void) | undefined
}

interface FileCassette extends Cassette, AsyncDisposable {
  readonly path: string
  /** Closes the cassette. Throws when a call was not recorded, or, with `unused: 'fail'`, when a recording was not used. */
  finish(): Promise<CassetteReport>
}

/**
 * Opens a cassette in a file beside the tests. Without a mode the file decides: an existing file is replayed, a missing one is recorded. On a build server
 * (`CI` is set) nothing is recorded: there, a missing recording is an error, and nothing is called.
 *
 * @example
 * ```ts
 * import { afterAll } from 'vitest' // or `after` from 'node:test'
 * import { scripted } from 'mandate/model'
 * import { fileCassette } from 'mandate/testing'
 * const tape = fileCassette(new URL('./weather.cassette.json', import.meta.url), { after: afterAll })
 * const model = tape.model(scripted(['It rains.'])) // the real model stands here
 * ```
 */
export function fileCassette(path: string | URL, options: FileCassetteOptions = {}): FileCassette {
  const { mode: fixed, after, unused = 'warn', env = process.env, note = toStandardError, ...rest } = options
  const file = typeof path === 'string' ? path : fileURLToPath(path)
  const near = relative('.', file)
  const shown = near.startsWith('..') ? file : near
  const mode = fixed ?? modeIn(env, file)
  if (mode === 'record') note(`cassette: recording real calls to ${shown}`)
  const rerecord = `If the change is meant, record again: ${VARIABLE}=record <the command you ran>`
  const tape = cassette({ ...rest, mode, rerecord, name: shown, storage: storageAt(file) })
  const finish = async (): Promise<CassetteReport> => {
    const report = await tape.close()
    if (report.recorded > 0) note(`cassette: ${report.recorded} call(s) recorded to ${shown}; read it, then commit it`)
    judge(report, shown, unused, note)
    return report
  }
  const close = async (): Promise<void> => void (await finish())
  after?.(close)
  return { ...tape, path: file, finish, [Symbol.asyncDispose]: close }
}

/** Writes files atomically: a recording that is interrupted must not damage the previous one. */
function storageAt(file: string): CassetteStorage {
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    write(_name, text) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
    },
  }
}

function modeIn(env: Readonly<Record<string, string | undefined>>, file: string): CassetteMode {
  const said = env[VARIABLE]
  if (said === 'record' || said === 'replay' || said === 'live') return said
  if (said !== undefined && said !== '') {
    throw new MandateError(
      'CONFIG_INVALID',
      `${VARIABLE} is ${JSON.stringify(said)}. Set it to record, replay or live, or unset it.`,
    )
  }
  const isBuildServer = !['', '0', 'false', undefined].includes(env['CI'])
  return isBuildServer || existsSync(file) ? 'replay' : 'record'
}

function judge(
  report: CassetteReport,
  path: string,
  unused: FileCassetteOptions['unused'],
  note: (text: string) => void,
): void {
  const [first] = report.misses
  if (first !== undefined) throw new Error(`${report.misses.length} call(s) were not recorded. The first:\n${first}`)
  if (report.unused.length === 0 || unused === 'ignore') return
  const text = `cassette: ${path} holds ${report.unused.length} recording(s) that nothing asked for; record again to drop them:\n  ${report.unused.slice(0, 10).join('\n  ')}`
  if (unused === 'fail') throw new Error(text)
  note(text)
}

function toStandardError(text: string): void {
  process.stderr.write(`${text}\n`)
}
