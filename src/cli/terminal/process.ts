import { enableCompileCache } from 'node:module'
import { inspect } from 'node:util'
import { EXIT } from '../exit-codes.ts'
import { alert, paint } from '../output.ts'

/** Runs the command as a process: arguments, exit code, and uncaught errors. */
export async function runProcess(): Promise<never> {
  // Enabled before any large import: modules compiled once are then read from a cache of Node (NODE_DISABLE_COMPILE_CACHE=1 disables it).
  enableCompileCache()
  endWithReader()
  // Shows uncaught exceptions of tools or libraries with secrets redacted.
  process.on('uncaughtException', (error) => void showCrash(error))
  const { runCommandLine } = await import('../command-line.ts')
  const exitCode = await runCommandLine(process.argv.slice(2))
  await Promise.all([written(process.stdout), written(process.stderr)])
  // Exits explicitly, because a call that was abandoned after its timeout or a signal may still hold timers and sockets.
  process.exit(exitCode)
}

/** Handles EPIPE: the reader of stdout has closed it, as with `| head`. A run is suspended so that it can be resumed; other commands end. */
function endWithReader(): void {
  let isReaderGone = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (isReaderGone) return
    isReaderGone = true
    if (!process.emit('SIGINT')) process.exit(EXIT.ok)
  })
}

async function showCrash(error: unknown): Promise<never> {
  const { secretRedactor } = await import('../../redact/index.ts')
  alert(`${paint('red', 'crashed')} ${secretRedactor().text(inspect(error))}`)
  process.exit(EXIT.failed)
}

/** Resolves when the output written so far was flushed or cannot be. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}
