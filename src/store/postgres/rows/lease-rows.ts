import { MandateError } from '../../../core/index.ts'
import { GENESIS, leaseLost } from '../../../journal/index.ts'
import type { AcquireOptions, Head, Lease } from '../../../journal/index.ts'
import { isGone } from '../../owner.ts'
import { headOfRow } from './entry-rows.ts'
import { settle } from '../../batcher.ts'
import type { Settled } from '../../batcher.ts'
import type { PostgresLink } from '../link.ts'

/** A request for a lease; `gone` is an owner whose process has ended. */
interface Taker extends AcquireOptions {
  readonly gone?: string | undefined
}

/** Milliseconds since 1970 by the server's clock. It alone decides whether a lease has expired, because the clocks of clients may differ. */
const SERVER_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/** Takes the available leases, each run at most once. After a retry the same owner has a newer epoch, and only that counts. */
export async function takeLeases(link: PostgresLink, takers: readonly Taker[]): Promise<Settled<Lease>[]> {
  const sql = `INSERT INTO ${link.table('heads')} AS h (run, epoch, owner, until, seq, hash, at)
    SELECT a.run, 1, a.owner, ${SERVER_NOW} + a.ttl, 0, $5, 0
      FROM unnest($1::text[], $2::text[], $3::float8[]) AS a (run, owner, ttl) ORDER BY a.run
    ON CONFLICT (run) DO UPDATE SET epoch = h.epoch + 1, owner = excluded.owner, until = excluded.until
      WHERE h.owner IS NULL OR h.owner = excluded.owner OR h.until <= ${SERVER_NOW}
        OR EXISTS (SELECT FROM unnest($1::text[], $4::text[]) AS t (run, gone) WHERE t.run = h.run AND h.owner = t.gone)
    RETURNING run, epoch, seq, hash, at`
  const { rows } = await link.query(sql, [
    takers.map(({ run }) => run),
    takers.map(({ owner }) => owner),
    takers.map(({ ttlMs }) => ttlMs),
    takers.map(({ gone }) => gone ?? null),
    GENESIS.hash,
  ])
  const taken = new Map(rows.map((row) => [row['run'] as string, row]))
  return Promise.all(
    takers.map(async (taker): Promise<Settled<Lease>> => {
      const row = taken.get(taker.run)
      if (row === undefined) return settle(refused(link, taker))
      const head: Head = row['seq'] === 0 ? GENESIS : headOfRow(row)
      return { value: { run: taker.run, epoch: row['epoch'] as number, head } }
    }),
  )
}

/** The current holder keeps its lease, unless its process is known to be dead: then the lease is taken over at once. */
async function refused(link: PostgresLink, taker: Taker): Promise<Lease> {
  const { rows } = await link.query(`SELECT owner FROM ${link.table('heads')} WHERE run = $1`, [taker.run])
  const holder = rows[0]?.['owner'] as string | null | undefined
  if (typeof holder !== 'string' || (isGone(holder) && taker.gone !== holder)) {
    const [again] = await takeLeases(link, [{ ...taker, gone: holder ?? undefined }])
    if ('error' in again!) throw again.error
    return again!.value
  }
  throw new MandateError(
    'LEASE_HELD',
    `Run "${taker.run}" is being run by "${holder}". Wait for it, or signal it instead.`,
  )
}

export interface Renewal {
  readonly lease: Lease
  readonly until: number
  /** The duration from now on; without it, `until` is a time of the server's clock. */
  readonly ttlMs?: number | undefined
}

export async function renewLeases(link: PostgresLink, renewals: readonly Renewal[]): Promise<Settled<void>[]> {
  const sql = `UPDATE ${link.table('heads')} AS h SET until = coalesce(${SERVER_NOW} + a.ttl, a.until)
    FROM unnest($1::text[], $2::int[], $3::float8[], $4::float8[]) AS a (run, epoch, until, ttl)
    WHERE h.run = a.run AND h.epoch = a.epoch AND h.owner IS NOT NULL RETURNING h.run`
  const { rows } = await link.query(sql, [
    renewals.map(({ lease }) => lease.run),
    renewals.map(({ lease }) => lease.epoch),
    renewals.map(({ until }) => until),
    renewals.map(({ ttlMs }) => ttlMs ?? null),
  ])
  const renewed = new Set(rows.map((row) => row['run']))
  return renewals.map(({ lease }) => (renewed.has(lease.run) ? { value: undefined } : { error: leaseLost(lease.run) }))
}

/** Releasing a lost lease is no error. */
export async function releaseLeases(link: PostgresLink, leases: readonly Lease[]): Promise<Settled<void>[]> {
  const sql = `UPDATE ${link.table('heads')} AS h SET owner = NULL
    FROM unnest($1::text[], $2::int[]) AS a (run, epoch) WHERE h.run = a.run AND h.epoch = a.epoch`
  await link.query(sql, [leases.map(({ run }) => run), leases.map(({ epoch }) => epoch)])
  return leases.map(() => ({ value: undefined }))
}

/** Releases the leases of a dead owner. Should it be alive after all, its next append fails, as after any other takeover: takers increment the epoch. */
export async function releaseOwner(link: PostgresLink, owner: string): Promise<string[]> {
  const sql = `UPDATE ${link.table('heads')} SET owner = NULL WHERE owner = $1 RETURNING run`
  return (await link.query(sql, [owner])).rows.map((row) => row['run'] as string)
}

/** Throws on invalid numbers before they reach the server, which accepts NaN and Infinity. */
export function checkTimes(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers))
    if (!Number.isFinite(value))
      throw new MandateError('INPUT_INVALID', `\`${name}\` is ${String(value)}. Give a finite number.`)
}
