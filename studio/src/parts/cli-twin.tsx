import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './cli-twin.module.css'

/** The command equivalent to the shown view or action. */
export function CliTwin({ command }: { readonly command: string }): ReactNode {
  return (
    <div className={styles['twin']}>
      <span className="hidden-visually">The same on the command line:</span>
      <code>{command}</code>
      <CopyButton text={command} label="Copy the command" />
    </div>
  )
}
