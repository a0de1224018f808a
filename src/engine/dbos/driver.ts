import type * as Sdk from '@dbos-inc/dbos-sdk'
import type * as Queues from '@dbos-inc/dbos-sdk/internal/wfqueue'
import type * as SystemDatabase from '@dbos-inc/dbos-sdk/internal/system_database'
import { missingPackage } from '../../core/index.ts'

export type { DBOSClient } from '@dbos-inc/dbos-sdk'
export type { WorkflowQueue } from '@dbos-inc/dbos-sdk'

/** What is used of the package: its front, queues with limits of one process, and the tables it needs. */
export interface Driver extends Pick<typeof Sdk, 'DBOS' | 'DBOSClient'> {
  readonly registerInternalQueue: (typeof Queues)['registerInternalQueue']
  readonly ensureSystemDatabase: (typeof SystemDatabase)['ensureSystemDatabase']
}

/** Loads the package when the first engine is attached: who runs one process need not have it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const sdk = await import('@dbos-inc/dbos-sdk')
    const { registerInternalQueue } = await import('@dbos-inc/dbos-sdk/internal/wfqueue')
    const { ensureSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database')
    return { DBOS: sdk.DBOS, DBOSClient: sdk.DBOSClient, registerInternalQueue, ensureSystemDatabase }
  } catch (cause) {
    throw missingPackage(cause, '@dbos-inc/dbos-sdk', 'An engine for workers')
  }
}

/** It says on the console what is no news to users; what fails is told by those who asked for it. */
const ignore = (): void => {}
export const quiet: Record<'info' | 'debug' | 'warn' | 'error', () => void> = {
  info: ignore,
  debug: ignore,
  warn: ignore,
  error: ignore,
}
