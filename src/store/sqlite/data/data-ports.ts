import type { PromptPort, RecordPort } from '../../../memory/index.ts'
import { ConnectionRef } from '../../shared-connection.ts'
import type { DataCaller } from './data-caller.ts'
import { dataClosed } from './data-file.ts'
import type { DataOperations } from './protocol.ts'

interface Handle {
  readonly ask: DataCaller['call']
  readonly close: () => Promise<void>
}

/** One user's handle on the thread. */
function handleOn(caller: DataCaller, isAlone: boolean): Handle {
  const thread = { ready: async () => caller, link: caller, closed: dataClosed }
  const ref = new ConnectionRef(thread, isAlone)
  return {
    ask: <Op extends keyof DataOperations>(op: Op, ...args: Parameters<DataOperations[Op]>) =>
      ref.use((place) => place.call(op, ...args)),
    close: () => ref.close(),
  }
}

/** Records through the thread. Without a plain full-text index it returns no matches: then records are decrypted and scanned. */
export function recordPort(caller: DataCaller, isAlone: boolean, hasWords: boolean): RecordPort {
  const { ask, close } = handleOn(caller, isAlone)
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
  const { ask, close } = handleOn(caller, isAlone)
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
