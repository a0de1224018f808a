import { realpath, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { kernelOf } from '../agent/index.ts'
import type { AgentService } from '../agent/index.ts'
import { fileContext } from '../connect/index.ts'
import { MandateError, newId } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { contextOf, isContextPart, openContext } from '../repl/index.ts'
import type { Context, ContextFacts, ContextPart } from '../repl/index.ts'
import { count, note } from './output.ts'
import { isSecretPath } from './packs/secret-paths.ts'

/** A file is untrusted: its author may address the model that reads it (prompt injection). */
const LABELS: readonly string[] = ['untrusted:file']

/**
 * Opens a file as the `context` of cells, which read it in parts. Its label is the path from the current folder, so that a session finds the file again.
 */
export async function openContextFile(path: string): Promise<Context> {
  if (path === '') throw new MandateError('INPUT_INVALID', '--context needs the path of a file.')
  if (await isSecretPath(path))
    throw new MandateError(
      'INPUT_INVALID',
      `${path} is closed to cells: files of this name hold keys, credentials or runs. Copy what cells may read into another file.`,
    )
  // The file behind a link: the link can later be changed to lead to a file that is closed.
  const real = await realpath(path).catch(() => path)
  const context = contextOf(fileContext(real, { label: relative(process.cwd(), path) || path }), { labels: LABELS })
  await context.open()
  return context
}

/** Opens the file that a session had as its context in another process; undefined where it is not there or has other content. */
export async function recordedContextFile({ label, ref, bytes }: ContextFacts): Promise<Context | undefined> {
  try {
    const { size } = await stat(label)
    if (size < bytes || size > bytes + BYTE_ORDER_MARK) return undefined
    const context = await openContextFile(label)
    return (await context.open()).facts.ref === ref ? context : undefined
  } catch {
    return undefined
  }
}

/** Bytes of a file that its content does not count. */
const BYTE_ORDER_MARK = 3

export function contextText({ label, length, lineCount }: ContextFacts): string {
  return `context ${label}: ${count(length, 'character')} in ${count(lineCount, 'line')}, read in parts`
}

/** Opens a file for a new run of an agent, and returns the options to start it with. */
export async function contextForRun(
  service: AgentService,
  path: string,
): Promise<{ readonly sessionId: string; readonly context: ContextPart }> {
  const { clock, random } = kernelOf(service)
  const sessionId = newId('session', clock, random)
  return { sessionId, context: await openContext(service, { sessionId, context: await openContextFile(path) }) }
}

interface Continued {
  readonly run: string
  readonly sessionId: string
  /** The recorded `context` of the run. */
  readonly given: Json | undefined
  readonly path: string | undefined
}

/** Opens the file that a run was started with, before this process continues it. */
export async function reopenContext(service: AgentService, { run, sessionId, given, path }: Continued): Promise<void> {
  if (path === undefined) {
    if (isContextPart(given))
      note('this run reads a file as its context: add --context <file>, or its cells cannot read it')
    return
  }
  if (!isContextPart(given))
    throw new MandateError('INPUT_INVALID', `Run "${run}" was not given a file as its context. Leave out --context.`)
  const context = await openContextFile(path)
  if ((await context.open()).facts.ref !== given.context)
    throw new MandateError(
      'INPUT_INVALID',
      `${path} does not have the content that run "${run}" was started with. Give that file.`,
    )
  await openContext(service, { sessionId, context })
}
