import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { foldSame } from '../../../../src/journal/align-entries.ts'
import type { EntryPair } from '../../../../src/journal/align-entries.ts'
import { get } from '../../api/client.ts'
import { useRun } from '../../journal/use-run.ts'
import type { LightEntry, RunStore } from '../../journal/run-store.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { command } from '../../parts/commands.ts'
import { duration, exact, money, visible } from '../../parts/format.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'
import { Empty, Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'
import { shortText } from '../run/journal-tab.tsx'
import { answerOf } from '../run/run-texts.tsx'
import { useRuns } from '../runs/use-runs.ts'
import { PairDetail } from './pair-detail.tsx'
import { ReplayBeside } from './replay-beside.tsx'
import { TwoRuns } from './two-runs.tsx'
import styles from './compare.module.css'

type Pair = EntryPair<LightEntry>

/** A pair of entries as returned by the server, which compares the complete entries. */
interface SeqPair {
  readonly kind: Pair['kind']
  readonly a?: number
  readonly b?: number
}

/** The value of `b` in the address that stands for the replay of the first run. */
export const REPLAY = 'replay'

/** Number of lines drawn at first, because runs may be long. */
const LINES = 100

/** Two runs side by side: a fork and its origin, two models with one prompt, or a run and its replay. */
export function Compare(): ReactNode {
  const { a, b } = useSearch({ from: '/compare' })
  return (
    <div className="page">
      <div className={`line ${styles['choices']}`}>
        <h1>Compare</h1>
        <Choice side="a" value={a} other={b} />
        <Choice side="b" value={b} other={a} />
      </div>
      {a !== undefined && b === REPLAY ? (
        <ReplayBeside key={a} runId={a} />
      ) : a === undefined || b === undefined ? (
        <>
          <Empty title="Choose two runs">
            <p>
              Compare a fork with its original, a run with its replay, or the answers of two models or agents to one
              prompt.
            </p>
            <CliTwin command="mandate diff <run> <other run>" />
          </Empty>
          <TwoRuns />
        </>
      ) : (
        <SideBySide key={`${a} ${b}`} a={a} b={b} />
      )}
    </div>
  )
}

function Choice({
  side,
  value,
  other,
}: {
  readonly side: 'a' | 'b'
  readonly value: string | undefined
  readonly other: string | undefined
}): ReactNode {
  const navigate = useNavigate()
  const { data } = useRuns(undefined)
  const runs = data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <label className="line">
      {side.toUpperCase()}
      <select
        value={value ?? ''}
        onChange={(event) => {
          const pair = side === 'a' ? { a: event.target.value, b: other } : { a: other, b: event.target.value }
          void navigate({
            to: '/compare',
            search: Object.fromEntries(Object.entries(pair).filter(([, id]) => id !== undefined && id !== '')),
          })
        }}
      >
        <option value="">choose a run</option>
        {side === 'b' ? <option value={REPLAY}>its replay (performs nothing)</option> : null}
        {value === undefined || value === REPLAY || runs.some(({ id }) => id === value) ? null : (
          <option value={value}>{value}</option>
        )}
        {runs.map(({ id, name }) => (
          <option key={id} value={id}>
            {name} {id}
          </option>
        ))}
      </select>
    </label>
  )
}

function SideBySide({ a, b }: { readonly a: string; readonly b: string }): ReactNode {
  const first = useRun(a)
  const second = useRun(b)
  const { data, error } = useQuery<{ readonly pairs: readonly SeqPair[] }>({
    queryKey: ['compare', a, b, first.head, second.head],
    enabled: first.isLoaded && second.isLoaded,
    placeholderData: (earlier) => earlier,
    queryFn: ({ signal }) => get('/api/compare', { a, b }, signal),
  })
  const pairs = useMemo(
    () =>
      (data?.pairs ?? []).map(({ kind, a: left, b: right }): Pair => ({
        kind,
        ...(left === undefined ? {} : { a: first.at(left) }),
        ...(right === undefined ? {} : { b: second.at(right) }),
      })),
    [data, first, second, first.entries.length, second.entries.length],
  )
  const lines = useMemo(() => foldSame(pairs), [pairs])
  const [most, setMost] = useState(LINES)
  // Very long runs are loaded partly: loads the entries of the lines that are drawn.
  const last = data?.pairs[lines[Math.min(most, lines.length) - 1]?.index ?? -1]
  useEffect(() => {
    if (last?.a !== undefined) first.want(last.a)
    if (last?.b !== undefined) second.want(last.b)
  }, [first, second, last])
  const [at, setAt] = useState(-1)
  const counts = Object.groupBy(pairs, ({ kind }) => kind)
  const go = (by: 1 | -1): void => {
    for (let place = at + by; place >= 0 && place < pairs.length; place += by)
      if (pairs[place]!.kind !== 'same') {
        // Draws more lines if the target is beyond the drawn lines.
        const line = lines.findIndex(({ index }) => index === place)
        flushSync(() => {
          setMost(Math.max(most, line + LINES / 2))
          setAt(place)
        })
        document.getElementById(`pair-${place}`)?.scrollIntoView({ block: 'center' })
        return
      }
  }
  useShortcuts({ nextError: () => go(1), previousError: () => go(-1) })
  return (
    <div className="stack">
      <div className="line">
        <span>
          same {exact(counts.same?.length ?? 0)} · changed {exact(counts.changed?.length ?? 0)} · only A{' '}
          {exact(counts['only-a']?.length ?? 0)} · only B {exact(counts['only-b']?.length ?? 0)}
        </span>
        <button type="button" disabled={pairs.every(({ kind }) => kind === 'same')} onClick={() => go(1)}>
          next difference <kbd>n</kbd>
        </button>
        <CliTwin command={command('diff', [a, b])} />
      </div>
      {error === null ? null : <Problem of={error} />}
      <div className={styles['heads']}>
        <RunFacts run={first} />
        <RunFacts run={second} />
      </div>
      <ol className="panel">
        {lines.slice(0, most).map((line) => (
          <PairLine key={line.index} {...line} a={a} b={b} isHere={line.index === at} />
        ))}
      </ol>
      {lines.length <= most ? null : (
        <p className="line">
          <span className="muted">{exact(lines.length - most)} more lines.</span>
          <button type="button" onClick={() => setMost(most + 5 * LINES)}>
            Show the next {exact(Math.min(5 * LINES, lines.length - most))}
          </button>
        </p>
      )}
    </div>
  )
}

interface PairLineProps {
  readonly pair: Pair
  readonly index: number
  /** Number of following pairs that are identical too. */
  readonly more: number
  readonly a: string
  readonly b: string
  readonly isHere: boolean
}

/** Two matching entries, with their differences on demand; or a run of identical pairs. */
const PairLine = memo(function PairLine({ pair, index, more, a, b, isHere }: PairLineProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  if (more > 0)
    return (
      <li className={styles['fold']}>
        #{pair.a?.seq} and {exact(more)} more are identical
      </li>
    )
  return (
    <li id={`pair-${index}`} className={styles['pair']} data-kind={pair.kind} data-here={isHere}>
      <Side pair={pair} side="a" runId={a} />
      <Side pair={pair} side="b" runId={b} />
      {pair.kind === 'changed' ? (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'hide the difference' : 'what changed'}
        </button>
      ) : null}
      {isOpen && pair.a !== undefined && pair.b !== undefined ? (
        <PairDetail a={a} b={b} left={pair.a.seq} right={pair.b.seq} />
      ) : null}
    </li>
  )
})

function RunFacts({ run }: { readonly run: RunStore }): ReactNode {
  const { fold, runId } = run
  const calls = fold.spent.modelCalls ?? 0
  const called = run.rows.all().filter(({ kind }) => kind === 'model')
  const models = [...new Set(called.map(({ name }) => name))].slice(0, 3)
  const answer = answerOf(run)
  return (
    <div className={styles['facts']}>
      <div className="line">
        <Link to="/runs/$runId" params={{ runId }}>
          {visible(fold.start?.name ?? '')} <span className="mono">{runId}</span>
        </Link>
        <Status of={run.state} />
      </div>
      <p className="muted">
        {[
          ...models,
          duration(fold.activeMs),
          money(fold.spent.money ?? 0),
          `${calls} model ${calls === 1 ? 'call' : 'calls'}`,
        ].join(' · ')}
      </p>
      {answer === undefined ? null : (
        <p className={styles['answer']} dir="auto">
          {visible(oneLine(answer))}
        </p>
      )}
    </div>
  )
}

function Side({
  pair,
  side,
  runId,
}: {
  readonly pair: Pair
  readonly side: 'a' | 'b'
  readonly runId: string
}): ReactNode {
  const entry = pair[side]
  return entry === undefined ? (
    <span />
  ) : (
    <Link to="/runs/$runId" params={{ runId }} search={{ at: entry.seq }} className={styles['side']}>
      <span className="muted">#{entry.seq}</span> <code>{entry.type}</code>{' '}
      <code className="muted">{entry.key ?? ''}</code>
      <span>{shortText(entry)}</span>
    </Link>
  )
}
