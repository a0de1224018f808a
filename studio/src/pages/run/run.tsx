import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useRun } from '../../journal/use-run.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Problem } from '../../parts/message.tsx'
import type { Tab } from '../../router.tsx'
import { ChatTab } from './chat-tab.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { GraphTab } from './graph-tab.tsx'
import { JournalTab } from './journal-tab.tsx'
import { NotebookTab } from './notebook-tab.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { RunHead } from './run-head.tsx'
import { Scrubber } from './scrubber.tsx'
import { StateTab } from './state-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import styles from './run.module.css'

/** What every tab is given: the run, and the one selection that they share. */
export interface TabProps {
  readonly run: RunStore
  readonly at: number
  readonly filter: string
  readonly select: (seq: number) => void
}

const TAB_VIEWS: { readonly [T in Tab]?: { readonly title: string; readonly view: (props: TabProps) => ReactNode } } = {
  timeline: { title: 'Timeline', view: TimelineTab },
  chat: { title: 'Chat', view: ChatTab },
  graph: { title: 'Graph', view: GraphTab },
  notebook: { title: 'Notebook', view: NotebookTab },
  state: { title: 'State', view: StateTab },
  journal: { title: 'Journal', view: JournalTab },
}

/** One run, seen in several ways with one selection. Everything that is looked at is in the address. */
export function Run(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' })
  const { tab = 'timeline', at, filter = '' } = useSearch({ from: '/runs/$runId' })
  const navigate = useNavigate()
  const run = useRun(runId)
  const [isFollowing, setFollowing] = useState(at === undefined)
  const fork = useRef<HTMLDialogElement>(null)
  const replay = useRef<HTMLDialogElement>(null)
  const shown = at ?? run.entries.length
  const go = (search: { tab?: Tab; at?: number; filter?: string }): void =>
    void navigate({
      to: '/runs/$runId',
      params: { runId },
      search: clean({
        ...(tab === 'timeline' ? {} : { tab }),
        ...(at === undefined ? {} : { at }),
        ...(filter === '' ? {} : { filter }),
        ...search,
      }),
      replace: search.tab === undefined,
    })
  const select = (seq: number): void => {
    setFollowing(false)
    go({ at: Math.max(1, Math.min(seq, run.entries.length)) })
  }
  const follow = (): void => {
    setFollowing(!isFollowing)
    if (!isFollowing)
      void navigate({ to: '/runs/$runId', params: { runId }, search: tab === 'timeline' ? {} : { tab }, replace: true })
  }
  useShortcuts({
    follow,
    fork: () => fork.current?.showModal(),
    replay: () => replay.current?.showModal(),
    copyLink: () => void navigator.clipboard.writeText(location.href),
  })
  if (run.error !== undefined && run.entries.length === 0) return <Problem of={run.error} />
  const view = TAB_VIEWS[tab] ?? TAB_VIEWS.timeline!
  const View = view.view
  const props: TabProps = { run, at: shown, filter, select }
  return (
    <div className={styles['run']}>
      <RunHead
        run={run}
        isFollowing={isFollowing}
        follow={follow}
        fork={() => fork.current?.showModal()}
        replay={() => replay.current?.showModal()}
      />
      <div className={styles['tabs']}>
        <div role="tablist" aria-label="Views of the run">
          {Object.entries(TAB_VIEWS)
            .filter(([name]) => isOffered(name as Tab, run, tab))
            .map(([name, { title }]) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={name === tab}
                aria-controls="view"
                onClick={() => go({ tab: name as Tab })}
              >
                {title}
              </button>
            ))}
        </div>
        <input
          type="search"
          aria-label="Filter entries"
          placeholder="Filter: error, tool:name, key …"
          value={filter}
          onChange={(event) => go({ filter: event.target.value })}
        />
      </div>
      {run.damage === undefined ? null : (
        <p className={styles['damage']} role="alert">
          The journal is damaged at entry #{run.damage.seq}: {run.damage.message} What is before it is shown; check it
          with <code>mandate verify {runId}</code>.
        </p>
      )}
      <div className={styles['body']}>
        <section id="view" role="tabpanel" aria-labelledby={`tab-${tab}`} className={styles['view']}>
          <View {...props} />
        </section>
        {tab === 'chat' || tab === 'notebook' ? null : <EntryPanel {...props} fork={() => fork.current?.showModal()} />}
      </div>
      <Scrubber {...props} />
      <ForkDialog ref={fork} run={run} at={shown} />
      <ReplayDialog ref={replay} runId={runId} />
    </div>
  )
}

/** Graphs and cells have a view of their own. */
function isOffered(name: Tab, { fold }: RunStore, current: Tab): boolean {
  if (name === current) return true
  if (name === 'graph') return fold.start?.mind === 'graph'
  return name !== 'notebook' || fold.start?.mind === 'cell'
}

/** Without what is empty. */
function clean<T extends object>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '' && value !== undefined)) as T
}
