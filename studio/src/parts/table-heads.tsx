import type { ReactNode } from 'react'

interface Heads {
  readonly texts: readonly string[]
  /** Columns of right-aligned figures. */
  readonly numbers?: readonly string[] | undefined
  /** Columns after the figures. */
  readonly more?: readonly string[] | undefined
}

/** The column heads of a table. */
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
