import { existsSync } from 'node:fs'
import { AgentService, kernelOf } from '../../agent/index.ts'
import type { AgentSpec } from '../../agent/index.ts'
import { installedModels, shellIsolation } from '../../connect/index.ts'
import { MandateError, messageOf } from '../../core/index.ts'
import { definePolicy, explainRisk, nameFindings } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { resolveModel } from '../../model/index.ts'
import { isServiceJournal } from '../../journal/index.ts'
import { Kernel, knownTargets } from '../../run/index.ts'
import { keyRingFromEnvironment } from '../../store/sqlite/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { findConfig, loadService, setUp } from '../load-module.ts'
import { hanging } from '../terminal/layout.ts'
import { count, print } from '../output.ts'
import { withFleet } from '../workers/store-workers.ts'
import type { Fleet } from '../../engine/index.ts'
import type { Command } from './command.ts'

interface Check {
  readonly check: string
  readonly ok: boolean
  /** Set if this is no fault by itself, but a person should look at it. */
  readonly review?: boolean
  readonly detail: string
}

export const doctorCommand: Command = {
  async run(flags) {
    const checks = [
      // Older versions of Node are rejected in main.ts before this point.
      await check('node', async () => process.version),
      await check('sandbox', async () => sandbox()),
      await check('keys', async () => keys()),
      ...(await storeAndRuns(flags)),
      ...(await configuration(flags)),
      ...(await servers(flags)),
    ]
    print(flags, checks, () => checks.map((one) => hanging(markOf(one), `${one.check}: ${one.detail}`)).join('\n'))
    return checks.every(({ ok }) => ok) ? EXIT.ok : EXIT.store
  },
}

function markOf({ ok, review }: Check): string {
  if (!ok) return 'WRONG  '
  return review === true ? 'review ' : 'ok     '
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { check: name, ok: true, detail: await look() }
  } catch (error) {
    return { check: name, ok: false, detail: messageOf(error) }
  }
}

/** Describes how shell commands are isolated here. Missing isolation is no fault of the machine, but `shellTool` refuses to run unless configured otherwise. */
function sandbox(): string {
  const { isolation, holds, missing } = shellIsolation()
  const state =
    isolation === 'bubblewrap'
      ? 'commands are isolated (bubblewrap)'
      : "commands are refused unless `isolation: 'none'` is set"
  return [state, ...holds, ...missing].join('; ')
}

function keys(): string {
  const ring = keyRingFromEnvironment(process.env)
  if (ring === undefined) return 'none in MANDATE_KEYS or MANDATE_KEY_FILE; a store is encrypted only if keys are given'
  return `${Object.keys(ring.keys).join(', ')} from the environment`
}

async function storeAndRuns(flags: Flags): Promise<readonly Check[]> {
  const checks: Check[] = []
  const store = await check('store', () =>
    withJournal(flags, async (journal) => {
      const runs = await journal.list({ limit: 1_000 })
      const kernel = new Kernel({ journal })
      for (const { run } of runs) {
        const report = await kernel.verify(run)
        if (!report.ok) checks.push({ check: `run ${run}`, ok: false, detail: report.problems.join(' ') })
      }
      if (journal.url !== undefined) checks.push(await check('workers', () => withFleet(journal, comparedWith)))
      const own = runs.filter(({ run }) => !isServiceJournal(run))
      return `${journal.path}, ${count(own.length, 'run')}`
    }),
  )
  return [store, ...checks]
}

/** Checks that the journal has all entries that the queues of the workers refer to, and that no run is without a worker that can drive it. */
async function comparedWith(fleet: Fleet): Promise<string> {
  const ahead = await fleet.ahead()
  if (ahead.length > 0) {
    const named = ahead
      .slice(0, 5)
      .map(({ run, known, has }) => `${run} (known up to entry ${known}, the journal has ${has})`)
    throw new MandateError(
      'JOURNAL_DAMAGED',
      `the queues know more of ${count(ahead.length, 'run')} than the journal: ${named.join(', ')}. The journal was restored from an older copy. Find out what these runs did since, then resume or cancel them.`,
    )
  }
  const { workers, held } = await fleet.report()
  if (held.length > 0)
    throw new MandateError(
      'RUN_STATE',
      `${count(held.length, 'run')} wait that no worker can drive: ${held[0]!.run}: ${held[0]!.reason}`,
    )
  return count(workers.length, 'worker')
}

/** Checks the configuration of the project: whether it loads, its agents can be created, and their models can be resolved. */
async function configuration({ file = findConfig() }: Flags): Promise<readonly Check[]> {
  if (file === undefined) return []
  const models = new Set<string>()
  const reviews: Check[] = []
  const config = await check(file, async () => {
    const { loaded } = await loadService(file)
    for (const { model } of loaded.agents ?? []) if (typeof model === 'string') models.add(model)
    const sources = loaded.modelSources ?? installedModels()
    const service = new AgentService({ ...loaded, modelSources: { ...sources, env: withAnyKey(sources.env) } })
    await setUp(service, loaded)
    reviews.push(...(await nameChecks(service)))
    const { agents } = await service.health()
    for (const id of agents) reviews.push(...toolReviews(service.agent(id)))
    reviews.push(...mandateReviews(service, agents, loaded.mandate))
    await service.stop()
    return `agents ${agents.join(', ') || 'none'}`
  })
  const found = [...models].map((id) =>
    check(`model ${id}`, async () => {
      await resolveModel(id, installedModels())
      return 'its package and its key are present'
    }),
  )
  return [config, ...reviews, ...(await Promise.all(found))]
}

/** Returns the problems among the names that graphs can refer to. */
async function nameChecks(service: AgentService): Promise<readonly Check[]> {
  const { graphRegistry } = await import('../../graph/index.ts')
  return graphRegistry(service)
    .findings()
    .map(({ severity, message, help }) => ({
      check: 'names',
      ok: severity !== 'error',
      ...(severity === 'warning' && { review: true }),
      detail: `${message} ${help}`,
    }))
}

/** Returns names in mandates that nothing has here. A policy may be shared, so that this is no fault by itself; a person should look. */
function mandateReviews(service: AgentService, agents: readonly string[], own: Mandate | undefined): readonly Check[] {
  const known = knownTargets(kernelOf(service).registry)
  const reviews = (name: string, mandate: Mandate): Check[] =>
    nameFindings(mandate, known).map(({ field, message }) => ({
      check: name,
      ok: true,
      review: true,
      detail: `\`mandate.${field}\` ${message}`,
    }))
  return [
    ...agents.flatMap((id) => reviews(`agent ${id}`, service.agent(id).mandate)),
    ...(own === undefined ? [] : reviews('service', definePolicy(own))),
  ]
}

/** Returns tools whose name suggests a higher risk than they declare. The declared risk applies; a person should review it. */
function toolReviews({ tools }: AgentSpec): readonly Check[] {
  return tools.flatMap(({ name, risk, isForeign, description }) => {
    const effect = { kind: 'tool', name, input: {} } as const
    const { review } = explainRisk(effect, { known: true, risk, isForeign, description, worst: {} }, {})
    return review === undefined ? [] : [{ check: `tool ${name}`, ok: true, review: true, detail: review }]
  })
}

/** Returns an environment in which every key is set. A missing key is reported by the check of its model, not as a failure of the whole configuration. */
function withAnyKey(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string | undefined>> {
  return new Proxy(env, { get: (target, name: string) => target[name] ?? (name.endsWith('_KEY') ? 'any' : undefined) })
}

/** Checks the servers of `.mcp.json`. They are programs named in a file, so they are started only on request. */
async function servers({ servers: isWanted }: Flags): Promise<readonly Check[]> {
  if (!existsSync('.mcp.json')) return []
  if (!isWanted)
    return [{ check: '.mcp.json', ok: true, detail: 'not tried; `mandate doctor --servers` starts its servers' }]
  const { mcpTools } = await import('../../connect/mcp/index.ts')
  try {
    const reached = await mcpTools('.mcp.json')
    await reached.close()
    return [
      ...reached.connections.map(({ name, tools }) => ({
        check: `server ${name}`,
        ok: true,
        detail: count(tools.length, 'tool'),
      })),
      ...Object.entries(reached.failed).map(([name, { message }]) => ({
        check: `server ${name}`,
        ok: false,
        detail: message,
      })),
    ]
  } catch (error) {
    return [{ check: '.mcp.json', ok: false, detail: messageOf(error) }]
  }
}
