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
  /** Opens it, with the options that every store takes. */
  open(options: O): C | Promise<C>
  /** Whether it can be open more than once, and outlives those who have it open. */
  readonly isShared: boolean
  /** Removes it. */
  stop(): Promise<void>
}

interface StoreSubject<C, O> {
  readonly name: string
  start(): Promise<StartedStore<C, O>>
}

export type MemorySubject = StoreSubject<MemoryClient, RecordOptions>
export type DatabaseSubject = StoreSubject<DatabaseClient, RecordOptions>
export type PromptSubject = StoreSubject<PromptStore, Pick<PromptStoreOptions, 'clock' | 'policy' | 'onChange'>>
/** Counters that outlive runs: those of a journal, or a store of their own. */
export type Counters = Pick<Journal, 'addCount' | 'sumCount'> & { close(): Promise<void> }
export type CountSubject = StoreSubject<Counters, Pick<RecordOptions, 'clock'>>

/** One thing every such store promises, and how it is seen. */
export interface StoreCase<C, O> {
  readonly name: string
  readonly check: (store: StartedStore<C, O>, expect: TestApi['expect']) => Promise<void>
}

/** Runs cases, each against a store of its own. */
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

/** Names and texts that stores have trouble with. */
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
