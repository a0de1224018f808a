import { CASSETTE_OPTIONS } from './options.ts'
import { MandateError, errorInfo, toPlain, checkFields } from '../../core/index.ts'
import type { EmbeddingModel } from '../embedding.ts'
import type { Model } from '../model.ts'
import { Deck } from './deck.ts'
import type { CassetteMode, CassetteOptions, CassetteReport } from './options.ts'
import { streamThrough, valueThrough } from './playback.ts'
import { type LazyModel, recordedEmbedding, recordedModel } from './recorded-model.ts'
import { type RecordableTool, recordedTool } from './recorded-tool.ts'

/** Recorded calls, which are played back instead of making the calls. */
export interface Cassette {
  readonly mode: CassetteMode
  /** The same model, recorded or played back: every part in order, including failures. */
  model(model: Model | LazyModel): Model
  /** The same embedding model, recorded or played back. */
  embedding(model: EmbeddingModel): EmbeddingModel
  /** The same tool, recorded or played back: its result, its progress, its failures. */
  tool<T extends RecordableTool>(tool: T): T
  /** Any other stream; `request` identifies it. */
  stream<T>(name: string, request: unknown, open: () => AsyncIterable<T> | Promise<AsyncIterable<T>>): AsyncIterable<T>
  /** Any other result. */
  value<T>(name: string, request: unknown, make: () => T | Promise<T>): Promise<T>
  /** A report of its use so far. */
  report(): Promise<CassetteReport>
  /** Waits until everything is written, and returns the report. */
  close(): Promise<CassetteReport>
}

/**
 * Records calls of models, tools and streams, and plays them back. A call is identified by its request (redacted, without ids and times), and by how
 * often the same request was made before. In `replay` nothing is ever called: a call that was not recorded fails with its difference from the nearest
 * recorded one.
 *
 * @example
 * ```ts
 * import { cassette, scripted } from 'mandate/model'
 * const shelf = new Map<string, string>()
 * const storage = { read: (name: string) => shelf.get(name), write: (name: string, text: string) => void shelf.set(name, text) }
 * const tape = cassette({ mode: 'record', storage, secrets: { apiKey: 'the value of the key' } })
 * const model = tape.model(scripted(['Hello.']))
 * // ... use the model, then:
 * await tape.close()
 * ```
 */
export function cassette(options: CassetteOptions): Cassette {
  checkFields(options, 'an option of `cassette`', CASSETTE_OPTIONS)
  checkMode(options.mode)
  const deck = new Deck(options)
  return {
    mode: options.mode,
    model: (model) => recordedModel(deck, model),
    embedding: (model) => recordedEmbedding(deck, model),
    tool(tool) {
      if (typeof tool?.name === 'string' && typeof tool.run === 'function') return recordedTool(deck, tool)
      throw new MandateError(
        'CONFIG_INVALID',
        'A cassette records tools that have `name` and `run`. Pass others through `defineTool` first.',
      )
    },
    stream: (name, request, open) =>
      streamThrough(deck, {
        kind: 'stream',
        name,
        request: toPlain(request).value,
        open,
        failure: (error) => errorInfo(error),
      }),
    value: (name, request, make) =>
      valueThrough(deck, {
        kind: 'value',
        name,
        request: toPlain(request).value,
        make,
        failure: (error) => errorInfo(error),
      }),
    report: () => deck.report(),
    async close() {
      await deck.written()
      return deck.report()
    },
  }
}

function checkMode(mode: unknown): void {
  if (mode === 'record' || mode === 'replay' || mode === 'live') return
  throw new MandateError(
    'CONFIG_INVALID',
    `A cassette cannot be in the mode ${JSON.stringify(mode)}. Use record, replay or live.`,
  )
}
