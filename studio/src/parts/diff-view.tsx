import type { ReactNode } from 'react'
import { diffLines } from '../../../src/connect/files/diff.ts'
import { visible } from './format.ts'
import styles from './diff-view.module.css'

/** The difference between two texts, line by line. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  const diff = diffLines(before, after)
  if (diff === '') return <p className="muted">No difference.</p>
  return (
    <pre className={styles['diff']} dir="ltr">
      {diff.split('\n').map((line, index) => (
        <span key={index} data-sign={line[0]}>
          {visible(line)}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
