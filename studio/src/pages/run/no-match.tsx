import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { visible } from '../../parts/format.ts'
import styles from './run.module.css'

interface NoMatchProps {
  /** The number of items without the filter. */
  readonly of: number
  readonly things: string
  readonly filter: string
}

/** A message that nothing matches the filter, with a button to clear it. */
export function NoMatch({ of, things, filter }: NoMatchProps): ReactNode {
  const navigate = useNavigate({ from: '/runs/$runId' })
  const clear = (): void => void navigate({ to: '.', search: ({ filter: _, ...others }) => others, replace: true })
  return (
    <p className={styles['none']} role="status">
      None of {of.toLocaleString('en')} {things} matches <code>{visible(filter)}</code>.{' '}
      <button type="button" onClick={clear}>
        Clear the filter
      </button>
    </p>
  )
}
