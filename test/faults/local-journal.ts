import { MandateError } from '../../src/core/index.ts'
import type { Answer, OperationName, Operations, Post, StoreCaller } from '../../src/store/sqlite/protocol.ts'
import { FileJournal } from '../../src/store/sqlite/sqlite-journal.ts'
import { JournalThread } from '../../src/store/sqlite/journal-thread.ts'

/** The journal without its thread: a sweep over thousands of damaged files would spend its time starting threads. */
export function localJournal(path: string): FileJournal {
  return new FileJournal(path, () => new LocalCaller(path))
}

class LocalCaller implements StoreCaller {
  isClosed = false
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly #turns: JournalThread
  #last = 0

  constructor(path: string) {
    this.#turns = new JournalThread({ path, busyTimeoutMs: 100, watchIntervalMs: 1_000 }, (post: Post) => {
      for (const id of post.done ?? []) this.#waiting.get(id)?.({ id, value: undefined })
      for (const answer of post.answers ?? []) this.#waiting.get(answer.id)?.(answer)
    })
  }

  call<Op extends OperationName>(op: Op, ...args: Parameters<Operations[Op]>): Promise<ReturnType<Operations[Op]>> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last
      this.#waiting.set(id, (answer) => {
        if ('error' in answer)
          reject(new MandateError(answer.error.code, answer.error.message, { info: answer.error.info }))
        else resolve(answer.value as never)
      })
      this.#turns.take({ id, op, args } as never)
    })
  }

  watch(): void {}

  async close(): Promise<void> {
    await this.call('close')
    this.isClosed = true
  }
}
