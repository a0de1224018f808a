import { existsSync } from 'node:fs'
import type { AgentService } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Part } from '../../server/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { settings, withService } from '../host.ts'
import { untilStopped } from '../interrupt.ts'
import { findConfig, loadService } from '../load-module.ts'
import { alert, note, printLine } from '../output.ts'
import type { OpenedJournal } from '../store.ts'
import { conversationsOf, studioOf } from '../studio/studio-host.ts'
import { fleetParts } from '../workers/store-workers.ts'
import { readPort } from './server/mcp.ts'
import type { Command } from './command.ts'
import { hint } from '../help/own-command.ts'

const PORT = 4321

export const studioCommand: Command = {
  async run(flags, words) {
    const port = readPort(flags.port)
    if (flags.demo && words[0] !== undefined)
      throw new MandateError('INPUT_INVALID', `--demo has its own agents. Leave out either --demo or ${words[0]}.`)
    if (flags.demo) {
      const { demoService } = await import('../studio/demo.ts')
      const service = await demoService()
      try {
        return await show(flags, service, { port })
      } finally {
        await service.stop()
      }
    }
    const file = words[0] ?? flags.file ?? findConfig()
    return withAgents(flags, file, async (service, journal) =>
      show(flags, service, { port, file, dir: flags.dir ?? settings().dir, journal, parts: await fleetParts(journal) }),
    )
  },
}

/**
 * Creates a service with the agents of a file. If the file fails to load, for example for lack of a model key, the error is a line on stderr and runs can still
 * be viewed.
 */
async function withAgents(
  flags: Flags,
  file: string | undefined,
  work: (service: AgentService, journal: OpenedJournal) => Promise<number>,
): Promise<number> {
  const quiet: Flags = { ...flags, noInput: true, jsonl: false }
  if (file === undefined) return withService(quiet, {}, work)
  let isUp = false
  try {
    const { loaded } = await loadService(file)
    return await withService(quiet, loaded, (service, journal) => {
      isUp = true
      return work(service, journal)
    })
  } catch (error) {
    const isOfAgents = !isUp && existsSync(file) && MandateError.isInstance(error) && error.code === 'CONFIG_INVALID'
    if (!isOfAgents) throw error
    alert(`The agents of ${file} cannot be used: ${error.message} Runs are shown without them.`)
    return withService(quiet, {}, work)
  }
}

interface Shown {
  readonly port: number | undefined
  readonly dir?: string
  readonly file?: string | undefined
  readonly journal?: OpenedJournal
  readonly parts?: readonly Part[]
}

/** Serves the studio until a stop signal. */
async function show(
  flags: Flags,
  service: AgentService,
  { port, dir, file, journal, parts = [] }: Shown,
): Promise<number> {
  const { httpServer } = await import('../../server/index.ts')
  const studio = await studioOf(service, { dir, file, readOnly: flags.readOnly, journal })
  const server = httpServer(service, {
    authenticate: studio.authenticate,
    parts: [studio, await conversationsOf(service, journal), ...parts],
    readOnly: flags.readOnly,
  })
  // Wraps all of the server's lifetime, so that a signal right after the link is printed stops it properly too.
  await untilStopped(async (stop) => {
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
    // Another studio may use the default port: unless a port was given, any free one is used.
    const { url } = await server.listen({ port: port ?? PORT }).catch((error: NodeJS.ErrnoException) => {
      if (port !== undefined || error.code !== 'EADDRINUSE') throw error
      return server.listen({ port: 0 })
    })
    const link = await studio.link(url)
    if (flags.json || flags.jsonl) printLine({ url, link })
    else alert(`Mandate Studio: ${link}\nCtrl-C ends it. The link signs in one browser, once, within ten minutes.`)
    await stopped
  })
  const { suspended, left } = await server.close()
  for (const run of suspended) hint(`suspended ${run}; continue with: mandate resume ${run}`)
  for (const run of left) note(`${run} did not stop in time`)
  return EXIT.ok
}
