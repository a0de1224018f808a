import type { ReactNode, Ref } from 'react'
import { SHORTCUTS } from '../keys/shortcuts.ts'

/** All keys, from the table that handles them. */
export function KeyHelp({ ref }: { readonly ref: Ref<HTMLDialogElement> }): ReactNode {
  const groups = Object.groupBy(Object.values(SHORTCUTS), ({ where }) => where)
  return (
    <dialog ref={ref} aria-labelledby="keys-title">
      <form method="dialog" className="stack">
        <h2 id="keys-title">Keys</h2>
        {Object.entries(groups).map(([where, shortcuts]) => (
          <section key={where} className="stack">
            <h3 className="muted">{where}</h3>
            <table>
              <tbody>
                {shortcuts.map(({ keys, does }) => (
                  <tr key={keys}>
                    <td>
                      <kbd>{keys === ' ' ? 'Space' : keys}</kbd>
                    </td>
                    <td>{does}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
        <button>Close</button>
      </form>
    </dialog>
  )
}
