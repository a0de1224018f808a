import type { ReactNode } from 'react'
import { visible } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import styles from './entry-panel.module.css'

interface Outcome {
  readonly status: string
  readonly error?: { readonly code?: string; readonly message?: string }
  readonly reason?: string
}

/** Returns the outcome in an entry, unless it is a success. */
export function outcomeIn(data: unknown): Outcome | undefined {
  const { outcome, error, state } = (data ?? {}) as { outcome?: Outcome; error?: Outcome['error']; state?: string }
  if (outcome !== undefined) return outcome.status === 'ok' ? undefined : outcome
  return error === undefined || state === undefined ? undefined : { status: state, error }
}

export function isDenied(data: unknown): boolean {
  return outcomeIn(data)?.status === 'denied'
}

/** The error or denial of an entry, shown before its other content. */
export function OutcomeView({ of }: { readonly of: Outcome | undefined }): ReactNode {
  if (of === undefined) return null
  const { status, error, reason } = of
  return (
    <section className={styles['outcome']} data-status={status} aria-label="How it came out">
      <div className="line">
        <Status of={status} />
        {error?.code === undefined ? null : <code>{visible(error.code)}</code>}
      </div>
      {error?.message === undefined && reason === undefined ? null : (
        <p dir="auto">{visible(error?.message ?? reason ?? '')}</p>
      )}
    </section>
  )
}
