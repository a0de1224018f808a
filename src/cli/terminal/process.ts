import { enableCompileCache } from 'node:module'
import { inspect } from 'node:util'
import { EXIT } from '../exit-codes.ts'
import { alert, paint } from '../output.ts'

/** The command as a process: its words, its exit code, and what becomes of errors that nobody takes. */
export async function runProcess(): Promise<never> {
  // Before anything large is loaded: what was compiled once is read from a cache of Node afterwards (NODE_DISABLE_COMPILE_CACHE=1 turns it off).
  enableCompileCache()
  endWithReader()
  // Uncaught exceptions of tools or libraries: the message is shown redacted.
  process.on('uncaughtException', (error) => void showCrash(error))
  const { runCommandLine } = await import('../command-line.ts')
  const exitCode = await runCommandLine(process.argv.slice(2))
  await Promise.all([written(process.stdout), written(process.stderr)])
  // Explicitly: a call that was left behind, after its timeout or a signal, may still hold timers and sockets.
  process.exit(exitCode)
}

/** EPIPE: the reader of stdout is gone, as with `| head`. A run is suspended so that it can be resumed; other commands just end. */
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

/** Resolves when what was written so far has been taken, or cannot be. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}
