import type { Mutation } from './mutation.ts'

/** What keeps stores fast, retention from what is in use, and damage in sight. */
export const STORE_MUTATIONS: readonly Mutation[] = (
  [
    [
      'plan',
      'src/store/sqlite/rows/entry-rows.ts',
      "'SELECT run FROM entries WHERE id > ?'",
      "'SELECT DISTINCT run FROM entries WHERE id > ?'",
      'test/stores/sqlite-plans.test.ts',
    ],
    [
      'list-plan',
      'src/store/sqlite/rows/run-lists.ts',
      '(lead === leads ? name : `+${name}`)',
      '(lead === undefined ? leads : name)',
      'src/store/sqlite/rows/run-lists.test.ts',
    ],
    [
      'filter',
      'src/journal/lists/run-filter.ts',
      'if (given.after !== undefined) checkPlace(given.after)',
      'if (given.after === null) checkPlace(given.after)',
      'src/journal/lists/run-filter.test.ts',
    ],
    [
      'session',
      'src/store/retained-sessions.ts',
      'shared.has(top.sessionId) ?',
      'top.sessionId === undefined ?',
      'src/store/retention.test.ts',
    ],
    [
      'origin',
      'src/store/retention.ts',
      'if (doomed.delete(origin)) {',
      'if (origin === session) {',
      'src/store/retention.test.ts',
    ],
    [
      'erased-cells',
      'src/repl/session/repl-session.ts',
      'if (cells[0]?.erased === true)',
      'if (cells[0] === null)',
      'test/stores/retention.test.ts',
    ],
    [
      'repeated-message',
      'src/chat/conversation/conversation-turn.ts',
      'if (!erased) return undefined',
      'if (!erased || erased) return undefined',
      'test/stores/retention.test.ts',
    ],
    [
      'presence',
      'src/store/sqlite/sqlite-file.ts',
      'if (now.file !== was.file) throw replacedFile(this.path)',
      'if (now.file === undefined) throw replacedFile(this.path)',
      'src/store/sqlite/vanished.test.ts',
    ],
    [
      'presence-of-log',
      'src/store/sqlite/sqlite-file.ts',
      'if (was.log !== undefined && now.log !== was.log)',
      'if (was.log === now.file)',
      'src/store/sqlite/vanished.test.ts',
    ],
    [
      'missing-file',
      'src/store/sqlite/file-checks.ts',
      'if (statOf(path) !== undefined) return\n  throw',
      "if (path !== '') return\n  throw",
      'src/store/sqlite/vanished.test.ts',
    ],
    [
      'lost-run',
      'src/store/sqlite/rows/damaged-runs.ts',
      'if (damaged.length === 0) return found',
      'if (damaged.length >= 0) return found',
      'test/stores/vanished.test.ts',
    ],
    [
      'seen-damage',
      'src/run/kernel/seen-damage.ts',
      'this.#found.set(run, error.message)',
      'this.#found.delete(run)',
      'test/stores/vanished.test.ts',
    ],
  ] as const
).map(([name, file, find, replace, tests]) => ({
  id: `store.${name}`,
  room: 'store',
  file,
  find,
  replace,
  tests: [tests],
}))
