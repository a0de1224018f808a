import type { Journal } from '../../journal/index.ts'
import type {
  DatabaseClient,
  MemoryClient,
  PromptStore,
  PromptStoreOptions,
  RecordOptions,
} from '../../memory/index.ts'
import type { TestApi } from '../test-api.ts'

/** A store under test, new and empty. */
export interface StartedStore<C, O> {
  /** Opens the store with the options that every store takes. */
  open(options: O): C | Promise<C>
  /** Whether the store can be opened more than once, and outlives its clients. */
  readonly isShared: boolean
  /** Removes the store. */
  stop(): Promise<void>
}

interface StoreSubject<C, O> {
  readonly name: string
  start(): Promise<StartedStore<C, O>>
}

export type MemorySubject = StoreSubject<MemoryClient, RecordOptions>
export type DatabaseSubject = StoreSubject<DatabaseClient, RecordOptions>
export type PromptSubject = StoreSubject<PromptStore, Pick<PromptStoreOptions, 'clock' | 'policy' | 'onChange'>>
/** Counters that outlive runs: those of a journal, or of a separate store. */
export type Counters = Pick<Journal, 'addCount' | 'sumCount'> & { close(): Promise<void> }
export type CountSubject = StoreSubject<Counters, Pick<RecordOptions, 'clock'>>

/** A guarantee of every such store, with its check. */
export interface StoreCase<C, O> {
  readonly name: string
  readonly check: (store: StartedStore<C, O>, expect: TestApi['expect']) => Promise<void>
}

/** Runs cases, each against a separate store. */
export function checkAll<C, O>(
  title: string,
  subject: StoreSubject<C, O>,
  cases: readonly StoreCase<C, O>[],
  { describe, it, expect }: TestApi,
): void {
  describe(title, () => {
    for (const { name, check } of cases) {
      it(name, async () => {
        const store = await subject.start()
        try {
          await check(store, expect)
        } finally {
          await store.stop()
        }
      })
    }
  })
}

/** Names and texts that stores often handle incorrectly. */
export const AWKWARD: readonly string[] = [
  '',
  ' ',
  'nul \u0000 inside',
  'lone \ud800 surrogate',
  'ünïcödé 漢字 🙂',
  '__proto__',
  'constructor',
  'a/b',
  'a:b',
  'a*b',
  '%_',
  `quote ' and " and \\`,
  '\u2028',
  'A',
  'a',
]
