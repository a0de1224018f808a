import type { ReactNode } from 'react'
import styles from './status.module.css'

const LOOKS: Record<string, { readonly tone: string; readonly sign: string; readonly word: string }> = {
  running: { tone: 'running', sign: '●', word: 'running' },
  suspended: { tone: 'waits', sign: '‖', word: 'suspended' },
  waits: { tone: 'waits', sign: '‖', word: 'waits' },
  approved: { tone: 'ok', sign: '✓', word: 'approved' },
  answered: { tone: 'ok', sign: '✓', word: 'answered' },
  expired: { tone: 'still', sign: '■', word: 'expired' },
  withdrawn: { tone: 'still', sign: '■', word: 'withdrawn' },
  completed: { tone: 'ok', sign: '✓', word: 'completed' },
  ok: { tone: 'ok', sign: '✓', word: 'ok' },
  failed: { tone: 'bad', sign: '✗', word: 'failed' },
  error: { tone: 'bad', sign: '✗', word: 'error' },
  denied: { tone: 'bad', sign: '⊘', word: 'denied' },
  cancelled: { tone: 'still', sign: '■', word: 'cancelled' },
  damaged: { tone: 'bad', sign: '⚠', word: 'damaged' },
  doubt: { tone: 'doubt', sign: '?', word: 'in doubt' },
  up: { tone: 'running', sign: '●', word: 'up' },
  draining: { tone: 'waits', sign: '‖', word: 'draining' },
  unknown: { tone: 'doubt', sign: '?', word: 'unknown' },
}

interface StatusProps {
  readonly of: string
  readonly note?: string | undefined
  /** Whether a success has no background, for lists. */
  readonly isQuiet?: boolean
}

/** A state as colour, sign and word, so that it does not depend on colour alone. */
export function Status({ of, note, isQuiet = false }: StatusProps): ReactNode {
  const { tone, sign, word } = LOOKS[of] ?? { tone: 'still', sign: '·', word: of }
  return (
    <span className={isQuiet ? `${styles['status']} ${styles['quiet']}` : styles['status']} data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {word}
      {note === undefined ? null : <span className={styles['note']}>{note}</span>}
    </span>
  )
}

const RISKS: Record<string, string> = { read: 'still', write: 'running', exec: 'waits', destructive: 'bad' }

export function Risk({ of }: { readonly of: string | undefined }): ReactNode {
  return of === undefined || of === '' ? null : (
    <span className={styles['status']} data-tone={RISKS[of] ?? 'waits'}>
      {of}
    </span>
  )
}
