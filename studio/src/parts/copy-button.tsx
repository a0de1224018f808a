import { useState } from 'react'
import type { ReactNode } from 'react'

export function CopyButton({
  text,
  label,
}: {
  readonly text: string | (() => string)
  readonly label: string
}): ReactNode {
  const [isDone, setDone] = useState(false)
  return (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      title={label}
      onClick={() => {
        void navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(() => {
          setDone(true)
          setTimeout(() => setDone(false), 1_500)
        })
      }}
    >
      {isDone ? 'copied' : 'copy'}
    </button>
  )
}
