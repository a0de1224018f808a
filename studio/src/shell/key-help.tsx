import type { ReactNode, Ref } from 'react'
import { SHORTCUTS, keysText } from '../keys/shortcuts.ts'
import styles from './key-help.module.css'

/** All keys, from the table that the handlers use. */
export function KeyHelp({ ref }: { readonly ref: Ref<HTMLDialogElement> }): ReactNode {
  const groups = Object.groupBy(Object.values(SHORTCUTS), ({ where }) => where)
  return (
    <dialog ref={ref} aria-labelledby="keys-title" className={styles['help']}>
      {/* Rendered first, because it gets the focus: after the table, it would scroll the table out of view. */}
      <form method="dialog" className={styles['head']}>
        <h2 id="keys-title">Keys</h2>
        <button>Close</button>
      </form>
      <div className={styles['groups']}>
        {Object.entries(groups).map(([where, shortcuts]) => (
          <section key={where}>
            <h3 className="muted">{where}</h3>
            <table>
              <tbody>
                {shortcuts.map(({ keys, does }) => (
                  <tr key={keys}>
                    <td>
                      <kbd>{keysText(keys)}</kbd>
                    </td>
                    <td>{does}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
      </div>
    </dialog>
  )
}
