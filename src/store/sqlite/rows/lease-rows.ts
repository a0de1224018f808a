import { MandateError } from '../../../core/index.ts'
import { leaseLost } from '../../../journal/index.ts'
import type { AcquireOptions, Lease } from '../../../journal/index.ts'
import { isGone } from '../../owner.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** Takes the lease and returns its epoch; the epochs of one run only grow. */
export function takeLease(file: SqliteFile, { run, owner, ttlMs, now }: AcquireOptions): number {
  const row = file.get('SELECT epoch, owner, until FROM leases WHERE run = ?', run)
  const holder = row?.['owner'] as string | null | undefined
  if (typeof holder === 'string' && holder !== owner && Number(row?.['until']) > now && !isGone(holder)) {
    throw new MandateError('LEASE_HELD', `Run "${run}" is being run by "${holder}". Wait for it, or signal it instead.`)
  }
  const epoch = Number(row?.['epoch'] ?? 0) + 1
  file.run(
    `INSERT INTO leases (run, epoch, owner, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (run) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, until = excluded.until`,
    run,
    epoch,
    owner,
    now + ttlMs,
  )
  return epoch
}

export function renewLease(file: SqliteFile, { run, epoch }: Lease, until: number): void {
  if (
    file.run('UPDATE leases SET until = ? WHERE run = ? AND epoch = ? AND owner IS NOT NULL', until, run, epoch) === 0
  )
    throw leaseLost(run)
}

/** Releases a lease. Releasing a lost lease is not an error. */
export function releaseLease(file: SqliteFile, { run, epoch }: Lease): void {
  file.run('UPDATE leases SET owner = NULL WHERE run = ? AND epoch = ?', run, epoch)
}

/** The epoch of the current lease, if there is one. */
export function heldEpoch(file: SqliteFile, run: string): number | undefined {
  return file.get('SELECT epoch FROM leases WHERE run = ? AND owner IS NOT NULL', run)?.['epoch'] as number | undefined
}
