import type { ReactNode } from 'react'
import { useEntry } from '../../journal/use-run.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { Problem } from '../../parts/message.tsx'
import styles from './compare.module.css'

interface DetailProps {
  readonly a: string
  readonly b: string
  readonly left: number
  readonly right: number
}

/** The differences between two entries. */
export function PairDetail({ a, b, left, right }: DetailProps): ReactNode {
  const first = useEntry(a, left)
  const second = useEntry(b, right)
  const error = first.error ?? second.error
  if (error !== undefined) return <Problem of={error} />
  if (first.entry === undefined || second.entry === undefined) return null
  return (
    <div className={styles['detail']}>
      <DiffView before={said(first.entry.data)} after={said(second.entry.data)} />
    </div>
  )
}

/** Formats data as lines. Line breaks in texts become line breaks here, because long answers differ in only a few lines. */
function said(data: unknown): string {
  return JSON.stringify(data, undefined, 2).replaceAll('\\n', '\n      ')
}
