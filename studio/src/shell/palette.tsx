import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { useRuns } from '../pages/runs/use-runs.ts'
import { SHORTCUTS, keysText, pageActions } from '../keys/shortcuts.ts'
import { visible } from '../parts/format.ts'
import { toggleTheme } from '../parts/theme.ts'
import { PAGES } from './pages.ts'
import styles from './palette.module.css'

interface Choice {
  readonly id: string
  readonly label: string
  readonly note: string
  readonly run: () => void
}

/** Opens any page or run, or runs an action of the page, found by a few letters of its name. */
export function Palette({ ref }: { readonly ref: Ref<HTMLDialogElement> }): ReactNode {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const { data } = useRuns(undefined, isOpen)
  const actions = (isOpen ? pageActions() : []).map(({ name, does, keys, run, where }) => ({
    ...{ id: name, label: does, note: keysText(keys), run },
    // Steps through a list are only useful as keys, so they are listed last.
    isStep: where === 'lists',
  }))
  const choices: readonly Choice[] = [
    ...actions.filter(({ isStep }) => !isStep),
    ...PAGES.map(({ id, to, title, label = title }) => ({
      id,
      label,
      note: SHORTCUTS[id].keys,
      run: () => void navigate({ to }),
    })),
    { id: 'theme', label: SHORTCUTS.theme.does, note: SHORTCUTS.theme.keys, run: toggleTheme },
    ...(data?.pages[0]?.runs ?? []).map(({ id, name, state }) => ({
      id,
      label: `${name} ${id}`,
      note: state,
      run: () => void navigate({ to: '/runs/$runId', params: { runId: id } }),
    })),
    ...actions.filter(({ isStep }) => isStep),
  ]
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = choices
    .filter(({ label, note }) => words.every((word) => `${label} ${note}`.toLowerCase().includes(word)))
    .slice(0, 12)
  const close = (event: { readonly currentTarget: HTMLElement }): void => event.currentTarget.closest('dialog')?.close()
  return (
    <dialog
      ref={ref}
      aria-label="Go anywhere"
      className={styles['palette']}
      onToggle={(event) => setOpen(event.newState === 'open')}
      onClose={() => {
        setText('')
        setAt(0)
      }}
    >
      <input
        type="text"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
        aria-label="A page, a run, an action"
        placeholder="A page, a run, an action"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
          else if (event.key === 'Enter' && found[at] !== undefined) {
            close(event)
            found[at].run()
          } else return
          event.preventDefault()
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Found">
        {(isOpen ? found : []).map((choice, index) => (
          <li
            key={choice.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={(event) => {
              close(event)
              choice.run()
            }}
          >
            <span>{visible(choice.label)}</span> <span className="muted">{choice.note}</span>
          </li>
        ))}
      </ul>
    </dialog>
  )
}
