import { resolve } from 'node:path'

interface SourceChange {
  /** Which sources; the group is what `change` needs of the path. */
  readonly files: RegExp
  readonly change: (code: string, name: string) => string
}

const CHANGES: readonly SourceChange[] = [
  {
    // A thread of a store reads a hundred sources when it starts, and tests start thousands: in a whole run they start from the build of
    // the same sources (`test/built-setup.ts`), in a third of the time.
    files: /\/src\/(.*worker)\.ts$/,
    change: (code, name) => {
      const built = `process.env.MANDATE_BUILT && process.env.MANDATE_BUILT + '/${name}.js'`
      return code.replace('startedFile(import.meta.url', `startedFile((${built}) || import.meta.url`)
    },
  },
  {
    // Threads of stores that tests open in their own process are kept for the next store.
    files: /\/src\/store\/sqlite\/(file-thread)\.ts$/,
    change: (code) =>
      code.replace("from 'node:worker_threads'", `from '${resolve(import.meta.dirname, 'threads/kept-threads.ts')}'`),
  },
  {
    // The command loads the module of its user once, because it is a process; tests that run many commands in theirs load it for each.
    files: /\/src\/cli\/(load-module)\.ts$/,
    change: (code) =>
      code.replace(
        'pathToFileURL(resolve(file)).href',
        "$& + (process.env.MANDATE_FRESH ? '?fresh=' + process.env.MANDATE_FRESH : '')",
      ),
  },
]

/** What tests change in a source while they load it, so that production code needs no switch for tests. Nothing for other files. */
export function changeOf(path: string): ((code: string) => string) | undefined {
  for (const { files, change } of CHANGES) {
    const found = files.exec(path)
    if (found !== null) return (code) => change(code, found[1]!)
  }
  return undefined
}
