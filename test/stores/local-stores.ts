import { MandateError } from '../../src/core/index.ts'
import type { Change } from '../../src/journal/index.ts'
import { aloneDatabase, aloneMemory, alonePrompts } from '../../src/store/data-clients.ts'
import type { DataPorts } from '../../src/store/data-clients.ts'
import type { KeyRing } from '../../src/store/encryption/index.ts'
import type { Caller } from '../../src/store/sqlite/deferred-caller.ts'
import { promptPort, recordPort } from '../../src/store/sqlite/data/data-ports.ts'
import { DataThread } from '../../src/store/sqlite/data/data-thread.ts'
import type { DataOperations } from '../../src/store/sqlite/data/protocol.ts'
import type { OperationTable, ThreadCall, ThreadPost } from '../../src/store/sqlite/file-thread.ts'
import { JournalThread } from '../../src/store/sqlite/journal-thread.ts'
import type { Operations } from '../../src/store/sqlite/protocol.ts'
import { FileJournal } from '../../src/store/sqlite/sqlite-journal.ts'

/** The journal without its thread: a sweep over thousands of damaged files would spend its time starting threads. */
export function localJournal(path: string, options: { ring?: KeyRing; watchIntervalMs?: number } = {}): FileJournal {
  const { ring, watchIntervalMs = 1_000 } = options
  const file = { path, busyTimeoutMs: 100, watchIntervalMs, ring }
  const connect = (tell: (changes: readonly Change[]) => void): LocalCaller<Operations> =>
    new LocalCaller((post) => new JournalThread(file, post), tell)
  return new FileJournal(path, connect, ring !== undefined)
}

/** Memory, database and prompts of a file without a thread. */
export function localData(path: string, options: { ring?: KeyRing; vectorBytes?: number } = {}): LocalData {
  const { ring, vectorBytes = 512_000_000 } = options
  const file = { path, busyTimeoutMs: 100, watchIntervalMs: 0, vectorBytes, ring }
  const caller = new LocalCaller<DataOperations>((post) => new DataThread(file, post))
  const ports: DataPorts = {
    records: (isAlone) => recordPort(caller, isAlone, ring === undefined),
    prompts: (isAlone) => promptPort(caller, isAlone),
  }
  return {
    caller,
    memory: (given) => aloneMemory(ports, given),
    database: (given) => aloneDatabase(ports, given),
    prompts: (given) => alonePrompts(ports, given),
  }
}

interface LocalData {
  readonly caller: Caller<DataOperations>
  memory(options: Parameters<typeof aloneMemory>[1]): ReturnType<typeof aloneMemory>
  database(options: Parameters<typeof aloneDatabase>[1]): ReturnType<typeof aloneDatabase>
  prompts(options: Parameters<typeof alonePrompts>[1]): ReturnType<typeof alonePrompts>
}

interface Thread {
  take(call: ThreadCall): void
}

class LocalCaller<O extends OperationTable<O>> implements Caller<O> {
  isClosed = false
  readonly #waiting = new Map<number, PromiseWithResolvers<never>>()
  readonly #thread: Thread
  #last = 0

  constructor(
    start: (post: (message: ThreadPost<readonly Change[]>) => void) => Thread,
    tell = (_: readonly Change[]) => {},
  ) {
    this.#thread = start(({ done = [], answers = [], changes }) => {
      for (const id of done) this.#waiting.get(id)?.resolve(undefined as never)
      for (const answer of answers)
        if ('error' in answer) {
          const { code, message, info } = answer.error
          this.#waiting.get(answer.id)?.reject(new MandateError(code, message, info === undefined ? {} : { info }))
        } else this.#waiting.get(answer.id)?.resolve(answer.value as never)
      if (changes !== undefined) tell(changes)
    })
  }

  call<Op extends keyof O & string>(op: Op, ...args: Parameters<O[Op]>): Promise<ReturnType<O[Op]>> {
    const waiting = Promise.withResolvers<never>()
    const id = ++this.#last
    this.#waiting.set(id, waiting)
    this.#thread.take({ id, op, args })
    return waiting.promise
  }

  watch(isWatching: boolean): void {
    void this.call('watch' as never, ...([isWatching] as never)).catch(() => {})
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.call('close' as never, ...([] as never))
  }
}
