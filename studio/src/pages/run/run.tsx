import { Link, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { isEnded } from '../../../../src/journal/summary.ts'
import { useRun } from '../../journal/use-run.ts'
import type { RunStore } from '../../journal/run-store.ts'
import type { Row } from '../../journal/timeline-rows.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { word } from '../../parts/commands.ts'
import { visible } from '../../parts/format.ts'
import { Problem } from '../../parts/message.tsx'
import { useScrolledTo } from '../../parts/use-scrolled-to.ts'
import { runBeside } from '../runs/run-groups.ts'
import { useRuns } from '../runs/use-runs.ts'
import type { Tab } from '../../router.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { ChatTab } from './chat-tab.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { GraphTab } from './graph-tab.tsx'
import { JournalTab } from './journal-tab.tsx'
import { NotebookTab } from './notebook-tab.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { RunHead } from './run-head.tsx'
import { RunNews } from './run-news.tsx'
import { Scrubber } from './scrubber.tsx'
import { StateTab } from './state-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import styles from './run.module.css'

/** The properties of every tab: the run, and the shared selection. */
export interface TabProps {
  /** The run in the address. */
  readonly root: RunStore
  /** The viewed run: `root` or one of its child runs. */
  readonly run: RunStore
  readonly at: number
  readonly filter: string
  /** Selects an entry, of the viewed run unless another run is given. */
  readonly select: (seq: number, runId?: string) => void
  readonly isFollowing: boolean
  /** Whether an entry is selected, by the user or as the latest one while following. Otherwise views stay at their beginning. */
  readonly isSelected: boolean
}

const TAB_VIEWS: { readonly [T in Tab]?: { readonly title: string; readonly view: (props: TabProps) => ReactNode } } = {
  timeline: { title: 'Timeline', view: TimelineTab },
  chat: { title: 'Chat', view: ChatTab },
  graph: { title: 'Graph', view: GraphTab },
  notebook: { title: 'Notebook', view: NotebookTab },
  state: { title: 'State', view: StateTab },
  journal: { title: 'Journal', view: JournalTab },
}

/** The views that have a filter, each with its placeholder. */
const FILTERS: { readonly [T in Tab]?: string } = {
  timeline: 'Filter: error, tool:name',
  journal: 'Filter: any words',
}

/** One run in several views with a shared selection. The view state is stored in the address. */
export function Run(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' })
  const { tab = 'timeline', at, filter = '', in: within } = useSearch({ from: '/runs/$runId' })
  const navigate = useNavigate({ from: '/runs/$runId' })
  const { history } = useRouter()
  const beside = useBeside(runId)
  const root = useRun(runId)
  const run = useRun(within ?? runId)
  const [wants, setFollowing] = useState(true)
  // Only new entries are followed, not the initial load.
  const isFollowing = wants && at === undefined && (run.connection === 'live' || run.connection === 'lost')
  const tabs = useScrolledTo<HTMLDivElement>(tab, '[aria-selected=true]')
  const fork = useRef<HTMLDialogElement>(null)
  const replay = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLDialogElement>(null)
  // A run of which nothing is known yet, or whose journal is damaged, is not offered to be changed.
  const isUnderWay = run.isLoaded && run.entries.length > 0 && run.damage === undefined && !isEnded(run.state)
  const { last } = run
  // The address may have an entry that does not exist yet. Then the last entry is shown until it arrives.
  const isBeyond = at !== undefined && run.isLoaded && last > 0 && at > last
  const shown = at === undefined || isBeyond ? last : at
  const { problems } = run.rows
  // Stable functions for the same run, so that rows are not rendered again.
  const go = useCallback(
    (looked: Partial<Looked>): void =>
      void navigate({
        to: '.',
        search: (before) => clean({ ...before, ...looked }, runId),
        replace: looked.tab === undefined && looked.in === undefined,
      }),
    [navigate, runId],
  )
  const shownId = run.runId
  const select = useCallback(
    (seq: number, of: string = shownId): void => go({ at: Math.max(1, seq), in: of }),
    [go, shownId],
  )
  const follow = (): void => {
    setFollowing(!isFollowing)
    // When following ends, the shown entry becomes the selected one.
    go({ at: isFollowing ? run.entries.length : undefined })
  }
  const waiting = run.damage === undefined ? waitingIn(run, shown) : undefined
  useEffect(() => (at === undefined ? undefined : run.want(at)), [run, at])
  useShortcuts({
    follow: run.connection === 'over' ? undefined : follow,
    fork: run.damage === undefined ? () => fork.current?.showModal() : undefined,
    replay: run.damage === undefined ? () => replay.current?.showModal() : undefined,
    cancel: isUnderWay ? () => cancel.current?.showModal() : undefined,
    inInbox: waiting === undefined ? undefined : () => void navigate({ to: '/inbox', search: { item: waiting } }),
    copyLink: () => void navigator.clipboard.writeText(location.href),
    nextRun: () => void beside(1),
    previousRun: () => void beside(-1),
    back: () => {
      if (within !== undefined) go({ in: runId, at: undefined })
      else if (history.canGoBack()) history.back()
      else void navigate({ to: '/' })
    },
  })
  if (run.error !== undefined && run.entries.length === 0)
    return (
      <div className="page">
        <Problem of={run.error} />
        <p>
          <Link to="/">All runs</Link>
        </p>
      </div>
    )
  const view = TAB_VIEWS[tab] ?? TAB_VIEWS.timeline!
  const View = view.view
  const props: TabProps = {
    root,
    run,
    at: shown,
    filter,
    select,
    isFollowing,
    isSelected: isFollowing || at !== undefined,
  }
  return (
    <div className={styles['run']}>
      <RunHead
        root={root}
        run={run}
        up={(id) => go({ in: id, at: undefined })}
        problems={problems.size}
        toProblem={() => select(firstOf(problems).lastSeq)}
        isFollowing={isFollowing}
        follow={follow}
        fork={() => fork.current?.showModal()}
        replay={() => replay.current?.showModal()}
        cancel={isUnderWay ? () => cancel.current?.showModal() : undefined}
      />
      <div className={styles['tabs']}>
        <div ref={tabs} role="tablist" aria-label="Views of the run" className="scroll">
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
        {FILTERS[tab] === undefined ? null : (
          <input
            type="search"
            aria-label="Filter entries"
            placeholder={FILTERS[tab]}
            value={filter}
            onChange={(event) => go({ filter: event.target.value })}
          />
        )}
      </div>
      {isBeyond && !run.isMore && run.damage === undefined ? (
        <p className={styles['partial']} role="status">
          There is no entry #{at}. The last one is #{last}.
        </p>
      ) : null}
      {run.damage === undefined ? null : (
        <p className={styles['damage']} role="alert">
          <strong>The journal is damaged at entry #{run.damage.seq}.</strong> {visible(run.damage.message)} What is
          before it is shown, and is intact; nothing behind it is believed. Check it with{' '}
          <code>mandate verify {word(run.runId)}</code>.
        </p>
      )}
      {run.isMore ? (
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
      <RunNews run={run} isFollowing={isFollowing} />
      <ForkDialog ref={fork} run={run} at={shown} />
      <ReplayDialog ref={replay} runId={run.runId} />
      <CancelDialog ref={cancel} run={run} />
    </div>
  )
}

/** Returns a function that opens the next or previous run of the list. The list is loaded on demand. */
function useBeside(runId: string): (by: 1 | -1) => Promise<void> {
  const navigate = useNavigate()
  const { refetch } = useRuns(undefined, false)
  return async (by) => {
    const { data } = await refetch()
    const next = runBeside(data?.pages.flatMap(({ runs }) => runs) ?? [], runId, by)
    if (next !== undefined) await navigate({ to: '/runs/$runId', params: { runId: next.id } })
  }
}

/** Whether a tab is offered: graphs and cells have tabs of their own. */
function isOffered(name: Tab, { fold }: RunStore, current: Tab): boolean {
  if (name === current) return true
  if (name === 'graph') return fold.start?.mind === 'graph'
  return name !== 'notebook' || fold.start?.mind === 'cell'
}

/** Returns the id of the open request of the selected entry, or else of the run's first one. */
function waitingIn({ runId, fold, rows }: RunStore, at: number): string | undefined {
  const open = fold.pending()
  const key = rows.atSeq(at)?.key
  const found = open.findLast((each) => each.key === key) ?? open[0]
  return found === undefined || isEnded(fold.state) ? undefined : `${runId}-ap${found.seq}`
}

function firstOf(rows: ReadonlySet<Row>): Row {
  return [...rows].reduce((first, row) => (row.seq < first.seq ? row : first))
}

/** The view state in the address of a run. */
interface Looked {
  readonly tab?: Tab | undefined
  readonly at?: number | undefined
  readonly filter?: string | undefined
  readonly in?: string | undefined
}

/** Removes default values from the view state. */
function clean({ tab, at, filter = '', in: within }: Looked, runId: string) {
  return {
    ...(tab === undefined || tab === 'timeline' ? {} : { tab }),
    ...(at === undefined ? {} : { at }),
    ...(filter === '' ? {} : { filter }),
    ...(within === undefined || within === runId ? {} : { in: within }),
  }
}
