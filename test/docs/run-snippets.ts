// Runs every file that is named on the command line, one after another in this process, and writes what each printed as one JSON line.
import { formatWithOptions } from 'node:util'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) {
  const printed: string[] = []
  console.log = (...values: unknown[]) =>
    void printed.push(formatWithOptions({ colors: false, breakLength: Infinity }, ...values))
  let error: string | undefined
  try {
    await import(pathToFileURL(file).href)
  } catch (cause) {
    error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  }
  process.stdout.write(`${JSON.stringify({ file, printed, error })}\n`)
}
process.exit(0)
