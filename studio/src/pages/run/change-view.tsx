import type { ReactNode } from 'react'
import { JsonView } from '../../parts/json-view.tsx'
import { visible } from '../../parts/format.ts'
import styles from './state-tab.module.css'

interface ChangeProps {
  readonly before: unknown
  readonly now: unknown
}

/** The difference between two values. Objects are compared member by member, so that changes are visible among unchanged members. */
export function ChangeView({ before, now }: ChangeProps): ReactNode {
  if (Array.isArray(before) && Array.isArray(now)) return <Items before={before} now={now} />
  if (!isObject(before) || !isObject(now)) return <Whole before={before} now={now} />
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return (
    <ul className={styles['members']}>
      {names.map((name) => (
        <li key={name}>
          <span className={styles['name']}>{visible(name)}:</span>
          {isSame(before[name], now[name]) ? (
            <JsonView value={now[name]} open={0} />
          ) : (
            <Whole before={before[name]} now={now[name]} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** The difference between two arrays, without regard to positions: removed items first, then the current ones. */
function Items({ before, now }: { readonly before: readonly unknown[]; readonly now: readonly unknown[] }): ReactNode {
  const [was, is] = [before, now].map((items) => new Set(items.map((item) => JSON.stringify(item))))
  const gone = before.filter((item) => !is!.has(JSON.stringify(item)))
  const kept = now.filter((item) => was!.has(JSON.stringify(item)))
  const added = now.filter((item) => !was!.has(JSON.stringify(item)))
  return (
    <ul className={styles['members']}>
      {kept.length === 0 ? null : (
        <li>
          <JsonView value={kept} open={0} />
        </li>
      )}
      {gone.map((item, index) => (
        <li key={`gone ${index}`}>
          <Whole before={item} now={undefined} />
        </li>
      ))}
      {added.map((item, index) => (
        <li key={`new ${index}`}>
          <Whole before={undefined} now={item} />
        </li>
      ))}
    </ul>
  )
}

function Whole({ before, now }: ChangeProps): ReactNode {
  return (
    <>
      {before === undefined ? null : (
        <del>
          <JsonView value={before} open={0} />
        </del>
      )}
      {now === undefined ? null : (
        <ins>
          <JsonView value={now} open={3} />
        </ins>
      )}
    </>
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(before: unknown, now: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(now)
}
