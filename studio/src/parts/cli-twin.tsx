import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './cli-twin.module.css'

/** The command that does the same as what is looked at or about to be done. */
export function CliTwin({ command }: { readonly command: string }): ReactNode {
  return (
    <div className={styles['twin']}>
      <span className="hidden-visually">The same on the command line:</span>
      <code>{command}</code>
      <CopyButton text={command} label="Copy the command" />
    </div>
  )
}
