import { useState } from 'react'
import type { ReactNode } from 'react'
import { bytes, timeOf, visible } from './format.ts'
import { isPreview } from './preview.ts'
import type { PreviewValue } from './preview.ts'
import styles from './json-view.module.css'

const TEXT_SHOWN = 16_000
const MEMBERS_SHOWN = 100

/** A tree view of any value. Strings are shown as text, never as markup. Large parts expand on demand. */
export function JsonView({ value, open = 2 }: { readonly value: unknown; readonly open?: number }): ReactNode {
  return <div className={styles['json']}>{<Value value={value} open={open} />}</div>
}

interface ValueProps {
  readonly value: unknown
  readonly open: number
  /** The name of the value in its parent. */
  readonly name?: string
}

function Value({ value, open, name = '' }: ValueProps): ReactNode {
  if (isPreview(value)) return <Preview of={value} />
  if (typeof value === 'string') return <Text text={value} />
  if (typeof value === 'number') return <Amount of={value} name={name} />
  if (typeof value !== 'object' || value === null) return <span className={styles['plain']}>{String(value)}</span>
  return <Members value={value} open={open} />
}

const TIMES = /(^|[a-z])At$/
const FIRST_TIME = Date.UTC(2000, 0)
/** Significant digits of a number; sums of fractions have rounding errors beyond them. */
const MEANT_DIGITS = 12

/** A number without rounding errors, and with its time if its name is that of a timestamp. */
function Amount({ of, name }: { readonly of: number; readonly name: string }): ReactNode {
  const isTime = TIMES.test(name) && of > FIRST_TIME
  return (
    <span className={styles['plain']} title={String(of)}>
      {Number.isInteger(of) ? of : Number(of.toPrecision(MEANT_DIGITS))}
      {isTime ? <span className="muted"> ({timeOf(of)})</span> : null}
    </span>
  )
}

function Preview({ of }: { readonly of: PreviewValue }): ReactNode {
  return (
    <span className={styles['plain']}>
      {visible(of.$preview)}… <span className="muted">({bytes(of.$bytes)})</span>
    </span>
  )
}

const HASH = /^[0-9a-f]{64}$/

function Text({ text }: { readonly text: string }): ReactNode {
  // The beginning of a hash is enough to distinguish it; the complete hash is in the tooltip and in every copy.
  if (HASH.test(text))
    return (
      <span className="muted" title={text}>
        "{text.slice(0, 12)}…"
      </span>
    )
  return (
    <span className={styles['text']} dir="auto">
      <HiddenMark text={text} />
      {text.includes('\n') ? (
        <span className={styles['block']}>
          <LongText text={text} />
        </span>
      ) : (
        <>
          "<LongText text={text} />"
        </>
      )}
    </span>
  )
}

/** A warning for text with invisible or misleading characters. */
export function HiddenMark({ text }: { readonly text: string }): ReactNode {
  const beginning = text.slice(0, TEXT_SHOWN)
  return visible(beginning) === beginning ? null : (
    <span className={styles['hidden']} title="Characters that would act or hide are shown as escapes">
      ⚠ control characters
    </span>
  )
}

/** A text of any length; the part beyond a limit is shown on demand. */
export function LongText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || text.length <= TEXT_SHOWN) return visible(text)
  return (
    <>
      {visible(text.slice(0, TEXT_SHOWN))}…{' '}
      <button type="button" onClick={() => setWhole(true)}>
        load all {bytes(text.length)}
      </button>
    </>
  )
}

function Members({ value, open }: { readonly value: object; readonly open: number }): ReactNode {
  const [isOpen, setOpen] = useState(open > 0)
  const [shown, setShown] = useState(MEMBERS_SHOWN)
  const isList = Array.isArray(value)
  const members = Object.entries(value)
  if (members.length === 0) return <span className="muted">{isList ? '[]' : '{}'}</span>
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="muted">{isList ? `[ ${members.length} ]` : `{ ${members.length} }`}</summary>
      {isOpen ? (
        <ul>
          {members.slice(0, shown).map(([name, member]) => (
            <li key={name}>
              <span className={styles['name']}>{visible(name)}</span>:{' '}
              <Value value={member} open={open - 1} name={name} />
            </li>
          ))}
          {members.length > shown ? (
            <li>
              <button type="button" onClick={() => setShown(shown * 10)}>
                {members.length - shown} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </details>
  )
}
