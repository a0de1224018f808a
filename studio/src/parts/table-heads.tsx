import type { ReactNode } from 'react'

interface Heads {
  readonly texts: readonly string[]
  /** Columns of figures, which stand at the right. */
  readonly numbers?: readonly string[] | undefined
  /** Columns behind the figures. */
  readonly more?: readonly string[] | undefined
}

/** The names of the columns of a table. */
export function TableHeads({ texts, numbers = [], more = [] }: Heads): ReactNode {
  return (
    <thead>
      <tr>
        {[...texts, ...numbers, ...more].map((title) => (
          <th key={title} scope="col" className={numbers.includes(title) ? 'number' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}
