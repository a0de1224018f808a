import type { ReactNode } from 'react'
import type { Json } from '../../../../src/core/index.ts'
import { WHOLE_ENDS, spoken } from '../../../../src/server/studio/light-entry.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { visible } from '../../parts/format.ts'
import { isPreview } from '../../parts/preview.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'
import styles from './run-texts.module.css'

/** The input and the answer of the run, one line each. */
export function RunTexts({ run }: { readonly run: RunStore }): ReactNode {
  const { start, end } = run.fold
  const asked = said(start?.input)
  const answered = answerOf(run)
  if (asked === undefined && answered === undefined) return null
  return (
    <dl className={styles['texts']}>
      {asked === undefined ? null : <Line of="asked" text={asked} />}
      {answered === undefined ? null : <Line of={end?.error === undefined ? 'answered' : 'ended'} text={answered} />}
    </dl>
  )
}

function Line({ of, text }: { readonly of: string; readonly text: string }): ReactNode {
  return (
    <div>
      <dt>{of}</dt>
      <dd dir="auto">{visible(oneLine(text.slice(0, 400)))}</dd>
    </div>
  )
}

/** Returns the answer of a run, or its error message. */
export function answerOf({ fold: { end } }: RunStore): string | undefined {
  return end?.error?.message ?? said(end?.output)
}

/** Adds an ellipsis to a cut preview. Values are cut as a whole, so a text shorter than the preview limit is complete. */
function begun(preview: string): string {
  return preview.length < WHOLE_ENDS ? preview : `${preview}…`
}

/** Returns the text of an input or output, complete or as a preview. */
function said(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = isPreview(value) ? begun(value.$preview) : typeof value === 'string' ? value : spoken(value as Json)
  return text === undefined || text.trim() === '' || text.startsWith('{') ? undefined : text
}
