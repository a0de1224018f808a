import { kernelOf } from '../../../agent/index.ts'
import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { HttpServer, HttpServerOptions } from '../../../server/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { settings, withService } from '../../host.ts'
import { untilStopped } from '../../interrupt.ts'
import { findConfig, loadService, serverOf } from '../../load-module.ts'
import { count, note, print } from '../../output.ts'
import { tokensFor } from './server-tokens.ts'
import type { OpenedJournal } from '../../store.ts'
import type { GivenTokens } from './server-tokens.ts'
import { fleetParts, readEngine, withFleet, workersEngine } from '../../workers/store-workers.ts'
import { conversationsOf, hasStudio, studioOf } from '../../studio/studio-host.ts'
import type { Command } from '../command.ts'
import { readPort } from './mcp.ts'
import { hint } from '../../help/own-command.ts'

const PORT = 8_787
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/** Serves a project over HTTP until a stop signal. */
export const serveCommand: Command = {
  async run(flags, words) {
    const { host = '127.0.0.1' } = flags
    const port = readPort(flags.port) ?? PORT
    const engine = readEngine(flags.engine)
    const file = words[0] ?? flags.file ?? findConfig()
    if (file === undefined)
      throw new MandateError('INPUT_INVALID', 'There is no mandate.config.ts here. Give a file: mandate serve <file>')
    if (flags.tokens === undefined && !LOOPBACK.has(host))
      throw new MandateError(
        'INPUT_INVALID',
        `Others can reach ${host}, so say who may call: --tokens <file>. A file that does not exist is created, with a new token.`,
      )
    const given = await tokensFor(flags.tokens)
    const { loaded, source } = await loadService(file)
    // Approvals are answered over HTTP, and standard output is reserved for the address of the server.
    const work = async (service: AgentService, journal: OpenedJournal): Promise<number> => {
      const { httpServer } = await import('../../../server/index.ts')
      // Resuming runs changes them, so a read-only server does not.
      if (!flags.readOnly) await restore(service, journal)
      const conversations = await conversationsOf(service, journal)
      // The studio is served only to users of this machine.
      const isShown = LOOPBACK.has(host) && hasStudio()
      const studio = isShown
        ? await studioOf(service, { dir: flags.dir ?? settings().dir, file: source, readOnly: flags.readOnly, journal })
        : undefined
      const options = await optionsOf(flags, service, { given, source })
      const server = httpServer(service, {
        ...options,
        ...serverOf(loaded),
        parts: [conversations, ...(studio === undefined ? [] : [studio]), ...(await fleetParts(journal))],
        ...(studio === undefined ? {} : { authenticate: studio.authenticate }),
      })
      return serve(flags, server, { link: studio?.link, given, host, port })
    }
    return withService({ ...flags, noInput: true, jsonl: false }, loaded, work, {
      engine: (journal) => workersEngine(journal, source, engine),
      shared: engine === 'dbos' || engine === 'restate',
    })
  },
}

async function optionsOf(
  flags: Flags,
  service: AgentService,
  { given, source }: { readonly given: GivenTokens; readonly source: string },
): Promise<HttpServerOptions> {
  const { agents } = await service.health()
  return {
    tokens: given.tokens,
    readOnly: flags.readOnly,
    ...(flags.readOnly ? {} : { mcp: { agents, source } }),
    onFault: (error) => note(`a request failed in the server: ${String(error)}`),
    ...(flags.hosts === undefined ? {} : { hosts: [...LOOPBACK_NAMES, ...flags.hosts.split(',')] }),
    ...(flags.origins === undefined ? {} : { origins: flags.origins.split(',') }),
  }
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Restores graphs that were registered after a review and resumes runs that an earlier process left unfinished, so that their clients can reconnect. */
async function restore(service: AgentService, journal: OpenedJournal): Promise<void> {
  // Starts first, so that a problem that keeps runs from the workers is reported before a client can request a run.
  await service.start()
  const { graphReviews } = await import('../../../graph/index.ts')
  for (const problem of (await graphReviews(service).restore()).problems) note(problem)
  // Workers resume stranded runs themselves.
  if (kernelOf(service).engine.placement !== undefined) {
    const isUp = await withFleet(journal, (fleet) => fleet.isUp())
    return note(
      `runs are driven by workers${isUp ? '' : '; none is running; --engine local drives runs in this process'}`,
    )
  }
  const { recoverRuns } = await import('../../../server/index.ts')
  const { resumed, failed } = await recoverRuns(service)
  if (resumed.length > 0) note(`${count(resumed.length, 'run')} of an earlier process continued: ${namesOf(resumed)}`)
  if (failed.length > 0) note(`not continued: ${namesOf(failed.map(({ run }) => run))}; ${failed[0]!.problem}`)
}

interface Serving {
  /** Creates the link that opens the studio; undefined if the studio is not served. */
  readonly link: ((url: string) => Promise<string>) | undefined
  readonly given: GivenTokens
  readonly host: string
  readonly port: number
}

async function serve(flags: Flags, server: HttpServer, { link, given, host, port }: Serving): Promise<number> {
  let left: readonly string[] = []
  await untilStopped(async (stop) => {
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
    const { url } = await server.listen({ port, host })
    const studio = await link?.(url)
    const told = {
      url,
      ...(given.made === undefined ? {} : { token: given.made }),
      ...(studio === undefined ? {} : { studio }),
      ...(given.file === undefined ? {} : { tokens: given.file }),
    }
    print(flags, told, () =>
      [
        `serving on ${url}`,
        ...(given.made === undefined ? [] : [`token ${given.made}`]),
        ...(studio === undefined ? [] : [`studio ${studio}`]),
      ].join('\n'),
    )
    await stopped
    // Closes while a second signal still ends the process at once.
    const closed = await server.close()
    if (closed.suspended.length > 0)
      hint(`suspended: ${namesOf(closed.suspended)}; continue with: mandate resume <run>`)
    if (closed.left.length > 0) note(`did not stop in time: ${namesOf(closed.left)}`)
    left = closed.left
  })
  return left.length === 0 ? EXIT.ok : EXIT.failed
}

const NAMED = 10

function namesOf(runs: readonly string[]): string {
  return runs.length <= NAMED ? runs.join(', ') : `${runs.slice(0, NAMED).join(', ')} and ${runs.length - NAMED} more`
}
