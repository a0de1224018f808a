import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MandateError, messageOf, parseJson, systemClock } from '../core/index.ts'
import { DEFAULT_PRICES, isCatalogue, pricesFrom, readCatalogue } from '../model/index.ts'
import type { PriceTable } from '../model/index.ts'
import { readJson } from './commands/command.ts'
import type { Flags } from './flags.ts'

/** Maximum size of a download; the complete catalogue has a few megabytes. */
const BYTES_MAX = 64 * 1024 * 1024
const FETCH_MS = 60_000

/** Returns the path of refreshed prices: beside the runs, or in `.mandate` if the runs are on a server. */
function priceFile({ dir }: Pick<Flags, 'dir'>): string {
  const named = process.env['MANDATE_PRICES']
  if (named !== undefined && named !== '') return named
  const given = dir ?? process.env['MANDATE_DIR'] ?? ''
  return join(given === '' || given.includes('://') ? '.mandate' : given, 'prices.json')
}

/** Returns the built-in prices, overridden by prices that were refreshed here. */
export function pricesHere(flags: Pick<Flags, 'dir'>): PriceTable {
  const file = priceFile(flags)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && !process.env['MANDATE_PRICES']) return DEFAULT_PRICES
    throw new MandateError('CONFIG_INVALID', `The prices in ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
  try {
    return pricesFrom(parseJson(text, file))
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `${file}: ${messageOf(cause)} Delete it, or refresh the prices.`, {
      cause,
    })
  }
}

interface Refreshed {
  readonly file: string
  readonly date: string
  readonly models: number
  /** Number of models whose price in the source is not plausible, by reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** Reads prices from a file or a URL and stores them for later runs. */
export async function refreshPrices(flags: Flags, from: string): Promise<Refreshed> {
  const { text, date } = /^https?:\/\//i.test(from) ? await download(from) : readSource(from)
  const data = readJson(text, from) as unknown
  // Throws if a line is invalid.
  pricesFrom(data, { date })
  const { models, skipped } = isCatalogue(data) ? readCatalogue(data, date) : { ...(data as PriceTable), skipped: [] }
  const number = Object.keys(models).length
  if (number === 0) throw new MandateError('INPUT_INVALID', `${from} has no price. The prices here stay as they are.`)
  const file = priceFile(flags)
  const table: PriceTable = { date: isCatalogue(data) ? date : (data as PriceTable).date, currency: 'USD', models }
  mkdirSync(dirname(file), { recursive: true })
  // Written to a new file and renamed, so that a reader never gets a partial file.
  writeFileSync(`${file}.new`, `${JSON.stringify(table)}\n`)
  renameSync(`${file}.new`, file)
  const reasons: Record<string, number> = {}
  for (const { why } of skipped) reasons[why] = (reasons[why] ?? 0) + 1
  return { file, date: table.date, models: number, skipped: reasons }
}

interface Source {
  readonly text: string
  /** The date it was written, if known. */
  readonly date: string
}

function readSource(file: string): Source {
  try {
    return { text: readFileSync(file, 'utf8'), date: dayOf(statSync(file).mtime) }
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', `--from ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

async function download(url: string): Promise<Source> {
  const cut = new AbortController()
  const stop = systemClock.timer(FETCH_MS, () => cut.abort(new Error(`it did not answer within ${FETCH_MS} ms`)))
  try {
    const answer = await fetch(url, { signal: cut.signal, headers: { accept: 'application/json' } })
    if (!answer.ok) throw new Error(`it answered ${answer.status}`)
    return { text: await bodyOf(answer), date: dayOf(new Date(systemClock.now())) }
  } catch (cause) {
    throw new MandateError('CONNECTOR_FAILED', `--from ${url} cannot be read: ${reasonOf(cause)}`, { cause })
  } finally {
    stop()
  }
}

async function bodyOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error(`it is larger than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the reason of a failed fetch, which is in its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return cause === undefined ? messageOf(error) : messageOf(cause)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
