import type { Client, ClientConfig, Pool, PoolConfig } from 'pg'
import { loadPackage } from '../../core/index.ts'

/** The used part of the package `pg`. */
export interface Driver {
  readonly Pool: new (config: PoolConfig) => Pool
  readonly Client: new (config: ClientConfig) => Client
}

export type { Client, ClientConfig, Pool, PoolClient, PoolConfig } from 'pg'

/** Loads the driver with the first connection: without one the package need not be installed. */
export async function loadDriver(neededFor = 'A Postgres store'): Promise<Driver> {
  const module = await loadPackage<Driver & { readonly default?: Driver }>('pg', neededFor)
  return module.default ?? module
}
