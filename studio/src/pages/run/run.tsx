import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useRun } from '../../journal/use-run.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { word } from '../../parts/cli-twin.tsx'
import { visible } from '../../parts/format.ts'
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
  /** The run of the address. */
  readonly root: RunStore
  /** The run that is looked at: that one, or one that it started. */
  readonly run: RunStore
  readonly at: number
  readonly filter: string
  /** Selects an entry, of the run that is looked at unless another one is named. */
  readonly select: (seq: number, runId?: string) => void
  readonly isFollowing: boolean
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
  const { tab = 'timeline', at, filter = '', in: within } = useSearch({ from: '/runs/$runId' })
  const navigate = useNavigate()
  const root = useRun(runId)
  const run = useRun(within ?? runId)
  const [wants, setFollowing] = useState(true)
  const isFollowing = wants && at === undefined && run.connection !== 'over'
  const fork = useRef<HTMLDialogElement>(null)
  const replay = useRef<HTMLDialogElement>(null)
  const shown = at ?? run.entries.length
  const go = (search: Partial<Looked>): void =>
    void navigate({
      to: '/runs/$runId',
      params: { runId },
      search: clean({ tab, at, filter, in: within, ...search }, runId),
      replace: search.tab === undefined && search.in === undefined,
    })
  const select = (seq: number, of: string = run.runId): void => go({ at: Math.max(1, seq), in: of })
  const follow = (): void => {
    setFollowing(!isFollowing)
    // What is shown stays as it is when following ends: then it is an entry like any other.
    go({ at: isFollowing ? run.entries.length : undefined })
  }
  useEffect(() => run.want(shown), [run, shown])
  useShortcuts({
    follow: run.connection === 'over' ? undefined : follow,
    fork: () => fork.current?.showModal(),
    replay: () => replay.current?.showModal(),
    copyLink: () => void navigator.clipboard.writeText(location.href),
    back: within === undefined ? undefined : () => go({ in: runId, at: undefined }),
  })
  if (run.error !== undefined && run.entries.length === 0) return <Problem of={run.error} />
  const view = TAB_VIEWS[tab] ?? TAB_VIEWS.timeline!
  const View = view.view
  const props: TabProps = { root, run, at: shown, filter, select, isFollowing }
  return (
    <div className={styles['run']}>
      <RunHead
        root={root}
        run={run}
        up={(id) => go({ in: id, at: undefined })}
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
          placeholder="Filter: error, tool:name"
          value={filter}
          onChange={(event) => go({ filter: event.target.value })}
        />
      </div>
      {run.damage === undefined ? null : (
        <p className={styles['damage']} role="alert">
          <strong>The journal is damaged at entry #{run.damage.seq}.</strong> {visible(run.damage.message)} What is
          before it is shown, and is intact; nothing behind it is believed. Check it with{' '}
          <code>mandate verify {word(run.runId)}</code>.
        </p>
      )}
      {run.isPartial ? (
        <p className={styles['partial']} role="status">
          The first {run.entries.length.toLocaleString('en')} of {run.head.toLocaleString('en')} entries are loaded.{' '}
          <button type="button" className="quiet" onClick={() => run.want(run.entries.length + 20_000)}>
            Load the next 20,000
          </button>
          <button type="button" className="quiet" onClick={() => run.want(run.head)}>
            Load all
          </button>
        </p>
      ) : null}
      <div className={styles['body']}>
        <section id="view" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${tab}`} className={styles['view']}>
          <View {...props} />
        </section>
        {tab === 'chat' || tab === 'notebook' ? null : <EntryPanel {...props} fork={() => fork.current?.showModal()} />}
      </div>
      <Scrubber {...props} />
      <ForkDialog ref={fork} run={run} at={shown} />
      <ReplayDialog ref={replay} runId={run.runId} />
    </div>
  )
}

/** Graphs and cells have a view of their own. */
function isOffered(name: Tab, { fold }: RunStore, current: Tab): boolean {
  if (name === current) return true
  if (name === 'graph') return fold.start?.mind === 'graph'
  return name !== 'notebook' || fold.start?.mind === 'cell'
}

/** What an address of a run says. */
interface Looked {
  readonly tab: Tab | undefined
  readonly at: number | undefined
  readonly filter: string
  readonly in: string | undefined
}

/** Without what goes without saying. */
function clean({ tab, at, filter, in: within }: Looked, runId: string) {
  return {
    ...(tab === undefined || tab === 'timeline' ? {} : { tab }),
    ...(at === undefined ? {} : { at }),
    ...(filter === '' ? {} : { filter }),
    ...(within === undefined || within === runId ? {} : { in: within }),
  }
}
