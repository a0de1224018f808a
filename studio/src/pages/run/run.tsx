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
  /** Whether an entry is selected: by somebody, or as the latest while following. Otherwise views stay at their beginning. */
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

/** The views that a filter changes, each with what can be written. */
const FILTERS: { readonly [T in Tab]?: string } = {
  timeline: 'Filter: error, tool:name',
  journal: 'Filter: any words',
}

/** One run, seen in several ways with one selection. Everything that is looked at is in the address. */
export function Run(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' })
  const { tab = 'timeline', at, filter = '', in: within } = useSearch({ from: '/runs/$runId' })
  const navigate = useNavigate({ from: '/runs/$runId' })
  const { history } = useRouter()
  const beside = useBeside(runId)
  const root = useRun(runId)
  const run = useRun(within ?? runId)
  const [wants, setFollowing] = useState(true)
  // What is loaded is there already: only what comes is followed.
  const isFollowing = wants && at === undefined && (run.connection === 'live' || run.connection === 'lost')
  const tabs = useScrolledTo<HTMLDivElement>(tab, '[aria-selected=true]')
  const fork = useRef<HTMLDialogElement>(null)
  const replay = useRef<HTMLDialogElement>(null)
  const last = Math.max(run.head, run.entries.length)
  // An address may name an entry that is not there: then the last one is shown, until it comes.
  const isBeyond = at !== undefined && run.isLoaded && last > 0 && at > last
  const shown = at === undefined || isBeyond ? last : at
  const { problems } = run.rows
  // The same functions as long as the same run is looked at: rows are not made again for them.
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
    // What is shown stays as it is when following ends: then it is an entry like any other.
    go({ at: isFollowing ? run.entries.length : undefined })
  }
  const waiting = waitingIn(run, shown)
  useEffect(() => (at === undefined ? undefined : run.want(at)), [run, at])
  useShortcuts({
    follow: run.connection === 'over' ? undefined : follow,
    fork: () => fork.current?.showModal(),
    replay: () => replay.current?.showModal(),
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
    </div>
  )
}

/** Goes to the run that the list has beside this one. The list is asked for when somebody wants to go. */
function useBeside(runId: string): (by: 1 | -1) => Promise<void> {
  const navigate = useNavigate()
  const { refetch } = useRuns(undefined, false)
  return async (by) => {
    const { data } = await refetch()
    const next = runBeside(data?.pages.flatMap(({ runs }) => runs) ?? [], runId, by)
    if (next !== undefined) await navigate({ to: '/runs/$runId', params: { runId: next.id } })
  }
}

/** Graphs and cells have a view of their own. */
function isOffered(name: Tab, { fold }: RunStore, current: Tab): boolean {
  if (name === current) return true
  if (name === 'graph') return fold.start?.mind === 'graph'
  return name !== 'notebook' || fold.start?.mind === 'cell'
}

/** The request that the selected entry belongs to, or the first one of the run, while nobody has answered it. */
function waitingIn({ runId, fold, rows }: RunStore, at: number): string | undefined {
  const open = fold.pending()
  const key = rows.atSeq(at)?.key
  const found = open.findLast((each) => each.key === key) ?? open[0]
  return found === undefined || isEnded(fold.state) ? undefined : `${runId}-ap${found.seq}`
}

function firstOf(rows: ReadonlySet<Row>): Row {
  return [...rows].reduce((first, row) => (row.seq < first.seq ? row : first))
}

/** What an address of a run says. */
interface Looked {
  readonly tab?: Tab | undefined
  readonly at?: number | undefined
  readonly filter?: string | undefined
  readonly in?: string | undefined
}

/** Without what goes without saying. */
function clean({ tab, at, filter = '', in: within }: Looked, runId: string) {
  return {
    ...(tab === undefined || tab === 'timeline' ? {} : { tab }),
    ...(at === undefined ? {} : { at }),
    ...(filter === '' ? {} : { filter }),
    ...(within === undefined || within === runId ? {} : { in: within }),
  }
}
