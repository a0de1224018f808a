import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { SHORTCUTS, useShortcuts } from '../keys/shortcuts.ts'
import { useReadOnly } from '../parts/read-only.tsx'
import { toggleTheme } from '../parts/theme.ts'
import { useScrolledTo } from '../parts/use-scrolled-to.ts'
import { useInbox, useLiveLists, waitingText } from './live-lists.ts'
import { KeyHelp } from './key-help.tsx'
import { pageTitle } from './page-title.ts'
import { PAGES } from './pages.ts'
import { Palette } from './palette.tsx'
import styles from './shell.module.css'

/** The frame of every page: navigation, number of open requests, and connection state. */
export function Shell(): ReactNode {
  const navigate = useNavigate()
  const help = useRef<HTMLDialogElement>(null)
  const palette = useRef<HTMLDialogElement>(null)
  // Subscribes only to the path, so that a change of the selection in the address does not render the frame.
  const pathname = useLocation({ select: (location) => location.pathname })
  const connection = useLiveLists()
  const waiting = waitingText(useInbox().data)
  // The number of open requests is loaded later and moves the links after it.
  const nav = useScrolledTo<HTMLElement>(`${pathname} ${waiting !== ''}`, '[data-status=active]')
  const isReadOnly = useReadOnly()
  useEffect(() => {
    document.title = pageTitle(pathname, waiting)
  }, [pathname, waiting])
  useShortcuts({
    help: () => help.current?.showModal(),
    palette: () => palette.current?.showModal(),
    ...Object.fromEntries(PAGES.map(({ id, to }) => [id, () => void navigate({ to })])),
    theme: toggleTheme,
    filter: () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
  })
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main">
        Skip to the content
      </a>
      <header className={styles['bar']}>
        <Link to="/" className={styles['brand']}>
          <img src="/icon.svg" alt="" width="20" height="20" /> Mandate
        </Link>
        <nav ref={nav} aria-label="Pages" className="scroll">
          {PAGES.map(({ id, to, title }) => (
            <Link key={id} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
              {title}
              {id === 'inbox' && waiting !== '' ? <span className={styles['badge']}>{waiting}</span> : null}
            </Link>
          ))}
        </nav>
        <span className={styles['rest']} />
        {isReadOnly ? (
          <span className={styles['note']} title="The server was started with --read-only, and refuses changes.">
            read-only
          </span>
        ) : null}
        {connection === 'lost' ? <span className={styles['lost']}>Reconnecting to the server…</span> : null}
        <button type="button" className="quiet" onClick={() => palette.current?.showModal()}>
          <kbd>Ctrl K</kbd>
          <span className="hidden-visually">{SHORTCUTS.palette.does}</span>
        </button>
        <button type="button" className="quiet" onClick={toggleTheme} title="Light or dark">
          ◐<span className="hidden-visually">Light or dark</span>
        </button>
        <button type="button" className="quiet" onClick={() => help.current?.showModal()} title={SHORTCUTS.help.does}>
          ?<span className="hidden-visually">{SHORTCUTS.help.does}</span>
        </button>
      </header>
      <main id="main" className={styles['main']} tabIndex={-1}>
        <Outlet />
      </main>
      <KeyHelp ref={help} />
      <Palette ref={palette} />
    </div>
  )
}
