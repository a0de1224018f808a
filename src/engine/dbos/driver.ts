import type * as Sdk from '@dbos-inc/dbos-sdk'
import type * as Queues from '@dbos-inc/dbos-sdk/internal/wfqueue'
import type * as SystemDatabase from '@dbos-inc/dbos-sdk/internal/system_database'
import { loadPackage } from '../../core/index.ts'

export type { DBOSClient } from '@dbos-inc/dbos-sdk'
export type { WorkflowQueue } from '@dbos-inc/dbos-sdk'

/** The parts of the DBOS package that are used: its API, queues with per-process limits, and the creation of its tables. */
export interface Driver extends Pick<typeof Sdk, 'DBOS' | 'DBOSClient'> {
  readonly registerInternalQueue: (typeof Queues)['registerInternalQueue']
  readonly ensureSystemDatabase: (typeof SystemDatabase)['ensureSystemDatabase']
}

/** Loads the DBOS package when the first engine is attached, so that users who run a single process need not install it. */
export async function loadDriver(): Promise<Driver> {
  const what = 'An engine for workers'
  const { DBOS, DBOSClient } = await loadPackage<typeof Sdk>('@dbos-inc/dbos-sdk', what)
  const queues = await loadPackage<typeof Queues>('@dbos-inc/dbos-sdk/internal/wfqueue', what)
  const tables = await loadPackage<typeof SystemDatabase>('@dbos-inc/dbos-sdk/internal/system_database', what)
  const { registerInternalQueue } = queues
  const { ensureSystemDatabase } = tables
  return { DBOS, DBOSClient, registerInternalQueue, ensureSystemDatabase }
}

/** Discards the log output of DBOS, which is of no use to users. Failures are reported by the callers. */
const ignore = (): void => {}
export const quiet: Record<'info' | 'debug' | 'warn' | 'error', () => void> = {
  info: ignore,
  debug: ignore,
  warn: ignore,
  error: ignore,
}
