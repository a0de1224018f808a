import type { PromptPort, RecordPort } from '../../../memory/index.ts'
import type { DataCaller } from './data-caller.ts'
import { dataClosed } from './data-file.ts'
import type { DataOperations } from './protocol.ts'

type Ask = DataCaller['call']

/** One user's way to the thread. It closes for that user alone, unless nobody else has the thread. */
class Line {
  readonly #caller: DataCaller
  readonly #isAlone: boolean
  #isClosed = false

  constructor(caller: DataCaller, isAlone: boolean) {
    this.#caller = caller
    this.#isAlone = isAlone
  }

  readonly ask: Ask = async <Op extends keyof DataOperations>(op: Op, ...args: Parameters<DataOperations[Op]>) => {
    if (this.#isClosed) throw dataClosed()
    return this.#caller.call(op, ...args)
  }

  /** Waits for what was asked before: calls are answered in their order. */
  readonly close = async (): Promise<void> => {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#isAlone) await this.#caller.close()
    else await this.#caller.call('open').catch(() => {})
  }
}

/** Records through the thread. Where words must not be readable in the file, it finds none: then records are opened and looked at one by one. */
export function recordPort(caller: DataCaller, isAlone: boolean, hasWords: boolean): RecordPort {
  const { ask, close } = new Line(caller, isAlone)
  return {
    put: (space, rows) => ask('put', space, rows),
    putIf: (space, row, before) => ask('putIf', space, row, before),
    get: (space, collection, key) => ask('get', space, collection, key),
    delete: (space, collection, key, now) => ask('delete', space, collection, key, now),
    clear: (space, collection) => ask('clear', space, collection),
    async *scan(space, filter) {
      let after: number | undefined
      do {
        const page = await ask('page', space, filter, after)
        yield page.rows
        after = page.after
      } while (after !== undefined)
    },
    query: (space, asked) => ask('query', space, asked),
    collections: (space) => ask('collections', space),
    trim: (space, asked) => ask('trim', space, asked),
    ...(hasWords ? { matchWords: (space, asked) => ask('matchWords', space, asked) } : {}),
    nearest: (space, asked) => ask('nearest', space, asked),
    close,
  }
}

/** Prompts through the thread. */
export function promptPort(caller: DataCaller, isAlone: boolean): PromptPort {
  const { ask, close } = new Line(caller, isAlone)
  return {
    add: (id, version, text) => ask('addPrompt', id, version, text),
    get: (id, version) => ask('getPrompt', id, version),
    versions: (id) => ask('promptVersions', id),
    newest: () => ask('newestPrompts'),
    setLabel: (id, label, version) => ask('setPromptLabel', id, label, version),
    labels: (id) => ask('promptLabels', id),
    close,
  }
}
