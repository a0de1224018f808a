import type { Client, ClientConfig, Pool, PoolConfig } from 'pg'
import { missingPackage } from '../../core/index.ts'

/** What is used of the package `pg`. */
export interface Driver {
  readonly Pool: new (config: PoolConfig) => Pool
  readonly Client: new (config: ClientConfig) => Client
}

export type { Client, ClientConfig, Pool, PoolClient, PoolConfig } from 'pg'

/** Loads the driver when the first connection is made: who never speaks to Postgres need not have it. */
export async function loadDriver(): Promise<Driver> {
  try {
    const module = (await import('pg')) as unknown as Driver & { readonly default?: Driver }
    return module.default ?? module
  } catch (cause) {
    throw missingPackage(cause, 'pg', 'A Postgres store')
  }
}
